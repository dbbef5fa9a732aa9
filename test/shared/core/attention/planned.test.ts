import { describe, expect, test, vi } from 'vitest'
import {
  plannedText,
  readPlanned,
} from '../../../../src/shared/core/attention/maintenance/maintenance.ts'
import {
  nextTimes,
  type PlannedTimes,
  timesWords,
  zoneHere,
} from '../../../../src/shared/core/attention/maintenance/planned.ts'
import { withPlannedBegun } from '../../../../src/shared/core/attention/maintenance/planned-begun.ts'
import { readPlannedTimes } from '../../../../src/shared/core/attention/maintenance/planned-line.ts'
import type { Silence } from '../../../../src/shared/core/attention/silence.ts'
import { silence } from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

const iso = (at: number): string => new Date(at).toISOString().slice(0, 16)

const weekly = (days: readonly number[], from: string, to: string, zone = 'UTC'): PlannedTimes => ({
  of: 'weekly',
  days,
  from,
  to,
  zone,
})

function next(when: PlannedTimes, at: string, lastUntil?: string): string | null {
  const last = lastUntil === undefined ? {} : { lastUntil: Date.parse(`${lastUntil}Z`) }
  const times = nextTimes({ when, ...last }, Date.parse(`${at}Z`))
  return times === null ? null : `${iso(times.from)} to ${iso(times.until)}`
}

describe('a weekly maintenance', () => {
  const sunday = weekly([0], '02:00', '04:00')
  // 17 March 2026 is a Tuesday.
  test.each([
    ['is on its day', sunday, '2026-03-17T10:00', '2026-03-22T02:00 to 2026-03-22T04:00'],
    [
      'goes on until it is over',
      sunday,
      '2026-03-22T03:59',
      '2026-03-22T02:00 to 2026-03-22T04:00',
    ],
    ['returns a week later', sunday, '2026-03-22T04:00', '2026-03-29T02:00 to 2026-03-29T04:00'],
    [
      'that ends the next day belongs to the day on which it begins',
      weekly([0], '23:00', '01:00'),
      '2026-03-23T00:30',
      '2026-03-22T23:00 to 2026-03-23T01:00',
    ],
    [
      'may last all day',
      weekly([1], '00:00', '00:00'),
      '2026-03-17T10:00',
      '2026-03-23T00:00 to 2026-03-24T00:00',
    ],
    [
      'is in the zone in which it was planned',
      weekly([0], '02:00', '04:00', 'America/New_York'),
      '2026-03-17T10:00',
      '2026-03-22T06:00 to 2026-03-22T08:00',
    ],
    [
      'begins with the hour that clocks skip',
      weekly([0], '02:00', '04:00', 'Europe/Berlin'),
      '2026-03-28T12:00',
      '2026-03-29T00:00 to 2026-03-29T02:00',
    ],
    [
      'covers an hour that clocks repeat',
      weekly([0], '02:00', '02:30', 'Europe/Berlin'),
      '2026-10-24T12:00',
      '2026-10-25T00:00 to 2026-10-25T01:30',
    ],
  ])('%s', (_what, when, at, expected) => {
    expect(next(when, at)).toBe(expected)
  })

  test('that was ended early begins again only the next time', () => {
    expect(next(sunday, '2026-03-22T03:00', '2026-03-22T04:00')).toBe(
      '2026-03-29T02:00 to 2026-03-29T04:00',
    )
  })

  test('that meets its next time, in an hour that occurs twice, begins once for each', () => {
    const allDay = weekly([0, 6], '02:30', '02:30', 'Europe/Berlin')
    const [first, second] = ['2026-10-24T00:30', '2026-10-25T00:30']
    expect(next(allDay, '2026-10-25T00:29')).toBe(`${first} to 2026-10-25T01:30`)
    expect(next(allDay, '2026-10-25T00:31', '2026-10-25T01:30')).toBe(
      `${second} to 2026-10-26T01:30`,
    )
    expect(next(allDay, '2026-10-25T00:32', '2026-10-26T01:30')).toBe(
      '2026-10-31T01:30 to 2026-11-01T01:30',
    )
  })

  test('takes place on every day of a year, whatever the clocks do', () => {
    const daily = weekly([0, 1, 2, 3, 4, 5, 6], '01:30', '02:45', 'Europe/Berlin')
    const lengths: number[] = []
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2026, 11, 31); ) {
      const { from, until } = nextTimes({ when: daily }, at) ?? { from: 0, until: 0 }
      expect(from).toBeGreaterThanOrEqual(at)
      lengths.push((until - from) / 60_000)
      at = until
    }
    expect(lengths).toHaveLength(365)
    // On 25 October its end occurs twice.
    expect(lengths.filter((minutes) => minutes !== 75)).toEqual([135])
  })
})

