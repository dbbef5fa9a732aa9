import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CheckStatus } from '../../../../src/shared/core/checks/check.ts'
import type { Flip } from '../../../../src/shared/core/checks/history.ts'
import {
  flipStrip,
  outagesOf,
  type PastPart,
  type PastRange,
  type PastState,
  partsBetween,
} from '../../../../src/shared/core/checks/past-parts.ts'
import type { Ping, PingKind } from '../../../../src/shared/core/checks/ping.ts'
import {
  shareWords,
  stripWords,
  type UptimeUnit,
  uptimeBy,
} from '../../../../src/shared/core/views/flip-strip.ts'
import * as eg from '../../../support/eg.ts'

const { now, hour } = eg

const plan = { schedule: { kind: 'period', periodSeconds: 3_600 }, graceSeconds: 600 } as const

/** Each part as "state hours", oldest first. */
function strip(
  status: CheckStatus,
  flips: readonly Flip[],
  {
    since = null,
    staleHours = 0,
    seen = [],
    pings = [],
  }: Pick<PastRange, 'seen' | 'pings'> & { since?: number | null; staleHours?: number } = {},
): string[] {
  const range = { now, spanMs: 24 * hour, knownUntil: now - staleHours * hour, seen, pings }
  return flipStrip({ ...plan, status, since }, flips, range).map(
    ({ from, to, state }) => `${state} ${(to - from) / hour}`,
  )
}

const up = (hoursAgo: number): Flip => ({ at: now - hoursAgo * hour, up: true })
const notUp = (hoursAgo: number): Flip => ({ at: now - hoursAgo * hour, up: false })

describe('the strip of past statuses', () => {
  test('shows the current status throughout if nothing ever changed', () => {
    expect(strip('up', [])).toEqual(['up 24'])
    expect(strip('grace', [])).toEqual(['up 24'])
    expect(strip('paused', [])).toEqual(['paused 24'])
  })

  test('shows as down what Belfry itself saw as down', () => {
    const seen = [{ at: now - 11 * hour, to: 'down' } as const]
    expect(strip('up', [up(10), notUp(12), up(90)], { seen })).toEqual(['up 12', 'down 2', 'up 10'])
  })

  test('shows as down what the log proves: a failure, a missed ping, a run that took too long', () => {
    const ping = (kind: PingKind, at: number): Ping => ({ ...eg.ping(), kind, at })
    const back = [up(10), notUp(12), up(90)]
    const went = now - 12 * hour
    const shown = (...pings: readonly Ping[]) => strip('up', back, { pings })[1]
    expect(shown(ping('fail', went + 400))).toBe('down 2')
    expect(shown(ping('success', went - 70 * eg.minute))).toBe('down 2')
    expect(shown(ping('start', went - 10 * eg.minute))).toBe('down 2')
    expect(shown(ping('fail', went + 5_000), ping('success', went - hour))).toBe('unsure 2')
    expect(shown()).toBe('unsure 2')
  })

  test('knows nothing of a new check before it was first seen', () => {
    expect(strip('new', [])).toEqual(['unknown 24'])
    expect(strip('new', [], { since: now - 2 * hour })).toEqual(['unknown 22', 'new 2'])
    expect(strip('new', [notUp(1), up(30)])).toEqual(['up 23', 'new 1'])
  })

  test('was paused before it was resumed, which made it new', () => {
    const flips = [notUp(1), notUp(5), up(30)]
    expect(strip('new', flips)).toEqual(['up 19', 'paused 4', 'new 1'])
    expect(strip('paused', flips)).toEqual(['up 19', 'unsure 4', 'paused 1'])
  })

  test('uses the current status only for the last stretch: flips do not tell down from paused', () => {
    expect(strip('down', [notUp(2), up(10), notUp(12), up(90)])).toEqual([
      'up 12',
      'unsure 2',
      'up 8',
      'down 2',
    ])
  })

  test('knows nothing before the oldest flip', () => {
    expect(strip('up', [up(6)])).toEqual(['unknown 18', 'up 6'])
  })

  test('joins two consecutive flips away from up into one stretch', () => {
    expect(strip('up', [up(1), notUp(3), notUp(5), up(50)])).toEqual(['up 19', 'unsure 4', 'up 1'])
  })

  test('shows a check as down before the server has written the flip', () => {
    expect(strip('down', [up(50)], { since: now - hour })).toEqual(['up 23', 'down 1'])
  })

  test('goes by the order of flips where one is dated before the one that preceded it', () => {
    const flips = [up(1), notUp(3), up(2), notUp(10), up(50)]
    expect(strip('up', flips)).toEqual(['up 14', 'unsure 9', 'up 1'])
  })

  test('shows the time since the last read as unknown', () => {
    expect(strip('up', [up(50)], { staleHours: 3 })).toEqual(['up 21', 'unknown 3'])
  })

  test('is described in words, the longest stretch first', () => {
    const range = { now, spanMs: 24 * hour, knownUntil: now }
    const parts = flipStrip({ ...plan, status: 'down', since: null }, [notUp(2), up(50)], range)
    expect(stripWords(parts)).toBe('up 22 h · down 2 h')
  })
})

