import { dayMs, type WallTime, wallClock } from '../wall-clock.ts'

/**
 * Cron as the service runs it (its library is cronsim 2.7), to the minute: what it reads, what it
 * refuses, and what it makes of nights when clocks change.
 */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  /** 1 to 31, `lastDay`, `lastWorkday`. */
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 (Sunday) to 6, and what `weekdayInMonth` makes of them. */
  readonly weekdays: ReadonlySet<number>
  /** Day and weekday must both fit, since one of the two begins with a star; else either will do. */
  readonly bothDays: boolean
  /**
   * No star at minute and hour. Such a time comes once a day whatever the clocks do: one that they
   * leave out comes when they go on, one that they show twice the first time only. All others are
   * counted in time that passes.
   */
  readonly byWallClock: boolean
}

/** Nothing in a request distinguishes the two: five parts on one line are cron, all else OnCalendar. */
export function isCronExpression(expression: string): boolean {
  return !expression.trim().includes('\n') && partsOf(expression).length === 5
}

function partsOf(expression: string): string[] {
  return expression.split(/\s+/).filter((part) => part !== '')
}

/** The schedule, or in a sentence why the server would refuse it. */
export function parseCron(
  expression: string,
): { readonly schedule: CronSchedule } | { readonly error: string } {
  if (!isCronExpression(expression))
    return { error: 'A cron expression has five fields: minute, hour, day, month, weekday.' }
  try {
    const schedule = readFields(partsOf(expression.toUpperCase()))
    const never = neverComes(schedule)
    return never === null ? { schedule } : { error: never }
  } catch (error) {
    if (error instanceof CronRefusal) return { error: error.message }
    throw error
  }
}

/** The server wants a day that some month has, weekday or not, and a run in the 50 years from 2000. */
function neverComes(schedule: CronSchedule): string | null {
  const firstDay = Math.min(...schedule.days)
  // Of a leap year.
  const longest = Math.max(...[...schedule.months].map((month) => daysIn(2000, month)))
  if (firstDay > longest) return `It never runs: these months have no day ${firstDay}.`
  return nextRun(schedule, Date.UTC(2000), 'UTC') === null
    ? 'It never runs: no date fits both its day and its weekday.'
    : null
}

/** To how many years on a search gives up. */
const horizonYears = 50

/**
 * The run that the server expects after a moment, both in epoch ms; null when there is none in 50
 * years. Throws a RangeError for a zone that this runtime does not know. Where clocks show a time
 * twice, the answer for its second pass may lie at or before `from`: so it does on the server.
 */
export function nextRun(schedule: CronSchedule, from: number, zone: string): number | null {
  const clock = wallClock(zone)
  const later: Later = schedule.byWallClock
    ? ({ shown }, seconds) => ({ shown: shown + seconds * 1000, again: false })
    : (wall, seconds) => clock.at(clock.moment(wall) + seconds * 1000)
  let wall = later(clock.at(Math.floor(from / 1000) * 1000), 1)
  const lastYear = new Date(wall.shown).getUTCFullYear() + horizonYears
  let backAt: number | null = null
  for (;;) {
    wall = inMonth(schedule, wall)
    if (new Date(wall.shown).getUTCFullYear() > lastYear) return null
    const moved =
      toDay(schedule, wall) ??
      toHour(schedule, wall, later) ??
      toMinute(schedule, wall, later) ??
      toFullMinute(wall, later)
    if (moved === null) break
    const at = clock.moment(moved)
    if (at < clock.moment(wall)) {
      // As `47 */3 * * *` in Pacific/Chatham on the autumn night: the server never gets out of it.
      if (at === backAt) return null
      backAt = at
    }
    wall = moved
  }
  // A time that the clocks leave out comes when they go on.
  while (schedule.byWallClock && clock.at(clock.moment(wall)).shown !== wall.shown)
    wall = later(wall, minuteSeconds)
  return clock.moment(wall)
}

/** The next runs after a moment, epoch ms: fewer than `count` when no more come. Throws as `nextRun`. */
export function nextRuns(
  schedule: CronSchedule,
  from: number,
  zone: string,
  count: number,
): readonly number[] {
  const runs: number[] = []
  for (let at = from; runs.length < count; ) {
    const run = nextRun(schedule, at, zone)
    if (run === null) break
    runs.push(run)
    at = run
  }
  return runs
}

/** So much later on a clock. */
type Later = (wall: WallTime, seconds: number) => WallTime

const minuteSeconds = 60
const hourSeconds = 60 * minuteSeconds

function inMonth({ months }: CronSchedule, wall: WallTime): WallTime {
  let at = new Date(wall.shown)
  if (months.has(at.getUTCMonth() + 1)) return wall
  while (!months.has(at.getUTCMonth() + 1))
    at = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
  return { shown: at.getTime(), again: false }
}

/*
 * The steps of a search go as the server's do, also where that looks odd: hours are counted in time
 * that passes from the last full one, so that half an hour's change of clocks shifts the runs after
 * it. Each is null for a time that fits, else where to look on.
 */

