import { describe, expect, test } from 'vitest'
import {
  monitoringOperations,
  monitoringPingOperations,
} from '../../src/shared/api/monitoring/monitoring-operations.ts'
import { monitoring, monitoringCases } from './monitoring-cases.ts'
import { isTrueFor, runCase } from './run-cases.ts'

describe('the monitoring API', () => {
  describe.each(monitoring.levels)('of version %s', (level) => {
    const asked = monitoringCases.filter((one) => isTrueFor(one, level))

    test.each(asked)('$name', async (one) => {
      const { outcome } = await runCase(monitoring, one, { kind: 'world', level })
      expect(outcome).toEqual({ kind: 'held' })
    })

    test('is tested with all cases except those for other versions', () => {
      expect(asked.length).toBeGreaterThan(monitoringCases.length - 5)
    })
  })

  test('has cases with unique names', () => {
    const names = monitoringCases.map(({ name }) => name)
    expect(names).toHaveLength(new Set(names).size)
    expect(names.length).toBeGreaterThan(150)
  })

  test('has a case for every operation, and none for an unknown one', () => {
    const asked = new Set(monitoringCases.map(({ operation }) => operation))
    const declared = Object.keys({ ...monitoringOperations, ...monitoringPingOperations })
    expect([...asked].filter((name) => name !== null).toSorted()).toEqual(declared.toSorted())
  })
})
