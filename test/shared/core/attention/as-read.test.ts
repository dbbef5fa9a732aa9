import { describe, expect, test } from 'vitest'
import {
  asNow,
  asRead,
  type CheckRead,
  checksRead,
} from '../../../../src/shared/core/attention/as-now.ts'
import { type Happened, step } from '../../../../src/shared/core/attention/engine.ts'
import type { CheckEvent, CheckFacts } from '../../../../src/shared/core/attention/event.ts'
import {
  type AttentionMemory,
  emptyMemory,
  setBack,
  type Waiting,
} from '../../../../src/shared/core/attention/memory.ts'
import { noticeOf } from '../../../../src/shared/core/attention/notices.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import { type Board, nothingMissed } from '../../../../src/shared/core/checks/board.ts'
import type { Cause } from '../../../../src/shared/core/checks/cause.ts'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import { calm, checkEvent, facts, minute, start } from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

const read = (change: Partial<CheckRead>): CheckRead => ({
  subject: 'ops/check/db',
  name: 'db',
  tags: [],
  kind: 'down',
  body: facts(start, start),
  ...change,
})

const waiting = (body: CheckFacts, kind: 'down' | 'late' | 'recovered' = 'down'): Waiting => ({
  event: checkEvent({ kind, body }),
  why: 'quiet',
  until: null,
  sound: false,
  wasDown: false,
  changes: 1,
})

/** The notice of what waits, an hour after it was read. */
function notice(one: Waiting, newest: CheckRead, at = start + 60 * minute) {
  const { title, body } = noticeOf(asNow(asRead(one, newest, at), at), false)
  return `${title}: ${body}`
}

