import { describe, expect, test } from 'vitest'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import {
  goesDownAt,
  longSentence,
  runningSince,
  statusSentence,
} from '../../../../src/shared/core/checks/check-words.ts'
import { atClockWords, clockWords } from '../../../../src/shared/core/time.ts'
import * as eg from '../../../support/eg.ts'

const { now, minute, hour, day } = eg

describe('the sentence of a row', () => {
  const started = { started: true, nextPingAt: now - 7 * minute }
  const cases: readonly [string, Partial<Check>][] = [
    ['down for 2 h 13 min', { status: 'down' }],
    ['down', { status: 'down', since: null }],
    ['down', { status: 'down', since: now + minute }],
    ['down for 2 h 13 min, running', { status: 'down', started: true }],
    ['late, goes down in 8 min', { status: 'grace' }],
    ['late, about to go down', { status: 'grace', nextPingAt: now - hour }],
    ['late, running, goes down in 3 min', { status: 'grace', ...started }],
    ['next in 50 min', { status: 'up' }],
    ['running 7 min', { status: 'up', ...started }],
    ['expected 2 min ago', { status: 'up', nextPingAt: now - 2 * minute }],
    ['up, nothing else scheduled', { status: 'up', nextPingAt: null }],
    ['paused', { status: 'paused' }],
    ['paused, running 7 min', { status: 'paused', ...started }],
    ['new: waiting for the first ping', { status: 'new' }],
    ['new: waiting for the next ping', { status: 'new', pingCount: 9 }],
    ['status “snoozed”', { status: 'unknown', rawStatus: 'snoozed' }],
    ['running 7 min', { status: 'unknown', rawStatus: 'started', ...started }],
  ]

  test.each(cases)('is "%s"', (sentence, change) => {
    expect(statusSentence(eg.check(change), now)).toBe(sentence)
  })

  test('claims of no ping that was due since only the counts are known that it did not come', () => {
    const due = eg.check({ status: 'up', nextPingAt: now - 5 * minute, graceSeconds: 60 })
    const readAt = now - 10 * minute
    const words = `up by the counts, was due ${atClockWords(now - 5 * minute, now)}`
    expect(statusSentence(due, now, readAt)).toBe(words)
    expect(longSentence(due, now, undefined, readAt)).toBe(`U${words.slice(1)}.`)
    expect(statusSentence(due, now, now - minute)).toBe('expected 5 min ago')
    expect(statusSentence({ ...due, nextPingAt: now + 50 * minute }, now, readAt)).toBe(
      'next in 50 min',
    )
  })

  test('cuts an unknown status that is very long', () => {
    const check = eg.check({ status: 'unknown', rawStatus: 'x'.repeat(500) })
    expect(statusSentence(check, now).length).toBeLessThan(60)
  })
})

describe('the deadline', () => {
  test('is next_ping plus grace, also when late or running', () => {
    const check = eg.check({ nextPingAt: now })
    expect(goesDownAt(check)).toBe(now + 10 * minute)
    expect(goesDownAt({ ...check, status: 'grace' })).toBe(now + 10 * minute)
  })

  test('is null for a check that is down, paused, new or without a next ping', () => {
    const check = eg.check({ nextPingAt: now })
    for (const status of ['down', 'paused', 'new'] as const)
      expect([status, goesDownAt({ ...check, status })]).toEqual([status, null])
    expect(goesDownAt({ ...check, nextPingAt: null })).toBeNull()
  })

  test('exists for a paused check whose start is pending', () => {
    const check = eg.check({ status: 'paused', started: true, nextPingAt: now })
    expect(goesDownAt(check)).toBe(now + 10 * minute)
  })
})

describe('the start of a run', () => {
  test('is null if next_ping may be the expected time', () => {
    const check = eg.check({ started: true, nextPingAt: now - minute })
    expect(runningSince(check, now)).toBe(now - minute)
    expect(runningSince({ ...check, status: 'grace' }, now)).toBeNull()
    expect(runningSince({ ...check, nextPingAt: now + minute }, now)).toBeNull()
  })
})

describe('the sentences on the page of a check', () => {
  const long = (change: Partial<Check>) => longSentence(eg.check(change), now, 'UTC')

  test('leave it to the cause why a check is down', () => {
    expect(long({ status: 'down' })).toBe('Down for 2 h 13 min.')
  })

  test('say what will happen next', () => {
    expect(long({ status: 'up' })).toBe(
      'Next in 50 min. The last ping came at 14:15. It goes down at 15:25 unless a ping arrives.',
    )
    expect(long({ status: 'up', started: true, nextPingAt: now - 4 * minute })).toBe(
      'Running 4 min. The last ping came at 14:15. It goes down at 14:31 unless the run ends by then.',
    )
    expect(long({ status: 'grace' })).toBe('Late, goes down in 8 min. The grace period is 10 min.')
  })

  test('never say that a resumed check was never pinged', () => {
    expect(long({ status: 'new' })).toContain('never been pinged')
    expect(long({ status: 'new', pingCount: 3 })).toBe(
      'New: waiting for the next ping. Nothing is expected until a ping arrives.',
    )
  })

  test('say what ends a pause', () => {
    expect(long({ status: 'paused', lastPingAt: null })).toBe(
      'Paused. The next ping ends the pause.',
    )
    expect(long({ status: 'paused', lastPingAt: null, manualResume: true })).toBe(
      'Paused. Pings are ignored until it is resumed.',
    )
  })
})

describe('a time of day', () => {
  const said = (at: number, zone: string) => clockWords(at, now, zone)

  test('names the day if it is another day, and the zone if it had to be guessed', () => {
    expect(said(now - hour, 'UTC')).toBe('13:25')
    expect(said(now - hour, 'Asia/Tokyo')).toBe('22:25')
    expect(said(now - day, 'UTC')).toBe('Mon 14:25')
    expect(said(now - 14 * day, 'UTC')).toBe('3 Mar, 14:25')
    expect(said(now - 365 * day, 'UTC')).toBe('17 Mar 2025, 14:25')
    expect(said(now - hour, 'Mars/Base')).toBe('13:25 UTC')
  })

  test('reads naturally within a sentence', () => {
    const when = (at: number) => atClockWords(at, now, 'UTC')
    expect(when(now - hour)).toBe('at 13:25')
    expect(when(now - day)).toBe('on Mon at 14:25')
    expect(when(now - 14 * day)).toBe('on 3 Mar at 14:25')
    const next = eg.check({ status: 'up', nextPingAt: now + day })
    expect(longSentence(next, now, 'UTC')).toContain('It goes down on Wed at 14:35')
  })
})
