import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  compareNames,
  counted,
  dateWords,
  firstOf,
  listWords,
  lowerFirst,
  numberWords,
  percentWords,
  setLocale,
} from '#shared/core/wording.ts'

afterEach(() => setLocale(''))

describe('words for people', () => {
  test('agree in number', () => {
    expect([0, 1, 2, 12_345].map((count) => counted(count, 'check'))).toEqual([
      '0 checks',
      '1 check',
      '2 checks',
      '12,345 checks',
    ])
    expect([1, 2].map((count) => counted(count, 'event was', 'events were'))).toEqual([
      '1 event was',
      '2 events were',
    ])
  })

  test("give times in the computer's current time zone", () => {
    const timeIn = (zone: string, day = '2026-03-17') => {
      vi.stubEnv('TZ', zone)
      return dateWords(Date.parse(`${day}T12:00Z`), { hour: '2-digit', minute: '2-digit' })
    }
    expect(['UTC', 'Asia/Tokyo', 'UTC'].map((zone) => timeIn(zone))).toEqual([
      '12:00',
      '21:00',
      '12:00',
    ])
    // London in summer is as far from UTC as Berlin in winter.
    expect(timeIn('Europe/London', '2026-07-17')).toBe('13:00')
    expect(timeIn('Europe/Berlin')).toBe('13:00')
    vi.unstubAllEnvs()
  })

  test('give percentages', () => {
    expect([0, 7, 99.98, 100].map(percentWords)).toEqual(['0%', '7%', '99.98%', '100%'])
  })

  test('begin in lower case within a sentence', () => {
    expect(['Check goes down', 'Silent', ''].map(lowerFirst)).toEqual([
      'check goes down',
      'silent',
      '',
    ])
  })

  test('list names, and how many more there are', () => {
    const names = ['a', 'b', 'c', 'd']
    expect([0, 1, 2, 3].map((many) => listWords(names.slice(0, many)))).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ])
    expect([2, 3, 4].map((most) => firstOf(names, most))).toEqual([
      'a, b and 2 more',
      'a, b, c and 1 more',
      'a, b, c and d',
    ])
  })

  test('sort names as people do', () => {
    expect(['job 10', 'Job 2', 'job 1'].toSorted(compareNames)).toEqual([
      'job 1',
      'Job 2',
      'job 10',
    ])
  })

  test('follow the region', () => {
    setLocale('de_DE.UTF-8')
    expect(numberWords(12_345)).toBe('12.345')
    setLocale('en-US')
    expect(listWords(['a', 'b', 'c'])).toBe('a, b, and c')
    setLocale('')
    expect(numberWords(12_345)).toBe('12,345')
  })
})
