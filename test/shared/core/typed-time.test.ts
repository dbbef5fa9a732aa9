import { expect, test } from 'vitest'
import { momentProblem, readMoment } from '../../../src/shared/core/typed-time.ts'

const local = (text: string): number => new Date(text).getTime()
/** A Tuesday. */
const now = local('2026-03-17T14:25')

test.each([
  ['2026-03-17T14:40', 'in fifteen minutes', 'a quarter of an hour'],
  ['2026-03-17T14:55', 'in half an hour', 'half hour', 'another 30 min'],
  ['2026-03-17T15:00', '15:00', 'until 15:00', 'at 15', '3pm', 'tue 15', '15h', '1500'],
  ['2026-03-17T15:25', 'an hour', 'next hour', 'for another hour', 'an hour from now'],
  ['2026-03-17T15:55', 'for 90 min', '1h30', '1.5 h', '1,5h', 'in an hour and a half'],
  ['2026-03-17T16:00', 'this afternoon at 4', '4 in the afternoon', '4 p.m. today'],
  ['2026-03-17T16:25', 'in 2 h', '2 h', '2hrs', 'two hours', 'for the next 2 hours'],
  ['2026-03-17T16:25', 'in a couple of hours', '2 hours from now', '2 hours later'],
  ['2026-03-17T16:55', '2 and a half hours', '2 hours 30 minutes'],
  ['2026-03-17T17:30', '17.30', '17h30', '1730', '5:30 pm', 'half past five pm'],
  ['2026-03-17T18:00', 'today 18', 'this evening', 'eod', 'by end of day', 'COB'],
  ['2026-03-17T20:00', 'tonight', 'tonight at 8', '8 in the evening', 'today 20'],
  ['2026-03-17T21:00', '9pm', '9 p.m.', '9p', 'till 9 pm'],
  ['2026-03-18T00:00', '12 am', 'midnight', '24:00'],
  ['2026-03-18T02:00', '2 at night', '2:00', '02:00'],
  ['2026-03-18T04:45', 'quarter to 5', 'a quarter to five am'],
  ['2026-03-18T08:15', 'tomorrow at 8:15', '8.15 a.m. tomorrow', 'tomorrow morning 8:15'],
  ['2026-03-18T09:00', 'Tomorrow', 'tmrw', 'tomorrow morning', 'in the morning', '9 am'],
  ['2026-03-18T09:00', 'first thing tomorrow', '9 am tomorrow', 'until tomorrow'],
  ['2026-03-18T09:30', '9.30', '09:30'],
  ['2026-03-18T10:00', '2026-03-18T10:00', '2026-03-18 10:00', '2026-03-18 10am', 'weds 10'],
  ['2026-03-18T12:00', 'noon', '12 noon', 'midday', 'tomorrow at noon', 'noon tomorrow'],
  ['2026-03-18T14:00', 'tomorrow 14', 'tomorrow afternoon', '14:00 tomorrow'],
  ['2026-03-18T18:00', 'eod tomorrow', 'tomorrow evening'],
  ['2026-03-18T19:00', 'tomorrow evening 7', 'tomorrow night at 7'],
  ['2026-03-19T09:00', 'day after tomorrow', 'the day after tomorrow', '2 days 9:00'],
  ['2026-03-19T18:25', '2d 4h', 'in 2 days and 4 hours'],
  ['2026-03-20T09:00', 'Friday', 'fri.', 'this friday', 'next friday', 'in 3 days at 9'],
  [
    '2026-03-20T09:00',
    '20 march',
    'March 20th',
    '20th of march',
    'the 20th',
    '20.3.',
    '2026-03-20',
  ],
  [
    '2026-03-20T10:00',
    'next friday 10',
    'fri 20 mar 10:00',
    'Mar 20, 2026 10am',
    '20.03.2026 10:00',
  ],
  ['2026-03-20T14:00', '14:00 on friday', 'friday - 14:00', 'fri@14'],
  ['2026-03-20T18:00', 'eow', 'end of the week', 'friday eod'],
  ['2026-03-21T09:00', 'weekend', 'this weekend', 'sat'],
  ['2026-03-22T23:59', 'sun 23:59', '11:59 pm sunday'],
  ['2026-03-23T09:00', 'next monday', 'mon', 'next week', 'monday next week'],
  ['2026-03-24T09:00', 'tue', 'next tuesday', 'tuesday next week'],
  ['2026-03-24T09:30', 'tue 9:30', 'tue, 9:30', 'Tuesday at 9:30am', '9:30 tue'],
  ['2026-03-24T14:25', 'in a week', '1w'],
  ['2026-03-27T09:00', 'friday next week', 'next week friday', '27 march'],
  ['2026-04-01T09:30', 'April 1st, 9:30', '1 apr 9.30'],
  ['2027-03-01T09:00', '1 march', '1 march 2027', '1st of march'],
  ['2028-02-29T09:00', '29 feb'],
  ['2099-03-04T05:06', '2099-03-04 05:06', '4 mar 2099 5:06'],
])('it is %s by “%s”', (moment, ...texts) => {
  for (const text of texts) expect([text, readMoment(text, now)]).toEqual([text, local(moment)])
})

test('early on a Tuesday, “next tuesday” isn’t today', () => {
  const early = local('2026-03-17T06:00')
  expect(readMoment('tuesday', early)).toBe(local('2026-03-17T09:00'))
  expect(readMoment('next tuesday', early)).toBe(local('2026-03-24T09:00'))
})

test.each([
  ['That is not in the future.', 'today 9', 'this morning', '2020-01-01T10:00', '1 march 2026'],
  ['That is not in the future.', '31 june', '0 min', 'tue wed', 'saturday 20 march 2026'],
  ['Type 5 am, 5 pm or 5 min.', '5', 'at 5', 'until 5', 'in 5'],
  ['Type 14:00 or 14 min.', '14', 'for 14'],
  ['Type 90 h or 90 min.', '90', 'in 90'],
  ['Not a time. Type “tue 9:30”, “in 2 h” or “20 march”.', 'soon', 'later', 'asap', 'now', '-2 h'],
  ['Not a time. Type “tue 9:30”, “in 2 h” or “20 march”.', '25:00', '9:61', '13 pm', 'tomorrow 25'],
  ['Not a time. Type “tue 9:30”, “in 2 h” or “20 march”.', 'tue x', 'mo', 'the', 'at', 'next'],
  ['Not a time. Type “tue 9:30”, “in 2 h” or “20 march”.', '2 weekdays', '14 soon', '1 mayhem 9'],
  ['Not a time. Type “tue 9:30”, “in 2 h” or “20 march”.', '14:30 UTC', '9am 10am', '3/20'],
  ['Not a time. Type “tue 9:30”, “in 2 h” or “20 march”.', 'eternity', 'tue '.repeat(100)],
  ['', '', ' ', 'tue'],
])('“%s” is said of “%s”', (problem, ...texts) => {
  for (const text of texts) {
    expect([text, momentProblem(text, now)]).toEqual([text, problem])
    expect([text, readMoment(text, now) === null]).toEqual([text, text.trim() !== 'tue'])
  }
})
