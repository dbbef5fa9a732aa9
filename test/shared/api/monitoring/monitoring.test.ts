import { safeParse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { schemaFacts } from '../../../../src/shared/api/form-fields.ts'
import {
  monitoringOperations,
  monitoringPingOperations,
} from '../../../../src/shared/api/monitoring/monitoring-operations.ts'

const uuid = '0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6'

describe('the monitoring operations', () => {
  const all = Object.entries(monitoringOperations)

  test('declare every name in their path, and have distinct titles', () => {
    for (const [name, { path, params }] of all)
      for (const [, field = ''] of path.matchAll(/\{(\w+)\}/g))
        expect([name, Object.keys(params.entries)]).toEqual([name, expect.arrayContaining([field])])
    expect(new Set(all.map(([, { title }]) => title)).size).toBe(all.length)
  })

  test("allowed with a read-only key only read, and don't touch pings or integrations", () => {
    const open = all.filter(([, one]) => one.needsReadWriteKey !== true)
    expect(open.filter(([, { method }]) => method !== 'GET')).toEqual([])
    expect(open.filter(([, { path }]) => /ping|channel/.test(path))).toEqual([])
    expect(open.map(([name]) => name)).toContain('listChecks')
  })
})

describe('the ping operations', () => {
  const all = Object.entries(monitoringPingOperations)

  test('are the five signals, sent to the check’s own address without the key', () => {
    expect(all.map(([name, { path }]) => [name, path])).toEqual([
      ['pingSuccess', '/ping/{uuid}'],
      ['pingStart', '/ping/{uuid}/start'],
      ['pingFail', '/ping/{uuid}/fail'],
      ['pingLog', '/ping/{uuid}/log'],
      ['pingExitStatus', '/ping/{uuid}/{exit_status}'],
    ])
    for (const [, one] of all) expect(one).toMatchObject({ to: 'pingAddress', anonymous: true })
  })

  test('accept the exit statuses and run ids that the server accepts', () => {
    const uuid = '0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6'
    const { params } = monitoringPingOperations.pingExitStatus
    const takes = (given: object) => safeParse(params, { uuid, exit_status: 0, ...given }).success
    expect([{}, { exit_status: 255 }, { rid: uuid.toUpperCase() }].map(takes)).toEqual([
      true,
      true,
      true,
    ])
    expect(
      [{ exit_status: 256 }, { exit_status: -1 }, { rid: '' }, { rid: '7' }].map(takes),
    ).toEqual([false, false, false, false])
  })
})

describe('every parameter', () => {
  test('has a label and a help sentence', () => {
    const lacking = Object.entries({
      ...monitoringOperations,
      ...monitoringPingOperations,
    }).flatMap(([operation, { params }]) =>
      Object.entries(params.entries)
        .filter(([, schema]) => {
          const { title, description } = schemaFacts(schema)
          return title === null || !(description ?? '').endsWith('.')
        })
        .map(([name]) => `${operation}.${name}`),
    )
    expect(lacking).toEqual([])
  })
})

describe('parameters', () => {
  const { createCheck, getCheck, listFlips, updateCheck } = monitoringOperations
  const message = (schema: Parameters<typeof safeParse>[0], value: unknown) =>
    safeParse(schema, value).issues?.[0].message

  test.each([
    [{ timeout: 59 }, 'at least 60 seconds'],
    [{ grace: 31_536_001 }, 'at most 31536000 seconds (365 days)'],
    [{ timeout: 60.5 }, 'whole seconds'],
    [{ name: 'x'.repeat(101) }, 'at most 100 characters'],
    [{ slug: 'Up' }, 'only a-z, 0-9, hyphens and underscores'],
    [{ start_kw: 'x'.repeat(201) }, 'at most 200 characters'],
    [{ methods: 'GET' }, 'empty or POST'],
  ])("of a new check are held to the server's limits: %o", (params, expected) => {
    expect(message(createCheck.params, params)).toBe(expected)
  })

  test('of a new check are all optional, and lengths count code points', () => {
    expect(safeParse(createCheck.params, {}).success).toBe(true)
    expect(safeParse(createCheck.params, { name: '😀'.repeat(100) }).success).toBe(true)
  })

  test('of an update require the check and never contain null', () => {
    expect(safeParse(updateCheck.params, { name: 'x' }).success).toBe(false)
    expect(safeParse(updateCheck.params, { uuid, name: null }).success).toBe(false)
  })

  test('normalise a pasted uuid to the one form that the server knows', () => {
    const parsed = safeParse(getCheck.params, { id: ` ${uuid.toUpperCase()} ` })
    expect(parsed.output).toEqual({ id: uuid })
    expect(safeParse(getCheck.params, { id: '../status/' }).success).toBe(false)
    expect(safeParse(listFlips.params, { id: 'a'.repeat(40), seconds: 86_400 }).success).toBe(true)
  })
})

describe('replies', () => {
  const { listChecks, listFlips, probeStatus } = monitoringOperations

  test('with a list keep unreadable items, so that each item is read on its own', () => {
    const reply = { checks: [null, { name: 7 }], more: true }
    expect(safeParse(listChecks.reply, reply).output).toEqual(reply)
    expect(safeParse(listChecks.reply, { detail: 'no checks here' }).success).toBe(false)
  })

  test('with flips may be an object or a bare list', () => {
    expect(safeParse(listFlips.reply, { flips: [] }).success).toBe(true)
    expect(safeParse(listFlips.reply, []).success).toBe(true)
  })

  test("to the status probe are OK, never a captive portal's page", () => {
    expect(safeParse(probeStatus.reply, 'OK\n').success).toBe(true)
    expect(safeParse(probeStatus.reply, '<!doctype html>').success).toBe(false)
  })
})