describe('a maintenance that is once', () => {
  const when = {
    of: 'once',
    from: Date.parse('2026-03-22T02:00Z'),
    until: Date.parse('2026-03-22T04:00Z'),
  } as const
  test.each([
    ['is ahead', '2026-03-17T10:00', undefined, true],
    ['goes on', '2026-03-22T03:59', undefined, true],
    ['is over', '2026-03-22T04:00', undefined, false],
    ['does not return after it was ended early', '2026-03-22T03:00', '2026-03-22T04:00', false],
  ])('%s', (_what, at, lastUntil, isAhead) => {
    expect(next(when, at, lastUntil)).toBe(isAhead ? '2026-03-22T02:00 to 2026-03-22T04:00' : null)
  })
})

describe('a planned maintenance that is due', () => {
  const scope = { of: 'tag', tag: 'db' } as const
  const when = { of: 'once', from: eg.now, until: eg.now + eg.hour } as const
  const until = { kind: 'time', at: when.until } as const
  const same = silence({ id: 'same', how: 'maintenance', scope, until })
  test.each<[string, Silence, boolean]>([
    ['not, beside a maintenance of the same checks that lasts as long', same, false],
    [
      'in place of one that ends before',
      { ...same, until: { kind: 'time', at: when.until - 1 } },
      true,
    ],
    ['beside one of other checks', { ...same, scope: { of: 'tag', tag: 'web' } }, true],
    ['beside a snooze of them', { ...same, how: 'snooze' }, true],
  ])('begins %s', (_what, other, begins) => {
    const plan = { id: 'p', scope, label: '#db', when }
    const state = eg.state({ silences: [other], planned: [plan] })
    const { silences, planned } = withPlannedBegun(state, eg.now)
    const begun = silences.filter(({ id }) => id.startsWith('p-'))
    expect(begun.map((one) => one.until)).toEqual(begins ? [until] : [])
    expect(planned).toEqual([])
  })
})

// The tests' zone is their own, whatever this computer's is.
const now = new Date(2026, 2, 17, 14, 25).getTime()
const local = (day: number, hours: number, minutes = 0, month = 2): string =>
  iso(new Date(2026, month, day, hours, minutes).getTime())