function toDay(schedule: CronSchedule, wall: WallTime): WallTime | null {
  let midnight = Math.floor(wall.shown / dayMs) * dayMs
  if (fitsDay(schedule, midnight)) return null
  do midnight += dayMs
  while (!fitsDay(schedule, midnight) && new Date(midnight).getUTCDate() !== 1)
  return { shown: midnight, again: false }
}

function toHour({ hours }: CronSchedule, wall: WallTime, later: Later): WallTime | null {
  const hour = ({ shown }: WallTime) => new Date(shown).getUTCHours()
  if (hours.has(hour(wall))) return null
  let at = atFull(hourSeconds, wall)
  do at = later(at, hourSeconds)
  while (!hours.has(hour(at)) && hour(at) !== 0)
  return at
}

function toMinute({ minutes }: CronSchedule, wall: WallTime, later: Later): WallTime | null {
  const minute = ({ shown }: WallTime) => new Date(shown).getUTCMinutes()
  if (minutes.has(minute(wall))) return null
  let at = atFull(minuteSeconds, wall)
  const [only = 0] = minutes
  if (minutes.size === 1) at = later(at, ((only - minute(at) + 60) % 60) * minuteSeconds)
  while (!minutes.has(minute(at))) {
    at = later(at, minuteSeconds)
    if (minute(at) === 0) break
  }
  return at
}

function toFullMinute(wall: WallTime, later: Later): WallTime | null {
  const second = new Date(wall.shown).getUTCSeconds()
  return second === 0 ? null : later(wall, minuteSeconds - second)
}

function atFull(seconds: number, { shown, again }: WallTime): WallTime {
  return { shown: shown - (shown % (seconds * 1000)), again }
}

function fitsDay({ days, weekdays, bothDays }: CronSchedule, midnight: number): boolean {
  const at = new Date(midnight)
  const date = at.getUTCDate()
  const weekday = at.getUTCDay()
  const last = daysIn(at.getUTCFullYear(), at.getUTCMonth() + 1)
  // From a Saturday or Sunday back to the Friday.
  const weekdayOfLast = (weekday + last - date) % 7
  const workday = last - (weekdayOfLast === 6 ? 1 : weekdayOfLast === 0 ? 2 : 0)
  const fitsDate =
    days.has(date) ||
    (date === last && days.has(lastDay)) ||
    (date === workday && days.has(lastWorkday))
  const fitsWeekday =
    weekdays.has(weekday) ||
    weekdays.has(weekdayInMonth(weekday, Math.ceil(date / 7))) ||
    (date + 7 > last && weekdays.has(weekdayInMonth(weekday, lastWeek)))
  return bothDays ? fitsDate && fitsWeekday : fitsDate || fitsWeekday
}

/** `month`: 1 to 12. */
function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** The last day of the month, among days of the month. */
const lastDay = -1
/** The last of them from Monday to Friday. */
const lastWorkday = -2

/** A weekday of a certain week: `MON#2` is 21, `5L` is 65. Whole weekdays are below 10. */
function weekdayInMonth(weekday: number, week: number): number {
  return week * 10 + weekday
}
/** In place of a week: the last one of the month. */
const lastWeek = 6

/** Why an expression is none, in a sentence that says what to write instead. */
class CronRefusal extends Error {}

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names of its numbers, from `min` up. */
  readonly names: readonly string[]
  /** What it takes, for the message to whoever wrote something else. */
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

/** Five fields in upper case. Throws a CronRefusal. */
function readFields(parts: readonly string[]): CronSchedule {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = parts
  const startsWithStar = (text: string) => text.startsWith('*')
  return {
    minutes: new Set(readField(minute, minutes)),
    hours: new Set(readField(hour, hours)),
    days: new Set(readField(day, days)),
    months: new Set(readField(month, months)),
    // Sunday is 0 and 7, but only once a step has counted through the eight.
    weekdays: new Set(readField(weekday, weekdays).map((one) => (one % 10 === 7 ? one - 7 : one))),
    bothDays: startsWithStar(days) || startsWithStar(weekdays),
    byWallClock: !startsWithStar(minutes) && !startsWithStar(hours),
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
    throw new CronRefusal(
      `“${text}” is not a valid weekday: the last Friday, for example, is 5L, by its number.`,
    )
  return weekdayInMonth(readValue(weekday, number), lastWeek)
}

function readNthWeekday(text: string): number {
  const [name, nth] = splitAt(text, '#')
  if (!isWhole(nth) || Number(nth) < 1 || Number(nth) > 5)
    throw new CronRefusal(`“${text}” is not a valid weekday: after # comes a number from 1 to 5.`)
  return weekdayInMonth(readValue(weekday, name), Number(nth))
}

function readSteps(field: Field, text: string): readonly number[] {
  const [term, step] = splitAt(text, '/')
  if (!isWhole(step) || Number(step) === 0)
    throw new CronRefusal(`The step in “${text}” is not a whole number from 1 up.`)
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
    throw new CronRefusal(`“${text}” is not a valid ${field.name}: use ${field.takes}.`)
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
