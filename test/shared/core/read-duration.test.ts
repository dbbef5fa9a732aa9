import { describe, expect, test } from 'vitest'
import { periodWords, readDuration } from '../../../src/shared/core/time.ts'

describe('a duration', () => {
  test.each([
    ['3600', 3600],
    ['0', 0],
    ['1 h', 3600],
    ['1h', 3600],
    [' 1 H ', 3600],
    ['1h 30min', 5400],
    ['1 h 30 min 5 s', 5405],
    ['1 h 30', 5400],
    ['1h30', 5400],
    ['2 hours 5', 7500],
    ['5 min 30', 330],
    ['1.5 h', 5400],
    ['1,5 hours', 5400],
    ['90 sec', 90],
    ['2 weeks', 1_209_600],
    ['1 day', 86_400],
    ['an hour', 3600],
    ['half an hour', 1800],
    ['1 hour and 30 minutes', 5400],
    ['365 d', 31_536_000],
  ])('is read from %j', (text, seconds) => {
    expect(readDuration(text)).toBe(seconds)
  })

  test.each(['86,400', '1.200', '86,400 s', '1,500,000', '1 h 1,000 s'])(
    'is not read from %j, whose separator may mean thousands or a fraction',
    (text) => {
      expect(readDuration(text)).toBeNull()
    },
  )

  test.each([
    '',
    ' ',
    'soon',
    'h',
    '-5',
    '1 month',
    '1 hx',
    '5 5',
    '1 h 90',
    '1 h 5 5',
    '1 h soon',
    '1..5 h',
    '1e9 h',
  ])('is not read from %j', (text) => {
    expect(readDuration(text)).toBeNull()
  })

  test('is refused when it is too large for a number', () => {
    expect(readDuration(`${'9'.repeat(20)} w`)).toBeNull()
  })

  test("is read back from the app's own words for it", () => {
    for (const seconds of [60, 90, 3600, 5400, 86_400, 604_800, 694_800])
      expect(readDuration(periodWords(seconds))).toBe(seconds)
  })
})
