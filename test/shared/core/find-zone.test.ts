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
  ])('typed as %j is %s', (typed, zone) => {
    const listed = new Set(Intl.supportedValuesOf('timeZone'))
    // Which of a city's two names is listed depends on the runtime.
    expect(findZone(typed)).toBe(zone === 'Asia/Kolkata' && !listed.has(zone) ? null : zone)
  })

  test.each(['', 'Mars/Base', 'nowhere', '+02:00', 'ber', 'lin'])(
    'is not found from %j',
    (typed) => {
      expect(findZone(typed)).toBeNull()
    },
  )
})
