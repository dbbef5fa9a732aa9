import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PendingLookup } from '../../../../src/shared/core/checks/board.ts'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import { type Evidence, outagesIn } from '../../../../src/shared/core/checks/flip-evidence.ts'
import type { Flip } from '../../../../src/shared/core/checks/history.ts'
import { readAtOf } from '../../../../src/shared/core/checks/missed-flips.ts'
import type { Ping, PingKind } from '../../../../src/shared/core/checks/ping.ts'
import {
  deadlineOf,
  mayHideOutage,
  snapshotOf,
} from '../../../../src/shared/core/checks/unseen-flips.ts'
import { withClockSet } from '../../../../src/shared/core/state.ts'
import * as eg from '../../../support/eg.ts'

const { now, minute, hour } = eg

/** Up, pinged 10 minutes ago, expected every hour with 10 minutes of grace. */
const known = eg.check({ pingCount: 10 })
const read = (change: Partial<Check>): Check => ({ ...known, ...change })
const pinged = { lastPingAt: now - 5_000, pingCount: 11 }
const cron = { kind: 'cron', expression: '0 3 * * *', zone: 'Europe/Berlin' } as const
const calendar = { kind: 'onCalendar', expression: '*-*-* 03:00', zone: 'UTC' } as const
const down = read({ status: 'down', nextPingAt: null })

describe('a check between two reads a minute apart', () => {
  test.each<[string, Check, Check, 'asks' | 'asks not']>([
    ['that did not change', known, read({}), 'asks not'],
    ['pinged once in time', known, read(pinged), 'asks not'],
    ['with only a start', known, read({ pingCount: 11, started: true }), 'asks not'],
    [
      'pinged twice, an hour apart by its schedule',
      known,
      read({ ...pinged, pingCount: 12 }),
      'asks',
    ],
    [
      'with a daily cron schedule, pinged twice',
      read({ schedule: cron, nextPingAt: now - minute }),
      read({ ...pinged, pingCount: 12, schedule: cron }),
      'asks',
    ],
    [
      'with a calendar schedule, pinged twice when it was due',
      read({ schedule: calendar, nextPingAt: now - minute }),
      read({ ...pinged, pingCount: 12, schedule: calendar }),
      'asks',
    ],
    [
      'that measures its runs, pinged twice',
      known,
      read({ ...pinged, pingCount: 12, lastDurationSeconds: 3 }),
      'asks not',
    ],
    [
      'whose run took longer than its grace',
      known,
      read({ ...pinged, pingCount: 12, lastDurationSeconds: 600 }),
      'asks',
    ],
    ['pinged after its deadline', read({ nextPingAt: now - 20 * minute }), read(pinged), 'asks'],
    ['with another schedule, pinged once', known, read({ ...pinged, graceSeconds: 60 }), 'asks'],
    ['that was late and is up now', read({ status: 'grace' }), read(pinged), 'asks not'],
    ['that went down', known, read({ ...pinged, status: 'down' }), 'asks not'],
    [
      'that went down with three pings',
      known,
      read({ ...pinged, status: 'down', pingCount: 13 }),
      'asks',
    ],
    ['that was paused', known, read({ status: 'paused' }), 'asks not'],
    ['paused after a ping', known, read({ ...pinged, status: 'paused' }), 'asks'],
    [
      'paused after its deadline',
      read({ nextPingAt: now - 20 * minute }),
      read({ status: 'paused' }),
      'asks',
    ],
    ['that was resumed', known, read({ status: 'new', lastPingAt: null }), 'asks not'],
    [
      'down, failing once more',
      down,
      read({ ...pinged, status: 'down', nextPingAt: null }),
      'asks not',
    ],
    [
      'down, with a success and a failure or two of one kind',
      down,
      read({ ...pinged, pingCount: 12, status: 'down', nextPingAt: null }),
      'asks',
    ],
    [
      'down, and up again with a failure before that',
      down,
      read({ ...pinged, pingCount: 12 }),
      'asks',
    ],
    [
      'down, pinged and down again by its deadline',
      down,
      read({
        status: 'down',
        nextPingAt: now - 15 * minute,
        lastPingAt: now - 75 * minute,
        pingCount: 11,
      }),
      'asks',
    ],
  ])('%s', (_what, old, after, asks) => {
    const at = now - minute
    expect(mayHideOutage(snapshotOf(old, at), after, now) ? 'asks' : 'asks not').toBe(asks)
  })
})