const states: readonly PastState[] = ['up', 'down', 'paused', 'new', 'unsure', 'unknown']
/** A past of whole minutes in which consecutive parts differ; spans a change of the clocks. */
const pasts = fc
  .tuple(
    fc.integer({ min: 0, max: 50 * 24 * 60 }),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 20 * 24 * 60 }), fc.constantFrom(...states)), {
      minLength: 1,
      maxLength: 12,
    }),
  )
  .map(([begin, list]) => {
    const parts: PastPart[] = []
    let from = Date.UTC(2026, 1, 1) + begin * eg.minute
    for (const [minutes, state] of list) {
      if (parts.at(-1)?.state === state) continue
      parts.push({ from, to: from + minutes * eg.minute, state })
      from += minutes * eg.minute
    }
    return parts
  })

function isOnWallClock(unit: UptimeUnit, { from, to }: { from: number; to: number }): boolean {
  const [begins, ends] = [new Date(from), new Date(to)]
  const isMidnight = [begins, ends].every((date) => date.getHours() + date.getMinutes() === 0)
  const days = Math.round((to - from) / (24 * hour))
  const isWhole = {
    day: days === 1,
    week: days === 7 && begins.getDay() === 1,
    month: begins.getDate() === 1 && ends.getDate() === 1 && days <= 31,
  }
  return isMidnight && isWhole[unit]
}

describe('the uptime', () => {
  test('by day, week or month covers each minute of the past once, by the wall clock', () => {
    fc.assert(
      fc.property(pasts, fc.constantFrom('day', 'week', 'month'), (parts, unit) => {
        const periods = uptimeBy(unit, parts, [])
        const first = parts.find(({ state }) => state !== 'unknown')
        fc.pre(first !== undefined)
        expect(periods.filter((period) => !isOnWallClock(unit, period))).toEqual([])
        expect(periods.slice(1).map(({ to }) => to)).toEqual(
          periods.slice(0, -1).map(({ from }) => from),
        )
        expect(periods.at(-1)!.from).toBeLessThanOrEqual(first.from)
        expect(periods[0]!.to).toBeGreaterThanOrEqual(parts.at(-1)!.to)
        const sum = (...of: readonly PastState[]) =>
          parts
            .filter(({ from, state }) => from >= first.from && of.includes(state))
            .reduce((ms, part) => ms + part.to - part.from, 0)
        const total = (name: 'upMs' | 'downMs' | 'unknownMs') =>
          periods.reduce((ms, period) => ms + period[name], 0)
        expect(total('upMs')).toBe(sum('up'))
        expect(total('downMs')).toBe(sum('down'))
        expect(total('unknownMs')).toBe(sum('unknown', 'unsure'))
      }),
    )
  })

  test('is never rounded up to 100%, and is unknown if nothing is known', () => {
    expect(shareWords({ upMs: 1e9, downMs: 1 })).toBe('99.99%')
    expect(shareWords({ upMs: 1, downMs: 0 })).toBe('100%')
    expect(shareWords({ upMs: 0, downMs: 5 })).toBe('0%')
    expect(shareWords({ upMs: 0, downMs: 0 })).toBe('unknown')
  })

  test('is drawn for any range, each minute of it once', () => {
    fc.assert(
      fc.property(pasts, fc.nat(99), fc.nat(99), (parts, a, b) => {
        const [begin, end] = [parts[0]!.from, parts.at(-1)!.to]
        const at = (share: number) => begin + ((end - begin) * share) / 99
        const [from, to] = [at(Math.min(a, b)), at(Math.max(a, b))]
        const cut = partsBetween(parts, from, to)
        expect(cut.reduce((ms, part) => ms + part.to - part.from, 0)).toBeCloseTo(to - from, 3)
        for (const { from: moment, state } of cut)
          expect(parts.find((part) => moment >= part.from && moment < part.to)?.state).toBe(state)
      }),
    )
  })
})

test('outages are the times it was or may have been down, newest first', () => {
  const parts = (['up', 'down', 'unsure', 'up', 'paused', 'unsure', 'unknown'] as const).map(
    (state, at): PastPart => ({ from: at, to: at + 1, state }),
  )
  expect(outagesOf(parts)).toEqual([
    { from: 5, to: 6, state: 'unsure' },
    { from: 1, to: 3, state: 'down' },
  ])
})
