import { describe, expect, test, vi } from 'vitest'
import { type QuietHours, quietUntil } from '../../../../src/shared/core/attention/quiet-hours.ts'

const everyDay = [0, 1, 2, 3, 4, 5, 6]

function quiet(change: Partial<QuietHours> & Partial<QuietHours['windows'][number]>): QuietHours {
  const { days = everyDay, from = '22:00', to = '07:00', ...rest } = change
  return {
    enabled: true,
    zone: 'UTC',
    windows: [{ days, from, to }],
    exceptTags: [],
    exceptPeople: [],
    ...rest,
  }
}

function untilOf(hours: QuietHours, at: string): string | null {
  const until = quietUntil(hours, Date.parse(at))
  return until === null ? null : new Date(until).toISOString().replace(':00.000Z', 'Z')
}

describe('quiet hours', () => {
  // 17 March 2026 is a Tuesday.
  test.each([
    ['over midnight, in the evening', quiet({}), '2026-03-17T22:00Z', '2026-03-18T07:00Z'],
    ['over midnight, in the morning', quiet({}), '2026-03-18T06:59Z', '2026-03-18T07:00Z'],
    ['that are over', quiet({}), '2026-03-18T07:00Z', null],
    ['that have not begun', quiet({}), '2026-03-17T21:59Z', null],
    ['that are switched off', quiet({ enabled: false }), '2026-03-17T23:00Z', null],
    ['of a day', quiet({ from: '12:00', to: '13:00' }), '2026-03-17T12:30Z', '2026-03-17T13:00Z'],
    [
      'of Monday night, on Tuesday morning',
      quiet({ days: [1] }),
      '2026-03-17T03:00Z',
      '2026-03-17T07:00Z',
    ],
    ['of Monday night, on Tuesday night', quiet({ days: [1] }), '2026-03-17T23:00Z', null],
    [
      'the whole of a weekend',
      quiet({ days: [6, 0], from: '00:00', to: '00:00' }),
      '2026-03-21T10:00Z',
      '2026-03-23T00:00Z',
    ],
    [
      'that follow each other',
      {
        ...quiet({}),
        windows: [
          { days: [2], from: '22:00', to: '00:00' },
          { days: [3], from: '00:00', to: '05:30' },
        ],
      },
      '2026-03-17T22:30Z',
      '2026-03-18T05:30Z',
    ],
  ])('%s', (_name, hours, at, until) => {
    expect(untilOf(hours, at)).toBe(until)
  })

  test.each([
    // Berlin: from 02:00 to 03:00 on 29 March, and back from 03:00 to 02:00 on 25 October.
    ['Europe/Berlin', 'in spring', '2026-03-28T21:30Z', '2026-03-29T05:00Z'],
    ['Europe/Berlin', 'in autumn', '2026-10-24T20:30Z', '2026-10-25T06:00Z'],
    // New York: on 8 March and 1 November.
    ['America/New_York', 'in spring', '2026-03-08T03:30Z', '2026-03-08T11:00Z'],
    ['America/New_York', 'in autumn', '2026-11-01T02:30Z', '2026-11-01T12:00Z'],
    // Lord Howe Island: by half an hour, on 5 April and 4 October.
    ['Australia/Lord_Howe', 'in autumn', '2026-04-04T11:30Z', '2026-04-04T20:30Z'],
    ['Australia/Lord_Howe', 'in spring', '2026-10-03T12:00Z', '2026-10-03T20:00Z'],
    // Kathmandu: never, with an offset of 5 h 45 min.
    ['Asia/Kathmandu', 'all year', '2026-06-01T17:00Z', '2026-06-02T01:15Z'],
  ])('in %s end by its clocks when they change %s', (zone, _when, at, until) => {
    expect(untilOf(quiet({ zone }), at)).toBe(until)
  })

  test('that would begin or end in the skipped hour keep to the clock', () => {
    const berlin = { zone: 'Europe/Berlin' }
    expect(untilOf(quiet({ ...berlin, to: '02:30' }), '2026-03-29T00:30Z')).toBe(
      '2026-03-29T01:00Z',
    )
    const lost = quiet({ ...berlin, from: '02:15', to: '02:45' })
    expect(untilOf(lost, '2026-03-29T01:00Z')).toBeNull()
  })

  test("in an unknown zone use this computer's zone", () => {
    expect(
      quietUntil(quiet({ zone: 'Mars/Olympus', from: '00:00', to: '00:00' }), 0),
    ).not.toBeNull()
  })

  test('compute the local time once for many calls within the same minute', () => {
    const hours = quiet({ from: '00:00', to: '23:59' })
    const at = Date.parse('2026-03-17T00:01Z')
    const looks = vi.spyOn(Date.prototype, 'getUTCDay')
    quietUntil(hours, at)
    const first = looks.mock.calls.length
    for (let i = 0; i < 10_000; i += 1) quietUntil(hours, at + i)
    expect(first).toBeGreaterThan(0)
    expect(looks.mock.calls.length - first).toBeLessThan(10)
    looks.mockRestore()
  })
})

test('quiet hours in this computer’s zone follow it to another zone', () => {
  const hours = quiet({ zone: null })
  const untilIn = (zone: string) => {
    vi.stubEnv('TZ', zone)
    return untilOf(hours, '2026-03-17T23:30Z')
  }
  const night = '2026-03-18T07:00Z'
  expect(['UTC', 'Asia/Tokyo', 'UTC'].map(untilIn)).toEqual([night, null, night])
  vi.unstubAllEnvs()
})