describe('a typed plan', () => {
  test.each([
    ['every sunday 02:00-04:00', [0], '02:00', '04:00'],
    ['every Sunday 2:00 for 2 h', [0], '02:00', '04:00'],
    ['sundays 2-4', [0], '02:00', '04:00'],
    ['every sun from 2 to 4am', [0], '02:00', '04:00'],
    ['mon-fri 22:00–23:30', [1, 2, 3, 4, 5], '22:00', '23:30'],
    ['fri-mon 22:00 to 23:00', [0, 1, 5, 6], '22:00', '23:00'],
    ['22:00-23:00 every weekday', [1, 2, 3, 4, 5], '22:00', '23:00'],
    ['weekends noon to 1pm', [0, 6], '12:00', '13:00'],
    ['daily 23:30 for 90 min', [0, 1, 2, 3, 4, 5, 6], '23:30', '01:00'],
    ['every night at 1 for an hour', [0, 1, 2, 3, 4, 5, 6], '01:00', '02:00'],
    ['mon, wed and fri 11pm-1am', [1, 3, 5], '23:00', '01:00'],
    ['every tue 9.30 for 1h30', [2], '09:30', '11:00'],
    ['on thursdays between 14:00 and 15:00', [4], '14:00', '15:00'],
    ['every saturday 00:00-24:00', [6], '00:00', '00:00'],
    ['every sat midnight to 6 am', [6], '00:00', '06:00'],
    ['sunday nights 23:00-02:00', [0], '23:00', '02:00'],
    ['sat+sun every week 0200-0430', [0, 6], '02:00', '04:30'],
    ['every sun 2 to 4pm', [0], '14:00', '16:00'],
    ['every sun 4 - 4pm', [0], '04:00', '16:00'],
    ['every sun 11 to 1pm', [0], '11:00', '13:00'],
    ['every sun 11am to 1pm', [0], '11:00', '13:00'],
    ['every sun 0900 to 5pm', [0], '09:00', '17:00'],
    ['every sun 12am - 12pm', [0], '00:00', '12:00'],
    ['mo-fr 22:59-23:59', [1, 2, 3, 4, 5], '22:59', '23:59'],
    ['tues, ths and sa 5:00 for 1 min', [2, 4, 6], '05:00', '05:01'],
  ])('%s repeats', (text, days, from, to) => {
    expect(readPlannedTimes(text, now, 'UTC')).toEqual(weekly(days, from, to))
  })

  test.each([
    ['every sunday 02:00-04:00 Europe/Berlin', 'Europe/Berlin', [0]],
    ['every sunday 02:00-04:00 in new york', 'America/New_York', [0]],
    ['sundays 2-4 utc', 'UTC', [0]],
    ['every night 2-4 in berlin', 'Europe/Berlin', [0, 1, 2, 3, 4, 5, 6]],
  ])('%s names a zone', (text, zone, days) => {
    expect(readPlannedTimes(text, now, 'Asia/Tokyo')).toEqual(weekly(days, '02:00', '04:00', zone))
  })

  test.each([
    ['tomorrow 14:00-15:30', local(18, 14), local(18, 15, 30)],
    ['sun 2:00 for 3 h', local(22, 2), local(22, 5)],
    ['next friday 10pm to 1am', local(20, 22), local(21, 1)],
    ['22:00-23:00', local(17, 22), local(17, 23)],
    ['2:00 to 3:00', local(18, 2), local(18, 3)],
    ['13:00-17:00', local(17, 13), local(17, 17)],
    ['today 9:00-17:00', local(17, 9), local(17, 17)],
    ['24 mar 18:00 to 26 mar 8:00', local(24, 18), local(26, 8)],
    ['tomorrow 22:00 until friday 6:00', local(18, 22), local(20, 6)],
    ['5 apr 9-17', local(5, 9, 0, 3), local(5, 17, 0, 3)],
    ['2026-04-05 09:00-10:00', local(5, 9, 0, 3), local(5, 10, 0, 3)],
    ['april 5 at 9:00 for 2 days', local(5, 9, 0, 3), local(7, 9, 0, 3)],
    ['tomorrow 2 to 4pm', local(18, 14), local(18, 16)],
  ])('%s is once', (text, from, until) => {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
    const read = readPlannedTimes(text, now, zone)
    expect(read).toMatchObject({ of: 'once' })
    if (read === null || !('from' in read) || read.of !== 'once') throw new Error('not once')
    expect([iso(read.from), iso(read.until)]).toEqual([from, until])
  })

  test.each([
    ['every 02:00-04:00', /^Say on which days/],
    ['every sunday 02:00-04:00 in atlantis', /can’t read “atlantis”: say “every Sunday”/],
    ['every sunday 02:00 for 30 h', /at most 24 hours/],
    ['frobday 02:00-04:00', /can’t read “frobday”/],
    ['tomorrow 9:00 for 40 days', /at most 30 days/],
    ['today 9:00-10:00', /can’t read “today”|12 months/],
    ['every other sunday 2:00-4:00', /can’t read “other”/],
    ['monthly 2-4', /can’t read “monthly”/],
    ['mon-wed-fri 2-4', /can’t read “mon-wed-fri”/],
    ['mon-frx 2-4', /can’t read “mon-frx”/],
    ['every t 2-4', /^Say on which days/],
    ['every sunday 2:00 for 0 min', /at least a minute/],
    ['2027-04-05 09:00-10:00', /12 months/],
  ])('%s is refused in a sentence', (text, problem) => {
    const read = readPlannedTimes(text, now, 'UTC')
    expect(read !== null && 'problem' in read ? read.problem : read).toMatch(problem)
  })

  test.each([
    ...['for 20 min', 'until 14:30', '2 h', 'every sunday', '', 'sunday 25:00-26:00'],
    ...['sunday 22:00-25:00', 'sunday 25:00-3:00', 'sunday 25:00 for 2 h', 'sunday 2:00-2:75'],
    ...['sunday 13am-2pm', 'fri 22:00 to sat 6:00 to sun 7:00'],
  ])('“%s” plans nothing', (text) => {
    expect(readPlannedTimes(text, now, 'UTC')).toBeNull()
  })

  // Typed where it is 23:25.
  test.each([
    ['5 dec 22:00-23:00 in berlin', '2026-12-05T21:00', '2026-12-05T22:00'],
    ['5 apr 22:00-23:00 new york', '2026-04-06T02:00', '2026-04-06T03:00'],
    ['23:30-23:45 in berlin', '2026-03-17T22:30', '2026-03-17T22:45'],
    ['22:00-23:00 in berlin', '2026-03-17T21:00', '2026-03-17T22:00'],
    ['today 16:00-17:00 utc', '2026-03-17T16:00', '2026-03-17T17:00'],
    ['25 oct 2:30-2:45 berlin', '2026-10-25T00:30', '2026-10-25T01:45'],
    ['25 oct 1:00-4:00 berlin', '2026-10-24T23:00', '2026-10-25T03:00'],
    ['25 oct 1:00 for 3 h berlin', '2026-10-24T23:00', '2026-10-25T02:00'],
  ])('%s is once, by the clock there', (text, from, until) => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    const read = readPlannedTimes(text, Date.parse('2026-03-17T14:25Z'), 'Asia/Tokyo')
    vi.unstubAllEnvs()
    const times = { from: Date.parse(`${from}Z`), until: Date.parse(`${until}Z`) }
    expect(read).toEqual({ of: 'once', ...times })
  })

  test('names what it is for, and why', () => {
    vi.stubEnv('TZ', 'UTC')
    const check = eg.check({ name: 'nightly job 2-4', tags: ['db'] })
    const state = eg.state({ boards: new Map([[eg.opsId, eg.board([check])]]) })
    expect(readPlanned('#db every sunday 2:00-4:00: moving 3-5pm', state, now)).toMatchObject({
      scope: { of: 'tag', tag: 'db' },
      name: '#db',
      when: { days: [0], from: '02:00', to: '04:00' },
      reason: 'moving 3-5pm',
    })
    expect(readPlanned('nightly job 2-4 every day 5-6', state, now)).toMatchObject({
      name: 'nightly job 2-4',
      when: { of: 'weekly', from: '05:00', to: '06:00' },
    })
    expect(readPlanned('#web every sunday 2-4', state, now)).toEqual({
      problem: 'No check is tagged #web.',
    })
    expect(readPlanned('#db for 20 min: moving 3-5pm', state, now)).toBeNull()
    expect(readPlanned('  #db today 20:00-21:00: moving', state, now)).toMatchObject({
      when: { of: 'once' },
      reason: 'moving',
    })
    const when = weekly([0], '02:00', '04:00', 'UTC')
    const scope = { of: 'tag', tag: 'db' }
    expect(readPlanned('#db sundays 2-4', state, now)).toEqual({ scope, name: '#db', when })
    expect(readPlanned('#db every sunday 2:00 for 30 h', state, now)).toEqual({
      problem: 'What is repeated can last at most 24 hours.',
    })
    const because = (length: number) =>
      readPlanned(`#db sundays 2-4: ${'x'.repeat(length)}`, state, now)
    expect(because(200)).toMatchObject({ when })
    expect(because(201)).toEqual({ problem: 'The reason is too long: 200 characters at most.' })
    vi.unstubAllEnvs()
  })
})

