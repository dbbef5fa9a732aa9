import { describe, expect, test } from 'vitest'
import { clockWords, zonedClockWords } from '../../../src/shared/core/time.ts'

const now = new Date(2026, 2, 17, 14, 25).getTime()

describe('the time of day', () => {
  test.each([
    [new Date(2026, 2, 17, 5, 12), '05:12'],
    [new Date(2026, 2, 16, 23, 59), 'Mon 23:59'],
    [new Date(2026, 2, 18, 0, 5), 'Wed 00:05'],
    [new Date(2026, 1, 3, 9, 41), '3 Feb, 09:41'],
    [new Date(2025, 11, 31, 9, 41), '31 Dec 2025, 09:41'],
  ])('of %o is "%s"', (at, words) => {
    expect(clockWords(at.getTime(), now)).toBe(words)
  })

  test('is said as for another zone, whatever the month', () => {
    for (let month = 0; month < 12; month += 1) {
      const at = new Date(2026, month, 8, 7, 30).getTime()
      expect(clockWords(at, now)).toBe(zonedClockWords(at, now))
    }
  })
})