describe('what waits about a check', () => {
  const failed = (line: string | null, at = start): Cause => ({ kind: 'failed', at, line })
  const unread: Cause = { kind: 'unknown', lastAt: start }
  const missed: Cause = { kind: 'missed', lastAt: start, expectedAt: null }

  test.each([
    { old: failed('disk full'), newest: unread, says: 'disk full' },
    { old: failed('disk full'), newest: failed(null), says: 'disk full' },
    { old: failed(null), newest: missed, says: 'Failed' },
    { old: failed('disk full'), newest: failed('no route'), says: 'no route' },
    { old: missed, newest: failed('no route'), says: 'no route' },
    { old: failed('disk full'), newest: failed(null, start + 5 * minute), says: 'Failed' },
    { old: failed('disk full'), newest: null, says: 'down for 1 h' },
    { old: null, newest: failed('no route'), says: 'no route' },
    {
      old: { kind: 'overran' as const, startedAt: start, usualSeconds: null },
      newest: unread,
      says: 'still running after 1 h',
    },
  ])('says “$says” where $old was followed by $newest', ({ old, newest, says }) => {
    const now = start + 60 * minute
    const one = waiting({ ...facts(start, start), cause: old })
    const words = notice(one, read({ body: { ...facts(start, now), cause: newest } }))
    expect(words).toContain(says)
    expect(words.includes('disk full')).toBe(says === 'disk full')
  })

  test('has the name and the tags that the check has now', () => {
    const newest = read({ name: 'mysql', tags: ['prod'], kind: null })
    expect(notice(waiting(facts(start, start)), newest)).toMatch(/^mysql down: .*#prod$/)
    expect(notice(waiting(facts(start, start), 'recovered'), newest)).toMatch(/^mysql .*#prod$/)
  })

  test.each(['quiet', 'brief'] as const)(
    '(%s), kept by an older version in words, has what was read',
    (why) => {
      const old = { ...waiting(facts(start, start)), why }
      const newest = read({ body: facts(start, start + 60 * minute) })
      const inWords = { ...old, event: { ...checkEvent(), body: 'old words' } }
      expect(notice(inWords, newest)).toContain('down for 1 h')
    },
  )

  test('says how long it was down, but not of the last of several outages', () => {
    const back = waiting(facts(start - 10 * minute, start), 'recovered')
    const newest = read({ name: 'mysql', kind: null, body: facts(start - 5 * minute, start) })
    expect(notice(back, newest)).toBe('mysql went down and came back: was down for 10 min · ops')
    expect(notice({ ...back, changes: 4 }, newest)).toBe(
      'mysql went down and came back 2 times: ops',
    )
  })

  test('says for how long the check has been late by now', () => {
    const one = waiting(facts(start, start), 'late')
    const at = start + 60 * minute
    expect(noticeOf(asNow(one, at), false).body).toContain('late for 1 h')
    const newest = read({ kind: 'late', body: facts(start + 50 * minute, at) })
    expect(notice(one, newest, at)).toContain('late for 10 min')
  })
})

describe('an outage that may be too short', () => {
  const settings = { ...defaultAttention, afterMinutes: 20 }
  const context = { ...calm, settings }
  const down = checkEvent({ body: facts(start, start) })
  const newest = (at: number) => read({ body: facts(at - minute, at) })
  const take = (memory: AttentionMemory, happened: Partial<Happened>, now: number) =>
    step(memory, { events: [], over: [], ...happened }, context, now)
  const first = take(emptyMemory, { events: [down] }, start).memory

  test('is told no later because a newer one was read, nobody knows since when', () => {
    const later = start + 15 * minute
    const { memory, popUps, wakeAt } = take(first, { read: [newest(later)] }, later)
    expect(popUps).toEqual([])
    expect(wakeAt).toBe(start + 20 * minute)
    const { popUps: shown } = take(memory, {}, start + 20 * minute)
    expect(shown.map(({ body }) => body)).toEqual([expect.stringContaining('down for 6 min')])
    expect(shown[0]!.reasons.map(({ text }) => text)).toContain('It has been down for 6 min.')
  })

  test('stays as it was if another check was read', () => {
    const web = checkEvent({ checkId: 'web', body: facts(start, start) })
    const both = take(emptyMemory, { events: [down, web] }, start).memory
    const { memory } = take(both, { read: [read({ name: 'mysql' })] }, start + minute)
    expect([...memory.waits.values()].map(({ event }) => event.title)).toEqual([
      'mysql down',
      'web down',
    ])
  })

  test('waits as long after the clock was set back', () => {
    const later = start + 15 * minute
    const { memory } = take(first, { read: [newest(later)] }, later)
    const { wakeAt } = take(setBack(memory, 60 * minute), {}, later - 60 * minute)
    expect(wakeAt).toBe(start - 40 * minute)
  })

  test('is told as soon as the flips show that it began before', () => {
    const later = start + 15 * minute
    const read_ = [read({ body: facts(start - 10 * minute, later) })]
    expect(take(first, { read: read_ }, later).popUps.map(({ at }) => at)).toEqual([start])
  })
})

test.each([
  { what: 'says nothing of a check that is up as before', is: { pingCount: 9 }, read: [] },
  { what: 'has the new name of a check', is: { name: 'mysql' }, read: ['mysql'] },
  { what: 'has what is down', is: { status: 'down' as const }, read: ['db'] },
])('what was read of checks about which something waits $what', ({ is, read: names }) => {
  const before = eg.check({ id: 'x', name: 'db', status: 'up' })
  const event = checkEvent({ kind: 'recovered', accountId: eg.opsId, checkId: 'x', name: 'db' })
  const tags = { tags: before.tags }
  const one: Waiting = {
    ...{ event: { ...event, ...tags }, why: 'flapping', until: null, sound: false },
    ...{ wasDown: false, changes: 1 },
  }
  const memory = { ...emptyMemory, waits: new Map([[event.subject, one]]) }
  const stateOf = (check: typeof before) =>
    eg.state({ boards: new Map([[eg.opsId, eg.board([check])]]) })
  const known = stateOf(before)
  expect(checksRead(known, known, memory, [], eg.now)).toEqual([])
  const found = checksRead(known, stateOf({ ...before, ...is }), memory, [], eg.now)
  expect(found.map(({ name }) => name)).toEqual(names)
})

describe('of checks about which something waits, what is news of a read', () => {
  const known = eg.check({ id: 'x', name: 'db', status: 'down' })
  const event = checkEvent({ accountId: eg.opsId, checkId: 'x', name: 'db' })
  const one: Waiting = { ...waiting(facts(start, start)), event }
  const memory = { ...emptyMemory, waits: new Map([[event.subject, one]]) }
  const stateOf = (checks: readonly Check[], change: Partial<Board> = {}) =>
    eg.state({ boards: new Map([[eg.opsId, eg.board(checks, change)]]) })
  const was = stateOf([known])
  const is = stateOf([{ ...known, name: 'mysql' }])
  const log = { lastPingAt: known.lastPingAt, started: false, startedAt: null, usualSeconds: null }
  const failed = { at: known.lastPingAt ?? 0, n: 1, line: 'disk full' }
  const logs = new Map([['x', { ...log, failure: failed }]])
  const unread = { freshness: { ...eg.fresh, readAt: null } }
  const again = new Map([['x', { upForMs: minute, readAt: eg.now }]])
  const past = checkEvent({ kind: 'missed', accountId: eg.opsId, checkId: 'x' })

  test.each<[string, AppState | null, AppState, readonly CheckEvent[], readonly string[]]>([
    ['a new name', was, is, [], ['mysql']],
    ['what no event says, beside a past outage', was, is, [past], ['mysql']],
    ['not what an event says', was, is, [event], []],
    ['nothing of a check that is gone', was, stateOf([]), [], []],
    ['nothing of an account that is gone', was, eg.state({ boards: new Map() }), [], []],
    ['nothing before the first read', null, stateOf([known], unread), [], []],
    ['all at the first read of a start', null, was, [], ['db']],
    ['all at the first read of an account', eg.state({ boards: new Map() }), was, [], ['db']],
    ['all at the first read, though it is as it was', stateOf([known], unread), was, [], ['db']],
    [
      'not what was so before, by the flips',
      was,
      stateOf([{ ...known, name: 'mysql' }], { missed: { ...nothingMissed, again } }),
      [],
      [],
    ],
    ['nothing where nothing changed', was, stateOf([known]), [], []],
    ['what its log says', was, stateOf([known], { logs }), [], ['db']],
  ])('is %s', (_what, before, after, events, names) => {
    const found = checksRead(before, after, memory, events, eg.now)
    expect(found.map(({ name }) => name)).toEqual(names)
  })

  test('is why and since when it is down, by the server’s clock', () => {
    const serverOffsetMs = 5 * minute
    const [found] = checksRead(was, stateOf([known], { logs, serverOffsetMs }), memory, [], eg.now)
    expect(found?.body).toMatchObject({
      since: known.since,
      cause: { kind: 'failed', line: 'disk full' },
      serverNow: eg.now + serverOffsetMs,
      offsetMs: serverOffsetMs,
    })
  })
})