test.each([
  [weekly([0], '02:00', '04:00', 'Asia/Tokyo'), 'every Sunday 02:00–04:00 (Asia/Tokyo)'],
  [
    weekly([1, 2, 3, 4, 5], '22:00', '23:00', 'Asia/Tokyo'),
    'every Mon–Fri 22:00–23:00 (Asia/Tokyo)',
  ],
  [
    weekly([0, 1, 3], '22:00', '23:00', 'Asia/Tokyo'),
    'every Mon, Wed and Sun 22:00–23:00 (Asia/Tokyo)',
  ],
  [weekly([0, 1, 2, 3, 4, 5, 6], '00:00', '00:00', 'Asia/Tokyo'), 'every day all day (Asia/Tokyo)'],
])('%j in words', (when, words) => {
  expect(timesWords(when, true)).toBe(words)
})

test('Its zone is named unless it is this computer’s', () => {
  const namesZone = (zone: string) => timesWords(weekly([0], '02:00', '04:00', zone)).includes(zone)
  vi.stubEnv('TZ', 'Europe/Berlin')
  expect(['Europe/Berlin', 'Asia/Tokyo'].map(namesZone)).toEqual([false, true])
  vi.unstubAllEnvs()
})

test('the announcement names the zone of what is repeated', () => {
  const scope = { of: 'tag', tag: 'db' } as const
  const when = weekly([0], '02:00', '04:00', zoneHere())
  expect(plannedText({ scope, name: '#db', when, reason: 'reindexing' })).toBe(
    `Maintenance of \`#db\` every Sunday 02:00–04:00 (${zoneHere()}): reindexing`,
  )
  const once = {
    of: 'once',
    from: Date.UTC(2026, 2, 22, 2),
    until: Date.UTC(2026, 2, 22, 4),
  } as const
  expect(plannedText({ scope, name: '#db', when: once })).toBe(
    'Maintenance of `#db` from <time:2026-03-22T02:00:00Z> to <time:2026-03-22T04:00:00Z>.',
  )
})
