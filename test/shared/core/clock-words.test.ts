import { afterEach, describe, expect, test } from 'vitest'
import {
  clockWords,
  exactTime,
  namedTimeWords,
  timeOfDayWords,
} from '../../../src/shared/core/time.ts'
import { setLocale } from '../../../src/shared/core/wording.ts'

const now = new Date(2026, 2, 17, 14, 25).getTime()

afterEach(() => setLocale(''))

/** A narrow no-break space stands between the number and "am". */
const plain = (words: string) => words.replaceAll(/\s/g, ' ')

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

  test.each([
    ['en_US.UTF-8', '2:25 PM', 'Feb 3, 9:41 AM', 'Dec 31, 2025, 9:41 AM'],
    ['de-DE', '14:25', '3 Feb, 09:41', '31 Dec 2025, 09:41'],
    ['zh-Hans-CN', '14:25', '3 Feb, 09:41', '31 Dec 2025, 09:41'],
    ['en-US-u-va-posix', '14:25', '3 Feb, 09:41', '31 Dec 2025, 09:41'],
    ['C', '14:25', '3 Feb, 09:41', '31 Dec 2025, 09:41'],
  ])('is written in English as is usual in the region of %s', (system, ...words) => {
    setLocale(system)
    const moments = [now, new Date(2026, 1, 3, 9, 41), new Date(2025, 11, 31, 9, 41)]
    expect(moments.map((at) => plain(clockWords(at.valueOf(), now)))).toEqual(words)
  })
})

describe('every time of a line', () => {
  test.each(['en_GB', 'en_US', 'de_DE', 'ja_JP', 'fi_FI', 'en_CA', 'ko_KR'])(
    'is of one clock, and breaks nowhere: %s',
    (system) => {
      setLocale(system)
      for (const [at, time] of [
        [new Date(2026, 2, 17, 2, 5).getTime(), '02:05'],
        [new Date(2026, 2, 17, 22, 5).getTime(), '22:05'],
      ] as const) {
        const words = clockWords(at, at)
        expect(words).not.toContain(' ')
        expect(timeOfDayWords(time)).toBe(words)
        expect(namedTimeWords(at).endsWith(`, ${words}`)).toBe(true)
        const [digits = ''] = words.split('\u00a0')
        expect(exactTime(at)).toContain(` at ${digits}`)
      }
    },
  )
})

describe('an exact time', () => {
  test('is written as is usual in the region', () => {
    expect(exactTime(now)).toBe('Tue, 17 March 2026 at 14:25:00')
    setLocale('en-US')
    expect(plain(exactTime(now))).toBe('Tue, March 17, 2026 at 2:25:00 PM')
  })
})
