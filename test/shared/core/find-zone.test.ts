import { describe, expect, test } from 'vitest'
import { findZone } from '../../../src/shared/core/wall-clock.ts'

describe('a time zone', () => {
  test.each([
    ['berlin', 'Europe/Berlin'],
    [' New  York ', 'America/New_York'],
    ['europe/BERLIN', 'Europe/Berlin'],
    ['CET', 'Europe/Berlin'],
    ['utc', 'UTC'],
    ['UTC', 'UTC'],
    ['GMT', 'UTC'],
    ['pst', 'America/Los_Angeles'],
    ['Etc/UTC', 'Etc/UTC'],
    ['US/Eastern', 'US/Eastern'],
    ['kolkata', 'Asia/Kolkata'],
    ['São Paulo', 'America/Sao_Paulo'],
    ['Zürich', 'Europe/Zurich'],
    ['eastern', 'America/New_York'],
    ['nyc', 'America/New_York'],
    ['europe berlin', 'Europe/Berlin'],
    ['america new york', 'America/New_York'],
    ['hawaii', 'Pacific/Honolulu'],
  ])('typed as %j is %s', (typed, zone) => {
    expect(findZone(typed)).toBe(zone)
  })

  test.each([
    ['us/eastern', /^(?:US\/Eastern|America\/New_York)$/],
    ['ho chi minh', /^Asia\/(?:Saigon|Ho_Chi_Minh)$/],
    ['pst8pdt', /^(?:PST8PDT|America\/Los_Angeles)$/],
  ])('that has an old name, typed as %j, is one that servers know: %s', (typed, zone) => {
    expect(findZone(typed)).toMatch(zone)
  })

  test.each([['Europe/Vienna', 'Europe/Vienna']])('typed as %j is %s', (typed, zone) => {
    expect(findZone(typed)).toBe(zone)
  })

  test.each(['', 'Mars/Base', 'nowhere', '+02:00', 'ber', 'lin'])(
    'is not found from %j',
    (typed) => {
      expect(findZone(typed)).toBeNull()
    },
  )
})
