import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { step } from '../../../../src/shared/core/attention/engine.ts'
import type { CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import {
  type AttentionMemory,
  emptyMemory,
  memoryOf,
  type NotifiedLately,
} from '../../../../src/shared/core/attention/memory.ts'
import { withoutFuture } from '../../../../src/shared/core/attention/work.ts'
import { calm, checkEvent, minute, second, start } from '../../../support/attention-eg.ts'

/** The same memory with an entry for each check. */
function oneByOne(memory: AttentionMemory): AttentionMemory {
  const first = memory.once.flatMap(({ at, accountId, checks }) =>
    checks.map((id): [string, NotifiedLately] => [
      `${accountId}/check/${id}`,
      { shownAt: [at], flapping: false },
    ]),
  )
  return { ...memory, once: [], checks: new Map([...first, ...memory.checks]) }
}

const flip = fc.record({
  accountId: fc.constantFrom('ops', 'web'),
  checkId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  kind: fc.constantFrom('down' as const, 'recovered' as const),
})
const happened = fc.record({
  after: fc.constantFrom(second, 20 * second, 2 * minute, 5 * minute, 6 * minute),
  flips: fc.uniqueArray(flip, { maxLength: 12, selector: (one) => Object.values(one).join() }),
})

describe('the memory of recent notifications', () => {
  test('leads to the same decisions whether it is kept per check or for all at once', () => {
    fc.assert(
      fc.property(fc.array(happened, { maxLength: 10 }), (all) => {
        let memory = emptyMemory
        let now = start
        for (const [at, { after, flips }] of all.entries()) {
          now += after
          const events: CheckEvent[] = flips.map((one, n) =>
            checkEvent({ ...one, at: now, id: `${at}/${n}` }),
          )
          const made = step(memory, { events, over: [] }, calm, now)
          const plain = step(oneByOne(memory), { events, over: [] }, calm, now)
          expect(made.decisions).toEqual(plain.decisions)
          expect(made.wakeAt).toEqual(plain.wakeAt)
          // Flapping checks are reported in the order in which they began, which is not kept.
          expect(made.popUps).toHaveLength(plain.popUps.length)
          expect(recent(made.memory, now)).toEqual(recent(plain.memory, now))
          memory = made.memory
        }
      }),
      { seed: 20_261_122, numRuns: 300 },
    )
  })

  test('has one entry for a storm, and is forgotten with its account', () => {
    const events = Array.from({ length: 1_000 }, (_, i) => checkEvent({ checkId: `c${i}` }))
    const { memory } = step(emptyMemory, { events, over: [] }, calm, start)
    expect(memory.checks.size).toBe(0)
    expect(memory.once.map(({ accountId, checks }) => [accountId, checks.length])).toEqual([
      ['ops', 1_000],
    ])
    expect(memoryOf(memory, (id) => id === 'ops').once).toEqual(memory.once)
    expect(memoryOf(memory, (id) => id === 'web').once).toEqual([])
  })

  test('is not dated in the future after the clock is set back', () => {
    const { memory } = step(emptyMemory, { events: [checkEvent()], over: [] }, calm, start)
    const [once] = withoutFuture(memory, start - minute).once
    expect(once?.at).toBe(start - minute)
  })
})

/** Per check, without entries that will be forgotten and have no effect until then. */
function recent(memory: AttentionMemory, now: number): ReadonlyMap<string, NotifiedLately> {
  const isKept = (subject: string, { shownAt }: NotifiedLately): boolean =>
    memory.waits.has(subject) || shownAt.some((at) => now - at < 5 * minute)
  return new Map([...oneByOne(memory).checks].filter(([subject, told]) => isKept(subject, told)))
}
