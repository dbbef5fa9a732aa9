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
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import { withoutFuture } from '../../../../src/shared/core/attention/work.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  running,
  second,
  silence,
  start,
} from '../../../support/attention-eg.ts'

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
    const later = step(
      memory,
      { events: [checkEvent({ checkId: 'd' })], over: [] },
      calm,
      start + 5 * minute,
    )
    expect(later.memory.once.map(({ checks }) => checks)).toEqual([['d']])
  })

  test('of an account is all gone once that is removed', () => {
    const quiet = { ...calm, systemQuiet: true }
    const played = (...accounts: string[]) => {
      const engine = running()
      const before = start - minute
      const told = accounts.map((accountId) =>
        checkEvent({ accountId, checkId: 'told', at: before }),
      )
      engine.at(before, told)
      for (const [at, kind] of (['down', 'recovered', 'down', 'recovered'] as const).entries())
        engine.at(
          start + at * second,
          accounts.map((accountId) => checkEvent({ accountId, kind, at: start + at * second })),
        )
      const night = accounts.map((accountId) =>
        checkEvent({ accountId, checkId: 'night', at: start + 9 * second }),
      )
      const said = accounts.map((accountId) =>
        messageEvent({
          accountId,
          messageId: accountId.charCodeAt(0),
          subject: `${accountId}/said`,
          at: start + 9 * second,
          isBot: true,
          news: { accountIds: [accountId], checkId: 'web', state: 'down' },
        }),
      )
      const snoozed = accounts.map((accountId) =>
        checkEvent({ accountId, checkId: 'snoozed', at: start + 8 * second }),
      )
      const silences = accounts.map((accountId) =>
        silence({ id: accountId, scope: { of: 'project', accountId } }),
      )
      engine.at(start + 8 * second, snoozed, { ...calm, silences })
      engine.at(start + 9 * second, [...night, ...said], quiet)
      return engine.memory()
    }
    const only = (id: string) => id === 'ops'
    const alone = memoryOf(played('ops', 'web'), only)
    const ops = played('ops')
    for (const part of [
      'waits',
      'once',
      'checks',
      'recentChecks',
      'recentMessages',
      'changedAt',
      'unnotified',
      'downNotifiedAt',
    ] as const) {
      expect(alone[part], part).toEqual(ops[part])
      expect('size' in ops[part] ? ops[part].size : ops[part].length, part).toBeGreaterThan(0)
    }
  })

  test('is not dated in the future after the clock is set back', () => {
    const { memory } = step(emptyMemory, { events: [checkEvent()], over: [] }, calm, start)
    const [once] = withoutFuture(memory, start - minute).once
    expect(once?.at).toBe(start - minute)
  })
})

describe('a check that keeps going down and coming back', () => {
  const flips = (engine: ReturnType<typeof running>, seconds: readonly number[]) => {
    for (const [nth, one] of seconds.entries()) {
      const at = start + one * second
      engine.wakeUntil(at)
      engine.at(at, [checkEvent({ kind: nth % 2 === 0 ? 'down' : 'recovered', at })])
    }
  }
  const told = ({ popUps }: ReturnType<typeof running>) =>
    popUps.map(({ title, sound }) => [title, sound])

  test('is told of twice in any five minutes, then once every five minutes with their number', () => {
    const engine = running()
    flips(engine, [0, 240, 320, 340, 350, 360, 370])
    const first = [
      ['db down', true],
      ['db recovered', false],
      ['db down', true],
    ]
    engine.wakeUntil(start + 619 * second)
    expect(told(engine)).toEqual(first)
    engine.wakeUntil(start + 620 * second)
    expect(told(engine).slice(3)).toEqual([['db is flapping: 4 changes, now down', true]])
    engine.at(start + 690 * second, [checkEvent({ kind: 'recovered', at: start + 690 * second })])
    engine.wakeUntil(start + 919 * second)
    expect(told(engine)).toHaveLength(4)
    engine.wakeUntil(start + 920 * second)
    expect(told(engine).slice(4)).toEqual([['db is flapping: now up', false]])
    engine.at(start + 3_000 * second, [])
    expect(engine.memory().checks.size).toBe(0)
  })

  test('is told of no third time in five minutes, whatever step comes between', () => {
    const engine = running()
    flips(engine, [0, 240])
    engine.at(start + 310 * second, [])
    flips(engine, [320, 340])
    expect(told(engine)).toHaveLength(3)
  })

  test('is flapping as well once one notice has told of several changes', () => {
    const engine = running()
    flips(engine, [500])
    const scope = { of: 'project', accountId: 'ops' } as const
    const out = { scope, except: [], why: 'gateway is down', overAt: 0, reads: [] }
    for (const [nth, kind] of (['recovered', 'down', 'recovered'] as const).entries()) {
      const at = start + 600 * second + nth
      engine.at(at, [checkEvent({ kind, at })], { ...calm, dependencies: [out] })
    }
    engine.at(start + 610 * second, [])
    flips(engine, [820])
    expect(told(engine)).toEqual([
      ['db down', true],
      ['db recovered', false],
    ])
  })

  test('makes no sound when it is up by then, whatever the rule', () => {
    const ways = { ...defaultAttention.ways, recovered: 'sound' } as const
    const engine = running({ ...calm, settings: { ...defaultAttention, ways } })
    flips(engine, [0, 10, 20, 30])
    engine.wakeUntil(start + 400 * second)
    expect(told(engine).at(-1)).toEqual(['db is flapping: 2 changes, now up', false])
    const held = engine.listed.filter(({ outcome }) => outcome === 'folded')
    expect(held[0]?.reasons.at(-1)?.text).toMatch(/^It changes too often/)
  })
})

/** Per check, without entries that will be forgotten and have no effect until then. */
function recent(memory: AttentionMemory, now: number): ReadonlyMap<string, NotifiedLately> {
  const isKept = (subject: string, { shownAt }: NotifiedLately): boolean =>
    memory.waits.has(subject) || shownAt.some((at) => now - at < 5 * minute)
  return new Map([...oneByOne(memory).checks].filter(([subject, told]) => isKept(subject, told)))
}
