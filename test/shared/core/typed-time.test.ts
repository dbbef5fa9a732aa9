import { expect, test } from 'vitest'
import { readMoment } from '../../../src/shared/core/typed-time.ts'

const local = (text: string): number => new Date(text).getTime()
/** A Tuesday. */
const now = local('2026-03-17T14:25')

test.each([
  ['in 2 h', '2026-03-17T16:25'],
  ['2 h', '2026-03-17T16:25'],
  ['for 90 min', '2026-03-17T15:55'],
  ['15:00', '2026-03-17T15:00'],
  ['until 15:00', '2026-03-17T15:00'],
  ['9.30', '2026-03-18T09:30'],
  ['9 am', '2026-03-18T09:00'],
  ['3pm', '2026-03-17T15:00'],
  ['12 am', '2026-03-18T00:00'],
  ['tomorrow 14', '2026-03-18T14:00'],
  ['Tomorrow', '2026-03-18T09:00'],
  ['tomorrow at 8:15', '2026-03-18T08:15'],
  ['tue 9:30', '2026-03-24T09:30'],
  ['tue 15', '2026-03-17T15:00'],
  ['Friday', '2026-03-20T09:00'],
  ['sun 23:59', '2026-03-22T23:59'],
  ['today 18', '2026-03-17T18:00'],
  ['9:30 tue', '2026-03-24T09:30'],
  ['9 am tomorrow', '2026-03-18T09:00'],
  ['14:00 on friday', '2026-03-20T14:00'],
  ['2026-03-18T10:00', '2026-03-18T10:00'],
  ['in half an hour', '2026-03-17T14:55'],
  ['an hour', '2026-03-17T15:25'],
  ['in a week', '2026-03-24T14:25'],
  ['noon', '2026-03-18T12:00'],
  ['tomorrow morning', '2026-03-18T09:00'],
  ['this evening', '2026-03-17T18:00'],
  ['next friday 10', '2026-03-20T10:00'],
  ['next week', '2026-03-23T09:00'],
  ['1 apr', '2026-04-01T09:00'],
  ['April 1st, 9:30', '2026-04-01T09:30'],
  ['1 march', '2027-03-01T09:00'],
  ['2026-03-18 10:00', '2026-03-18T10:00'],
])('“%s” is %s', (text, moment) => {
  expect(readMoment(text, now)).toBe(local(moment))
})

test.each([
  '',
  '14',
  'soon',
  'today 9',
  '25:00',
  '9:61',
  '13 pm',
  'tue x',
  '2020-01-01T10:00',
  '-2 h',
  'mo',
  '2 weekdays',
  '14 soon',
  '31 june',
  '1 mayhem 9',
])('“%s” is no moment to come', (text) => {
  expect(readMoment(text, now)).toBeNull()
})
