import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import type { Flip } from '../../../../src/shared/core/checks/history.ts'
import {
  deadlineOf,
  type Evidence,
  mayHaveFlipped,
  outagesIn,
} from '../../../../src/shared/core/checks/missed-flips.ts'
import type { Ping, PingKind } from '../../../../src/shared/core/checks/ping.ts'
import * as eg from '../../../support/eg.ts'

const { now, minute, hour } = eg
const from = now - minute
const between = { from, to: now, isGap: false }

/** Up, pinged 10 minutes ago, expected every hour with 10 minutes of grace. */
const known = eg.check({ pingCount: 10 })
const read = (change: Partial<Check>): Check => ({ ...known, ...change })
const pinged = { lastPingAt: now - 5_000, pingCount: 11 }

describe('a check between two reads', () => {
  test.each<[string, Check, Check, boolean, boolean]>([
    ['that did not change', known, read({}), true, false],
    ['pinged once in time', known, read(pinged), false, false],
    ['pinged once in time, over a gap', known, read(pinged), true, false],
    [
      'pinged twice, an hour apart by its schedule',
      known,
      read({ ...pinged, pingCount: 12 }),
      false,
      true,
    ],
    [
      'that measures its runs, pinged twice',
      known,
      read({ ...pinged, pingCount: 12, lastDurationSeconds: 3 }),
      false,
      false,
    ],
    [
      'pinged twice over a gap',
      known,
      read({ ...pinged, pingCount: 12, lastDurationSeconds: 3 }),
      true,
      true,
    ],
    [
      'pinged after its deadline',
      read({ nextPingAt: now - 20 * minute }),
      read(pinged),
      false,
      true,
    ],
    [
      'pinged after the deadline of its cron line',
      read({
        schedule: { kind: 'cron', expression: '* * * * *', zone: 'UTC' },
        nextPingAt: now - 11 * minute,
      }),
      read(pinged),
      false,
      true,
    ],
    ['late before and well now', read({ status: 'grace' }), read(pinged), false, false],
    ['that went down', known, read({ ...pinged, status: 'down', pingCount: 15 }), true, false],
    [
      'that was paused',
      read({ status: 'paused' }),
      read({ ...pinged, pingCount: 15 }),
      true,
      false,
    ],
    ['that was resumed', known, read({ status: 'new', lastPingAt: null }), true, false],
    [
      'down, failing once more',
      read({ status: 'down', nextPingAt: null }),
      read({ ...pinged, status: 'down', nextPingAt: null }),
      false,
      false,
    ],
    [
      'down, pinged and down again by its deadline',
      read({ status: 'down', nextPingAt: null }),
      read({
        status: 'down',
        nextPingAt: now - 15 * minute,
        lastPingAt: now - 75 * minute,
        pingCount: 11,
      }),
      true,
      true,
    ],
  ])(
    '%s is asked about only when something may have happened',
    (_what, old, read, isGap, asked) => {
      expect(mayHaveFlipped(old, read, { ...between, isGap })).toBe(asked)
    },
  )

  test('of which nothing is remembered is asked about when it was pinged since', () => {
    expect(mayHaveFlipped(null, read({ lastPingAt: from + 1 }), between)).toBe(true)
    expect(mayHaveFlipped(null, read({ lastPingAt: from - hour }), between)).toBe(false)
    expect(mayHaveFlipped(null, read({ status: 'down', lastPingAt: now }), between)).toBe(false)
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
const evidence = (change: Partial<Evidence>): Evidence => ({
  before: known,
  after: read(pinged),
  from: now - 3 * hour,
  to: now,
  told: null,
  flips: [],
  pings: null,
  ...change,
})
const kinds = (change: Partial<Evidence>) => outagesIn(evidence(change)).map(({ kind }) => kind)

describe('the flips of a window', () => {
  const at = now - hour
  const failed = [ping(at - hour, 'success'), ping(at, 'fail'), ping(at + minute, 'success')]
  const flips = [flip(at + minute, true), flip(at, false)]

  test('with a failure and a success are an outage', () => {
    expect(outagesIn(evidence({ flips, pings: failed }))).toEqual([
      { checkId: known.id, from: flips[1]!.at, to: flips[0]!.at, kind: 'down' },
    ])
  })

  test('with a flip at the deadline are an outage without asking for pings', () => {
    const deadline = deadlineOf(known)!
    const window = { from: deadline - hour, to: deadline + hour }
    expect(
      kinds({ ...window, flips: [flip(deadline, false), flip(deadline + minute, true)] }),
    ).toEqual(['down'])
  })

  test('with a deadline that passed after a later ping are an outage', () => {
    const late = [ping(at - 70 * minute, 'success'), ping(at + minute, 'success')]
    expect(kinds({ flips, pings: late })).toEqual(['down'])
  })

  test('with a start that ran beyond its grace are an outage', () => {
    const ran = [
      ping(at - 30 * minute, 'success'),
      ping(at - 10 * minute, 'start'),
      ping(at + minute, 'success'),
    ]
    expect(kinds({ flips, pings: ran })).toEqual(['down'])
  })

  test('with nothing in the log at that moment were a pause', () => {
    const calm = [ping(at - 5 * minute, 'success'), ping(at + minute, 'success')]
    expect(kinds({ flips, pings: calm })).toEqual([])
    expect(kinds({ flips: [flip(at + 30_000, false), ...flips], pings: calm })).toEqual([])
  })

  test('that no log explains are not called an outage', () => {
    expect(kinds({ flips })).toEqual(['unsure'])
    expect(kinds({ flips, pings: [ping(at + minute, 'success')] })).toEqual(['unsure'])
  })

  test('that were told, are older or newer, or do not end, are none', () => {
    expect(kinds({ flips, pings: failed, told: flips[0]!.at })).toEqual([])
    expect(kinds({ flips, pings: failed, from: now - minute })).toEqual([])
    expect(kinds({ flips, pings: failed, to: now - 2 * hour })).toEqual([])
    expect(kinds({ flips: [flip(at, false)], pings: failed })).toEqual([])
  })

  test('tell the same in any order and however often, and never overlap', () => {
    const anyFlips = fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 600 }).map((s) => now - s * 1000),
        up: fc.boolean(),
      }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(anyFlips, (some) => {
        const doubled = [...some, ...some].sort((one, other) => Number(one.up) - Number(other.up))
        const found = outagesIn(evidence({ flips: some }))
        expect(outagesIn(evidence({ flips: doubled }))).toEqual(found)
        expect(outagesIn(evidence({ flips: [...some].reverse() }))).toEqual(found)
        for (const [n, one] of found.entries()) {
          expect(one.from).toBeLessThanOrEqual(one.to)
          expect(one.from).toBeGreaterThanOrEqual(found[n - 1]?.to ?? 0)
        }
        // Told up to its last end, nothing of it is told again, whatever came before.
        const told = found.at(-1)?.to ?? null
        if (told !== null) expect(outagesIn(evidence({ flips: some, told }))).toEqual([])
      }),
      { seed: 4, numRuns: 500 },
    )
  })
})