const flip = (at: number, up: boolean): Flip => ({ at: Math.floor(at / 1000) * 1000, up })
const ping = (at: number, kind: PingKind): Ping => ({
  n: 1,
  kind,
  rawKind: kind,
  at,
  scheme: 'https',
  remoteAddress: null,
  method: 'POST',
  userAgent: '',
  runId: null,
  hasBody: false,
  durationSeconds: null,
})
const entry: PendingLookup = {
  ...snapshotOf(read({ lastPingAt: now - 3 * hour, nextPingAt: now - 2 * hour }), now - 3 * hour),
  owedAt: now,
  seenDown: [],
  notifiedUpTo: null,
}
const evidence = (change: Partial<Evidence>): Evidence => ({
  entry,
  check: read(pinged),
  at: now,
  flips: [],
  pings: null,
  ...change,
})
const outages = (change: Partial<Evidence>) => outagesIn(evidence(change)).outages
const kinds = (change: Partial<Evidence>) => outages(change).map(({ kind }) => kind)

describe('the flips of a window', () => {
  const at = now - hour
  const failed = [ping(at - hour, 'success'), ping(at, 'fail'), ping(at + minute, 'success')]
  const flips = [flip(at + minute, true), flip(at, false)]

  test('with a failure and a success are an outage', () => {
    expect(outages({ flips, pings: failed })).toEqual([
      { checkId: known.id, from: flips[1]!.at, to: flips[0]!.at, kind: 'down' },
    ])
  })

  test('with a flip at the deadline are an outage, without asking for pings', () => {
    const deadline = deadlineOf(read({ nextPingAt: now - 2 * hour }))!
    expect(kinds({ flips: [flip(deadline + minute, true), flip(deadline, false)] })).toEqual([
      'down',
    ])
  })

  test('with a deadline that passed after a later ping are an outage', () => {
    const late = [ping(at - 70 * minute, 'success'), ping(at + minute, 'success')]
    expect(kinds({ flips, pings: late })).toEqual(['down'])
  })

  test('with a start that ran past its grace time are an outage', () => {
    const ran = [
      ping(at - 30 * minute, 'success'),
      ping(at - 10 * minute, 'start'),
      ping(at + minute, 'success'),
    ]
    expect(kinds({ flips, pings: ran })).toEqual(['down'])
  })

  test('with nothing in the log at that moment are a pause', () => {
    const calm = [ping(at - 5 * minute, 'success'), ping(at + minute, 'success')]
    expect(kinds({ flips, pings: calm })).toEqual([])
    expect(kinds({ flips: [flip(at + 30_000, false), ...flips], pings: calm })).toEqual([])
  })

  test('that no log explains are not called an outage', () => {
    expect(kinds({ flips })).toEqual(['unsure'])
    expect(kinds({ flips, pings: [ping(at + minute, 'success')] })).toEqual(['unsure'])
  })

  test('that were notified, are older or newer, or have no end, are no outage', () => {
    const seen = { at: at + 10_000, lastPingAt: at }
    expect(kinds({ flips, pings: failed, entry: { ...entry, seenDown: [seen] } })).toEqual([])
    expect(kinds({ flips, pings: failed, entry: { ...entry, lastPingAt: now - minute } })).toEqual(
      [],
    )
    expect(kinds({ flips, pings: failed, check: read({ lastPingAt: at - minute }) })).toEqual([])
    expect(kinds({ flips: [flip(at, false)], pings: failed })).toEqual([])
  })

  test('of a check that was down, recovered and went down again are a new outage', () => {
    const before = { ...entry, status: 'down', lastPingAt: at - hour } as const
    const seenDown = [{ at: entry.at, lastPingAt: before.lastPingAt }]
    const again = [flip(at + minute, false), flip(at, true), flip(at - 2 * hour, false)]
    const check = read({ status: 'down', lastPingAt: at + minute, nextPingAt: null })
    expect(
      outagesIn(evidence({ entry: { ...before, seenDown }, check, flips: again })),
    ).toMatchObject({
      outages: [],
      again: { upAt: again[1]!.at, downAt: again[0]!.at },
    })
    const still = again.slice(2)
    expect(
      outagesIn(evidence({ entry: { ...before, seenDown }, check, flips: still })),
    ).toMatchObject({
      outages: [],
      again: null,
    })
  })

  test('of a check that was down and then paused are an outage', () => {
    const paused = [flip(at + minute, false), flip(at, false)]
    const check = read({ status: 'paused', lastPingAt: at })
    expect(outages({ flips: paused, pings: failed, check })).toEqual([
      { checkId: known.id, from: paused[1]!.at, to: paused[0]!.at, kind: 'down' },
    ])
    expect(outages({ flips: paused.slice(0, 1), pings: failed.slice(0, 1), check })).toEqual([])
  })

  describe('in the same second as a read', () => {
    const second = at - (at % 1_000)
    const [failure, success] = [flip(second, false), flip(second, true)]
    const looked = (
      status: 'up' | 'down',
      lastPingAt: number,
      notifiedUpTo: number | null,
    ): PendingLookup => {
      const look = { at: second + 900, lastPingAt }
      return { ...entry, ...look, notifiedUpTo, status, seenDown: status === 'down' ? [look] : [] }
    }
    const found = (old: PendingLookup, check: Check, ...inOrder: Flip[]) =>
      outagesIn(evidence({ entry: old, check, at: now, flips: inOrder.toReversed() }))

    test('do not end or repeat what the read saw, when a success follows', () => {
      const seen = { at: second + 900, lastPingAt: second }
      const check = read({ status: 'down', lastPingAt: second, nextPingAt: null })
      const before = { ...entry, seenDown: [seen] }
      const flips = [success, failure, flip(second - minute, true), flip(second - hour, false)]
      const finding = outagesIn(evidence({ entry: before, check, at: seen.at, flips }))
      expect(finding.outages.map(({ from }) => from)).toEqual([second - hour])
      expect(finding.again).toBeNull()
    })

    test('are one further outage, whichever of the two the read saw', () => {
      const { outages: missed } = found(
        looked('down', second, second),
        read({ lastPingAt: second + 1_000 }),
        ...[failure, success, failure, flip(second + 1_000, true)],
      )
      expect(missed).toHaveLength(1)
    })

    test('are not found again if read before, but are if they came later', () => {
      const flips = [failure, success, failure, success]
      const check = read({ lastPingAt: second })
      expect(found(looked('up', second - hour, null), check, ...flips)).toMatchObject({
        outages: [{}, {}],
        read: second + 2,
      })
      expect(found(looked('up', second, second + 1), check, ...flips).outages).toHaveLength(1)
      expect(found(looked('up', second, second + 2), check, ...flips).outages).toEqual([])
    })
  })

  test('never overlap', () => {
    const anyFlips = fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 600 }).map((s) => now - s * 1000),
        up: fc.boolean(),
      }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(anyFlips, (some) => {
        const found = outages({ flips: some.toSorted((one, other) => other.at - one.at) })
        for (const [n, one] of found.entries()) {
          expect(one.from).toBeLessThanOrEqual(one.to)
          expect(one.from).toBeGreaterThanOrEqual(found[n - 1]?.to ?? 0)
        }
      }),
      { seed: 4, numRuns: 500 },
    )
  })
})

test.each([
  ['back', -eg.day],
  ['forward', eg.day],
])('a clock that is set %s doesn’t change when the server was read last', (_how, ms) => {
  const board = eg.board([eg.check()])
  const after = withClockSet({ ...eg.state(), boards: new Map([[eg.opsId, board]]) }, ms)
  expect([...after.boards.values()].map(readAtOf)).toEqual([readAtOf(board)])
})
