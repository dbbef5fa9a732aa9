/** The last day of the month, among days of the month. */
export const lastDay = -1
/** The last of them from Monday to Friday. */
export const lastWorkday = -2

/** A weekday of a certain week: `MON#2` is 21, `5L` is 65. Whole weekdays are below 10. */
export function weekdayInMonth(weekday: number, week: number): number {
  return week * 10 + weekday
}
/** In place of a week: the last one of the month. */
export const lastWeek = 6

/** Why an expression is none, in a sentence that says what to write instead. */
export class CronRefusal extends Error {}

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names of its numbers, from `min` up. */
  readonly names: readonly string[]
  /** What it takes, as told to who wrote something else. */
  readonly takes: string
}

const minute: Field = { name: 'minute', min: 0, max: 59, names: [], takes: '0 to 59' }
const hour: Field = { name: 'hour', min: 0, max: 23, names: [], takes: '0 to 23' }
const day: Field = {
  name: 'day of the month',
  min: 1,
  max: 31,
  names: [],
  takes: '1 to 31, L (the last) or LW (the last from Monday to Friday)',
}
const month: Field = {
  name: 'month',
  min: 1,
  max: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  takes: '1 to 12 or JAN to DEC',
}
const weekday: Field = {
  name: 'weekday',
  min: 0,
  max: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  takes: '0 to 7 or SUN to SAT',
}

export interface CronFields {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  /** 1 to 31, `lastDay`, `lastWorkday`. */
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 (Sunday) to 6, and what `weekdayInMonth` makes of them. */
  readonly weekdays: ReadonlySet<number>
}

/** The values of five fields in upper case. Throws a CronRefusal. */
export function readCronFields(parts: readonly string[]): CronFields {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = parts
  return {
    minutes: new Set(readField(minute, minutes)),
    hours: new Set(readField(hour, hours)),
    days: new Set(readField(day, days)),
    months: new Set(readField(month, months)),
    // Sunday is 0 and 7, but only once a step has counted through the eight.
    weekdays: new Set(readField(weekday, weekdays).map((one) => (one % 10 === 7 ? one - 7 : one))),
  }
}

/** The server's order: a list before what its parts are, a step before its range. */
function readField(field: Field, text: string): readonly number[] {
  if (text === '*') return range(field.min, field.max)
  if (text.includes(',')) return text.split(',').flatMap((part) => readField(field, part))
  if (field === weekday && text.includes('L')) return [readLastWeekday(text)]
  if (field === weekday && text.includes('#')) return [readNthWeekday(text)]
  if (text.includes('/')) return readSteps(field, text)
  if (text.includes('-')) return readRange(field, text)
  if (field === day && text === 'LW') return [lastWorkday]
  if (field === day && text === 'L') return [lastDay]
  return [readValue(field, text)]
}

function readLastWeekday(text: string): number {
  const number = text.slice(0, -1)
  if (!text.endsWith('L') || !isWhole(number))
    throw new CronRefusal(`“${text}” is no weekday: the last Friday, say, is 5L, with its number.`)
  return weekdayInMonth(readValue(weekday, number), lastWeek)
}

function readNthWeekday(text: string): number {
  const [name, nth] = splitAt(text, '#')
  if (!isWhole(nth) || Number(nth) < 1 || Number(nth) > 5)
    throw new CronRefusal(`“${text}” is no weekday: after # comes which one it is, 1 to 5.`)
  return weekdayInMonth(readValue(weekday, name), Number(nth))
}

function readSteps(field: Field, text: string): readonly number[] {
  const [term, step] = splitAt(text, '/')
  if (!isWhole(step) || Number(step) === 0)
    throw new CronRefusal(`The step in “${text}” is no number from 1 up.`)
  const values = [...new Set(readField(field, term))].sort((one, other) => one - other)
  const [first = 0] = values
  if (first < 0) return values
  // From a single value on, steps go to the end of the field.
  const stepped = values.length === 1 ? range(first, field.max) : values
  return stepped.filter((_, index) => index % Number(step) === 0)
}

function readRange(field: Field, text: string): readonly number[] {
  const [first, last] = splitAt(text, '-').map((end) => readValue(field, end))
  if (first === undefined || last === undefined || last < first)
    throw new CronRefusal(
      `The ${field.name} ${text} runs backwards: write it as two, with a comma.`,
    )
  return range(first, last)
}

function readValue(field: Field, text: string): number {
  const named = field.names.indexOf(text)
  if (named >= 0) return field.min + named
  if (text === '')
    throw new CronRefusal(`The ${field.name} has an empty part: look at its commas and dashes.`)
  const value = Number(text)
  if (!isWhole(text) || value < field.min || value > field.max)
    throw new CronRefusal(`“${text}” is no ${field.name}: use ${field.takes}.`)
  return value
}

function isWhole(text: string): boolean {
  return /^[0-9]+$/.test(text)
}

/** In two at the first one. */
function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
