import { describe, expect, test } from 'vitest'
import { daysBetween, readDays, weekUpTo } from '#shared/core/typed-day.ts'
import * as eg from '../../support/eg.ts'

/** As "2026-03-16", or "2026-03-09 7" for seven days from then on; null if it is no day. */
function read(text: string, now = eg.now): string | null {
  const days = readDays(text, now)
  if (days === null) return null
  const date = new Date(days.from)
  expect(date.getHours()).toBe(0)
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const count = daysBetween(days.from, days.to)
  return `${parts.map((part) => String(part).padStart(2, '0')).join('-')}${count === 1 ? '' : ` ${count}`}`
}

describe('a typed day', () => {
  // It is Tuesday, 17 March 2026.
  test.each([
    ['today', '2026-03-17'],
    ['Yesterday', '2026-03-16'],
    ['the day before yesterday', '2026-03-15'],
    ['tuesday', '2026-03-17'],
    ['last tuesday', '2026-03-10'],
    ['on Monday', '2026-03-16'],
    ['mon', '2026-03-16'],
    ['tues', '2026-03-17'],
    ['last wed', '2026-03-11'],
    ['sundays', '2026-03-15'],
    ['7 mar', '2026-03-07'],
    ['Mar 7', '2026-03-07'],
    ['7th of March', '2026-03-07'],
    ['march 7th, 2025', '2025-03-07'],
    ['7 nov', '2025-11-07'],
    ['29 feb', '2024-02-29'],
    ['sept 3', '2025-09-03'],
    ['2026-03-07', '2026-03-07'],
    ['2026-3-7', '2026-03-07'],
    ['7.3.', '2026-03-07'],
    ['7.3.2025', '2025-03-07'],
    ['3 days ago', '2026-03-14'],
    ['a week ago', '2026-03-10'],
    ['this week', '2026-03-16 7'],
    ['last week', '2026-03-09 7'],
  ])('%s', (text, day) => {
    expect(read(text)).toBe(day)
  })

  test.each([
    '',
    'tu',
    'db-backup',
    'month',
    'sunny',
    '31 feb',
    '32 mar',
    '2026-13-01',
    '2027-01-01',
    '7 nov 2026',
    '7/11',
    '7',
    '12:30',
    'x'.repeat(10_000),
  ])('%s is none', (text) => {
    expect(read(text)).toBeNull()
  })

  test('may begin a week of 167 or 169 hours', () => {
    for (let day = 0; day < 366; day += 1) {
      const week = weekUpTo(eg.now + day * eg.day)
      expect(week).toHaveLength(7)
      for (const [at, { from, to }] of week.entries()) {
        expect([new Date(from).getHours(), daysBetween(from, to)]).toEqual([0, 1])
        expect(week[at + 1]?.from ?? to).toBe(to)
      }
    }
  })
})
