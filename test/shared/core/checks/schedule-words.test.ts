import { describe, expect, test } from 'vitest'
import { nextRuns, parseCron } from '../../../../src/shared/core/checks/cron.ts'
import { scheduleWords, skippedMonths } from '../../../../src/shared/core/checks/schedule-words.ts'
import { seeded } from '../../../support/seeded.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const from = Date.UTC(2026, 1, 25)
const until = from + 9 * dayMs

const wordsOf = (expression: string, zone = 'UTC'): string =>
  scheduleWords({ kind: 'cron', expression, zone })

const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

function isDayOf(words: string, at: Date): boolean {
  const day = /on day (\d+) of every month/.exec(words)
  if (day !== null) return at.getUTCDate() === Number(day[1])
  if (words.includes('on weekdays')) return at.getUTCDay() >= 1 && at.getUTCDay() <= 5
  return / on /.test(words) ? words.includes(`${names[at.getUTCDay()]}s`) : true
}

function isTimeOf(words: string, at: Date): boolean {
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes()
  const times = words.match(/\d\d:\d\d/g)
  if (times !== null) return times.includes(at.toISOString().slice(11, 16))
  const past = Number(/, (\d+) min past/.exec(words)?.[1] ?? 0)
  const [, count = '1', unit = ''] = /^every (?:(\d+) )?(minute|min|hour|h)\b/.exec(words) ?? []
  if (unit.startsWith('m')) return minute % Number(count) === 0
  return minute % (60 * Number(count)) === past
}

/** The runs that a reader of the words expects, minute by minute. */
function runsBy(words: string): number[] {
  const runs: number[] = []
  for (let at = from + minuteMs; at <= until; at += minuteMs)
    if (isDayOf(words, new Date(at)) && isTimeOf(words, new Date(at))) runs.push(at)
  return runs
}

function runsOf(expression: string): number[] {
  const read = parseCron(expression)
  if ('error' in read) throw new Error(`${expression}: ${read.error}`)
  return nextRuns(read.schedule, from, 'UTC', 9 * 24 * 12 + 1).filter((at) => at <= until)
}

describe('a schedule in words', () => {
  test('can be read at a glance', () => {
    expect(wordsOf('0 3 * * *', 'Europe/Berlin')).toBe('at 03:00 every day, Berlin time')
    expect(wordsOf('30 6,18 * * 1-5')).toBe('at 06:30 and 18:30 on weekdays, UTC')
    expect(wordsOf('0 4 * * SUN', 'America/New_York')).toBe('at 04:00 on Sundays, New York time')
    expect(wordsOf('0 0 1 * *')).toBe('at 00:00 on day 1 of every month, UTC')
    expect(wordsOf('*/5 * * * *')).toBe('every 5 min, UTC')
    expect(wordsOf('* * * * *')).toBe('every minute, UTC')
    expect(wordsOf('7 */6 * * *')).toBe('every 6 h, 7 min past, UTC')
  })

  test.each([
    ['Mon..Fri 9:00', 'at 09:00 on weekdays'],
    ['Mon,Wed 18:30:00', 'at 18:30 on Mondays and Wednesdays'],
    ['*-*-* 04:05', 'at 04:05 every day'],
    ['*-*-1 6,18:00', 'at 06:00 and 18:00 on day 1 of every month'],
    ['*:30', 'every hour, 30 min past'],
    ['daily', 'at 00:00 every day'],
    ['Weekly', 'at 00:00 on Mondays'],
    ['Mon *-*-1 9:00', null],
    ['Fri..Mon 9:00', null],
    ['Mon..Fri 9..17:00', null],
    ['2026-01-01 9:00', null],
    ['*-*-* 04:05:30', null],
    ['Monday 9:00', null],
  ])('of OnCalendar=%s says the same as for cron, where that is certain', (expression, words) => {
    const schedule = { kind: 'onCalendar', expression, zone: 'Europe/Berlin' } as const
    expect(scheduleWords(schedule)).toBe(
      words === null ? `calendar ${expression} (Europe/Berlin)` : `${words}, Berlin time`,
    )
  })

  test('is its period, or a calendar expression with its zone', () => {
    const every = (periodSeconds: number) => scheduleWords({ kind: 'period', periodSeconds })
    expect([60, 3_600, 86_400, 604_800].map(every)).toEqual([
      'every minute',
      'every hour',
      'every day',
      'every week',
    ])
    expect(every(7_200)).toBe('every 2 h')
    expect(every(5_400)).toBe('every 1 h 30 min')
    const calendar = { kind: 'onCalendar', expression: 'Mon 9:00\n Tue 9:00' } as const
    expect(scheduleWords({ ...calendar, zone: 'Europe/Berlin' })).toBe(
      'calendar Mon 9:00; Tue 9:00 (Europe/Berlin)',
    )
  })

  test('is the expression itself where words would be longer or inexact', () => {
    for (const expression of [
      '0 3 1-7 * 1',
      '*/7 * * * *',
      '1-5 * * * *',
      '0 3 * 2 *',
      '0 3 L * *',
    ])
      expect(wordsOf(expression)).toBe(`cron ${expression} (UTC)`)
  })

  test('describes exactly the runs of the expression, for any expression', () => {
    let said = 0
    for (let n = 0; n < 150; n += 1) {
      const seed = seeded(n)
      const expression = [
        seed.pick(['*/5', '*/15', '*/7', '0', '0', '7', '30', '0,30', '1-4']),
        seed.pick(['*', '*/2', '*/6', '*/5', '3', '3,15', '15,3', '1-4', '23']),
        seed.pick(['*', '*', '*', '*', '1', '3', '1,3']),
        seed.pick(['*', '*', '*', '*', '*', '3']),
        seed.pick(['*', '*', '1-5', 'MON-FRI', '0', '7', '1,4', '4,1', 'sun', '0-6', '1,7']),
      ].join(' ')
      const words = wordsOf(expression)
      if (words.startsWith('cron ')) continue
      said += 1
      expect([expression, words, runsBy(words)]).toEqual([expression, words, runsOf(expression)])
    }
    expect(said).toBeGreaterThan(25)
  })
})

describe('the months that a schedule skips', () => {
  test.each([
    ['0 3 31 * *', 'Skips February, April, June, September, and November.'],
    ['0 3 30 * *', 'Skips February.'],
    ['0 3 29 * *', 'Skips February, except in leap years.'],
    ['0 3 30,31 * *', 'Skips February.'],
    ['0 3 31 1-6 *', 'Skips February, April, and June.'],
    ['0 3 31 1,3 *', null],
    ['0 3 28-31 * *', null],
    ['0 3 L * *', null],
    ['0 3 * * *', null],
    // Any Monday will do, too.
    ['0 3 31 * 1', null],
    ['0 3 32 * *', null],
    ['*-*-31 03:00', 'Skips February, April, June, September, and November.'],
    ['Mon 03:00', null],
  ])('are those too short for its days: %s', (expression, words) => {
    const kind = /:/.test(expression) ? 'onCalendar' : 'cron'
    const skipped = skippedMonths({ kind, expression, zone: 'UTC' })
    expect(skipped?.replace(/(\w) and /, '$1, and ') ?? null).toBe(words)
  })

  test('are not told as “every month”', () => {
    expect(wordsOf('0 3 31 * *')).toBe('at 03:00 on day 31 of every month that has one, UTC')
  })
})
