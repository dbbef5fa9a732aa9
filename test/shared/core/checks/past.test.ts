import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CheckStatus } from '#shared/core/checks/check.ts'
import type { Flip, HistoryEntry } from '#shared/core/checks/history.ts'
import {
  outageCountWords,
  outagesIn,
  type PastFacts,
  pastOf,
  pastToRecord,
} from '#shared/core/checks/past.ts'
import * as eg from '../../../support/eg.ts'

const { now, hour, minute } = eg

function entry(hoursAgo: number, kind: string, data: unknown): HistoryEntry {
  return { at: now - hoursAgo * hour, accountId: eg.opsId, subject: 'ops/x', kind, data }
}

const facts: PastFacts = {
  check: eg.check(),
  flips: null,
  pings: [],
  entries: [],
  offsetMs: 0,
  now,
  from: now - 90 * 24 * hour,
  knownUntil: now,
  watchedFrom: now - 48 * hour,
}

const up = (hoursAgo: number): Flip => ({ at: now - hoursAgo * hour, up: true })
const notUp = (hoursAgo: number): Flip => ({ at: now - hoursAgo * hour, up: false })
const went = (hoursAgo: number, from: CheckStatus, to: CheckStatus, more: object = {}) =>
  entry(hoursAgo, 'status', { from, to, ...more })

/** Each outage as "kind from-to", in hours ago, newest first. */
function outages(change: Partial<PastFacts>): string[] {
  return outagesIn({ ...facts, ...change }).map(
    ({ kind, from, to, isOver }) =>
      `${kind} ${(now - from) / hour}-${isOver ? (now - to) / hour : 'now'}`,
  )
}

describe('the outages of a check', () => {
  test('are those of its flips, as far as Belfry or the log saw that it was down', () => {
    const flips = [up(1), notUp(3), up(5), notUp(6), up(40)]
    expect(outages({ flips })).toEqual(['possible 3-1', 'possible 6-5'])
    expect(outages({ flips, entries: [went(2.9, 'up', 'down')] })[0]).toBe('down 3-1')
    const pings = [{ ...eg.ping(), kind: 'fail' as const, at: now - 6 * hour }]
    expect(outages({ flips, pings })).toEqual(['possible 3-1', 'down 6-5'])
  })

  test('are those that Belfry recorded where no flips were read', () => {
    const entries = [
      went(30, 'up', 'down', { since: now - 31 * hour }),
      went(28, 'down', 'up', { since: now - 29 * hour }),
      entry(20, 'outage', { from: now - 20 * hour, to: now - 19 * hour, state: 'down' }),
      entry(10, 'outage', { from: now - 10 * hour, to: now - 9 * hour, state: 'unsure' }),
      went(5, 'up', 'paused'),
      went(4, 'paused', 'up'),
      went(3, 'up', 'grace'),
      went(2, 'grace', 'up'),
    ]
    expect(outages({ entries })).toEqual(['possible 10-9', 'down 20-19', 'down 31-29'])
  })

  test('last until now, or until the check was last read', () => {
    const check = eg.check({ status: 'down', since: now - 2 * hour })
    expect(outages({ check })).toEqual(['down 2-now'])
    const flips = [notUp(2), up(30)]
    const stale = outagesIn({ ...facts, check, flips, knownUntil: now - hour })
    expect(stale).toMatchObject([{ to: now - hour, isOver: false }])
  })

  test('begin when they did, even if that was before Belfry watched', () => {
    const entries = [went(20, 'down', 'up', { was: now - 70 * hour })]
    expect(outages({ entries })).toEqual(['down 70-20'])
    expect(outages({ entries: [went(20, 'down', 'up')] })).toEqual([])
    expect(outages({ check: eg.check({ status: 'down', since: now - 70 * hour }) })).toEqual([
      'down 70-now',
    ])
  })

  test('say why, and who took them', () => {
    const cause = { kind: 'failed', at: now - 3 * hour, line: 'disk full' }
    const ack = { act: 'silence', how: 'acknowledge', by: 'Ana' }
    const own = { act: 'silence', how: 'acknowledge', by: null }
    const entries = [
      entry(40, 'act', { ...ack, by: 'Somebody else' }),
      went(3, 'up', 'down', { cause: { kind: 'unknown', lastAt: null } }),
      entry(2.9, 'cause', { cause }),
      entry(2.5, 'act', ack),
      entry(2.4, 'act', ack),
      entry(2.3, 'act', own),
      went(2, 'down', 'up'),
    ]
    expect(outagesIn({ ...facts, entries })).toMatchObject([{ cause, by: ['Ana', 'you'] }])
    const pings = [{ ...eg.ping(), kind: 'fail' as const, at: now - 3 * hour }]
    const read = { ...facts, flips: [up(2), notUp(3), up(40)], pings }
    expect(outagesIn(read)).toMatchObject([{ cause: { ...cause, line: null } }])
  })

  test('are not invented: damaged entries count for nothing', () => {
    const entries = [
      entry(9, 'status', null),
      entry(8, 'status', { from: 3, to: 'whatever' }),
      entry(7, 'outage', { from: 'x' }),
      entry(6, 'past', []),
      entry(5, 'cause', 'x'),
    ]
    expect(outages({ entries })).toEqual([])
    expect(pastOf({ ...facts, entries }).map(({ state }) => state)).toEqual(['unknown', 'up'])
  })

  test('are counted in words', () => {
    const [down, possible] = [{ kind: 'down' }, { kind: 'possible' }] as const
    expect(outageCountWords([])).toBe('0 outages')
    expect(outageCountWords([down])).toBe('1 outage')
    expect(outageCountWords([possible, possible])).toBe('2 possible outages')
    expect(outageCountWords([down, possible, down])).toBe('2 outages, 1 possible')
  })
})

