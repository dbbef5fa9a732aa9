import { describe, expect, test } from 'vitest'
import { chatService } from './chat-service.ts'
import { runCase } from './run-cases.ts'

describe.each(chatService.levels)('the fake realm of level %s', (level) => {
  test.each(chatService.cases.map((one) => [one.operation ?? 'the door', one.name, one] as const))(
    '%s: %s',
    async (_operation, _name, one) => {
      const { outcome } = await runCase(chatService, one, { kind: 'world', level })
      // Cases for other levels are skipped here.
      if (outcome.kind !== 'skipped') expect(outcome).toEqual({ kind: 'held' })
    },
  )
})

describe('the chat cases', () => {
  test('are at least 150, each with a unique name', () => {
    const names = chatService.cases.map(({ operation, name }) => `${operation}: ${name}`)
    expect(names.length).toBeGreaterThanOrEqual(150)
    expect(new Set(names).size).toBe(names.length)
  })

  test('can mostly be run on a real server', () => {
    const anywhere = chatService.cases.filter((one) => !one.clock && one.worldOnly === undefined)
    expect(anywhere.length).toBeGreaterThan(150)
  })
})
