import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Ping, PingKind } from '../../../../src/shared/core/checks/ping.ts'
import {
  outputOf,
  type Run,
  runAt,
  runsOf,
  usualDuration,
} from '../../../../src/shared/core/checks/runs.ts'
import * as eg from '../../../support/eg.ts'

function ping(n: number, kind: PingKind, minutes: number, more: Partial<Ping> = {}): Ping {
  return eg.ping({ n, kind, at: eg.now + minutes * eg.minute, ...more })
}

/** A log as the service sends it, from pings in chronological order. */
const logged = (...pings: readonly Ping[]): readonly Ping[] => pings.toReversed()

/** "success 1-2 60 s": outcome, start and end by number, duration. */
function told(runs: readonly Run[]): string[] {
  return runs.map(({ outcome, start, end, logs, durationSeconds: time }) =>
    [
      outcome,
      `${start?.n ?? ''}-${end?.n ?? ''}`,
      ...(time === null ? [] : [`${time} s`]),
      ...logs.map(({ n }) => `log ${n}`),
    ].join(' '),
  )
}

const hours = 60

const signals = fc
  .array(
    fc.record({
      kind: fc.constantFrom<PingKind>('start', 'success', 'fail', 'log', 'ignored', 'unknown'),
      runId: fc.constantFrom(null, 'a', 'b'),
      /** Some at the same time, and some ends after the 72 hours within which they count. */
      afterMinutes: fc.constantFrom(0, 1, 5, 71 * hours, 72 * hours, 73 * hours),
      durationSeconds: fc.option(fc.constantFrom(0, 7.25), { nil: null, freq: 4 }),
    }),
    { maxLength: 14 },
  )
  .map((list) => {
    let minutes = 0
    return list.map(({ afterMinutes, kind, runId, durationSeconds }, index) => {
      minutes += afterMinutes
      const time = kind === 'success' || kind === 'fail' ? durationSeconds : null
      return ping(index + 1, kind, minutes, { runId, durationSeconds: time })
    })
  })

/** The runs by definition, found by searching all other signals for each one; oldest first. */
function oracle(pings: readonly Ping[], started: boolean): readonly string[] {
  const bounds = pings.filter(({ kind }) => ['start', 'success', 'fail'].includes(kind))
  const lastBefore = (one: Ping): Ping | undefined =>
    bounds.findLast((other) => other.n! < one.n! && other.runId === one.runId)
  const startOf = (end: Ping): Ping | undefined => {
    const before = lastBefore(end)
    const isIts = before?.kind === 'start' && end.at - before.at < 72 * 60 * eg.minute
    return (end.kind === 'success' || end.kind === 'fail') && isIts ? before : undefined
  }
  const isEnded = (start: Ping): boolean => bounds.some((end) => startOf(end) === start)
  /** Without an id, a log entry belongs to the run that is in progress when it comes. */
  const ownerOf = (log: Ping): Ping | undefined => {
    const before = lastBefore(log)
    const isIts = log.kind === 'log' && (log.runId !== null || before?.kind === 'start')
    return isIts ? before : undefined
  }
  const open = bounds.filter((one) => one.kind === 'start' && !isEnded(one))
  const listed = pings.filter(
    (one) => ownerOf(one) === undefined && (one.kind !== 'start' || open.includes(one)),
  )
  return listed.map((one) => {
    const start = one.kind === 'start' ? one : startOf(one)
    const end = one.kind === 'start' ? undefined : one
    const owned = pings.filter((log) => [start, end].some((it) => it && ownerOf(log) === it))
    const time = end?.durationSeconds ?? (start && end && (end.at - start.at) / 1000)
    const isCurrent = started && one === open.at(-1)
    return [
      end?.kind ?? (isCurrent ? 'running' : 'open'),
      `${start?.n ?? ''}-${end?.n ?? ''}`,
      ...(time === undefined ? [] : [`${time} s`]),
      ...owned.toReversed().map(({ n }) => `log ${n}`),
    ].join(' ')
  })
}