/** A life of a check: how long each status lasted, in minutes, oldest first; ends up. */
const lives = fc
  .array(
    fc.record({
      upFor: fc.integer({ min: 2, max: 600 }),
      awayFor: fc.integer({ min: 2, max: 600 }),
      away: fc.constantFrom('down' as const, 'paused' as const),
      seenAfter: fc.integer({ min: 0, max: 59_000 }),
    }),
    { maxLength: 12 },
  )
  .map((spells) => {
    const total = spells.reduce((sum, { upFor, awayFor }) => sum + upFor + awayFor, 100)
    let at = now - total * minute
    const watchedFrom = at
    const flips: Flip[] = []
    const entries: HistoryEntry[] = []
    const see = (from: CheckStatus, to: CheckStatus, after: number, was: number | null) =>
      entries.push({
        ...entry(0, 'status', { from, to, since: at, was }),
        at: at + after,
      })
    for (const { upFor, awayFor, away, seenAfter } of spells) {
      at += upFor * minute
      flips.unshift({ at, up: false })
      see('up', away, seenAfter, null)
      const was = at
      at += awayFor * minute
      flips.unshift({ at, up: true })
      see(away, 'up', seenAfter, was)
    }
    return { flips, entries, watchedFrom }
  })

describe('one number for one thing', () => {
  test('the flips and what was recorded give the same outages', () => {
    fc.assert(
      fc.property(
        lives,
        fc.integer({ min: -90, max: 90 }),
        ({ flips, entries, watchedFrom }, s) => {
          const offsetMs = s * 1_000
          const theirs = flips.map((flip) => ({ ...flip, at: flip.at + offsetMs }))
          const both = { ...facts, offsetMs, entries, watchedFrom }
          expect(outagesIn({ ...both, flips: theirs })).toEqual(outagesIn(both))
          expect(outagesIn(both)).toHaveLength(
            entries.filter(({ data }) => (data as { to: string }).to === 'down').length,
          )
        },
      ),
    )
  })

  test('what was read is recorded once, and tells the same afterwards', () => {
    fc.assert(
      fc.property(lives, ({ flips, entries }) => {
        const pings = entries
          .filter(({ data }) => (data as { to: string }).to === 'down')
          .slice(0, 2)
          .map(({ data }) => ({
            ...eg.ping(),
            kind: 'fail' as const,
            at: (data as { since: number }).since,
          }))
        // Connected just now: nothing was recorded.
        const read = { ...facts, flips, pings, watchedFrom: now }
        const record = pastToRecord(read)
        const known = [{ ...entry(0, 'past', record), at: now }]
        const plain = (all: readonly object[]) => all.map((one) => ({ ...one, cause: null }))
        const told = plain(outagesIn(read))
        expect(plain(outagesIn({ ...facts, entries: known, watchedFrom: now }))).toEqual(told)
        // The log is gone by then.
        const again = { ...read, pings: [], entries: known }
        expect(plain(outagesIn(again))).toEqual(told)
        expect(pastToRecord(again)).toBeNull()
        expect(record).not.toBeNull()
      }),
    )
  })

  test('what comes after a past that was read is added to it', () => {
    const read = { ...facts, flips: [up(50), notUp(60), up(99)], now: now - 40 * hour }
    const record = pastToRecord({ ...read, knownUntil: read.now, watchedFrom: read.now })
    const entries = [
      entry(40, 'past', record),
      went(3, 'up', 'down', { since: now - 4 * hour }),
      went(2, 'down', 'up', { since: now - 2 * hour }),
    ]
    expect(outages({ entries })).toEqual(['down 4-2', 'possible 60-50'])
  })
})