describe('the runs in a log', () => {
  test('are those of the oracle, whatever overlaps, is missing or comes late', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(signals, fc.boolean(), (pings, started) => {
        const runs = runsOf(logged(...pings), started)
        expect(told(runs)).toEqual(oracle(pings, started).toReversed())
        expect(new Set(runs.map(({ key }) => key)).size).toBe(runs.length)
        for (const run of told(runs)) seen.add(run.replace(/[\d.]+/g, '#'))
      }),
      { numRuns: 3_000 },
    )
    // Every shape occurred, so that each was tested.
    const shapes = ['success #-# # s', 'fail #-# # s log #', 'success -#', 'fail -# # s log #']
    const others = ['running #- log # log #', 'open #- log #', 'log -#', 'ignored -#', 'unknown -#']
    expect([...seen]).toEqual(expect.arrayContaining([...shapes, ...others]))
  })

  test('combine the start, the log entries and the end of a run', () => {
    const pings = logged(
      ping(1, 'start', 0),
      ping(2, 'log', 1),
      ping(3, 'success', 4),
      ping(4, 'log', 5),
      ping(5, 'ignored', 6),
    )
    expect(told(runsOf(pings, false))).toEqual(['ignored -5', 'log -4', 'success 1-3 240 s log 2'])
  })

  test('that overlap are told apart by their ids, and only the newest is in progress', () => {
    const pings = logged(
      ping(1, 'start', 0, { runId: 'a' }),
      ping(2, 'start', 1, { runId: 'b' }),
      ping(3, 'start', 2, { runId: 'c' }),
      ping(4, 'fail', 3, { runId: 'a' }),
    )
    expect(told(runsOf(pings, true))).toEqual(['fail 1-4 180 s', 'running 3-', 'open 2-'])
    expect(told(runsOf(pings, false))).toEqual(['fail 1-4 180 s', 'open 3-', 'open 2-'])
  })

  test('have the server’s own duration where it measured one', () => {
    const pings = logged(ping(1, 'start', 0), ping(2, 'success', 1, { durationSeconds: 59.6 }))
    expect(told(runsOf(pings, false))).toEqual(['success 1-2 59.6 s'])
  })

  test('keep their keys when they end and when older ones are forgotten', () => {
    const first = [ping(1, 'success', 0), ping(2, 'start', 1)]
    const later = [...first.slice(1), ping(3, 'fail', 9)]
    expect(runsOf(logged(...first), true).map(({ key }) => key)).toEqual(['2', '1'])
    expect(runsOf(logged(...later), false).map(({ key }) => key)).toEqual(['2'])
  })

  test('are dated at their end, and show the last output sent', () => {
    const body = { hasBody: true }
    const [run] = runsOf(
      logged(ping(1, 'start', 0, body), ping(2, 'log', 1, body), ping(3, 'fail', 2)),
      false,
    )
    expect(run && runAt(run)).toBe(eg.now + 2 * eg.minute)
    expect(run && outputOf(run)?.n).toBe(2)
    const [unnumbered] = runsOf([ping(1, 'success', 0, { ...body, n: null })], false)
    expect(unnumbered && outputOf(unnumbered)).toBeNull()
  })
})

test('the usual duration is that of successful runs, without outliers', () => {
  const runs = (times: readonly number[], kind: PingKind = 'success') =>
    runsOf(
      times.map((durationSeconds, at) => ping(at, kind, -at, { durationSeconds })),
      false,
    )
  expect(usualDuration(runs([4, 5]))).toBeNull()
  expect(usualDuration(runs([4, 5, 6], 'fail'))).toBeNull()
  expect(usualDuration(runs([900, 10, 11, 12, 13, 14, 15, 16, 17, 18, 0]))).toEqual({
    from: 10,
    median: 14,
    to: 18,
  })
})
