import { dayMs, type WallTime, wallClock } from '../wall-clock.ts'

/**
 * Cron exactly as the service's library (cronsim 2.7) has it: what it accepts, what it refuses, and
 * what it does when clocks change.
 */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  /** 1 to 31, `lastDay`, `lastWorkday`. */
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 (Sunday) to 6, and values of `weekdayInMonth`. */
  readonly weekdays: ReadonlySet<number>
  /** Day and weekday must both match, since one of them begins with a star; else one suffices. */
  readonly bothDays: boolean
  /**
   * Neither minute nor hour begins with a star. Such a time occurs once even if clocks change: a
   * skipped one when they go forward, a repeated one only the first time. All others are counted in
   * elapsed time.
   */
  readonly byWallClock: boolean
}

/** Requests don't say which it is: five parts on one line are cron, everything else OnCalendar. */
export function isCronExpression(expression: string): boolean {
  return !expression.trim().includes('\n') && partsOf(expression).length === 5
}

function partsOf(expression: string): string[] {
  return expression.split(/\s+/).filter((part) => part !== '')
}

/** The schedule, or a sentence saying why the server would refuse it. */
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

/** The server requires a day that a month has, even with a weekday, and a run in 2000 to 2050. */
function neverComes(schedule: CronSchedule): string | null {
  const firstDay = Math.min(...schedule.days)
  // 2000 is a leap year.
  const longest = Math.max(...[...schedule.months].map((month) => daysIn(2000, month)))
  if (firstDay > longest) return `It never runs: these months have no day ${firstDay}.`
  return nextRun(schedule, Date.UTC(2000), 'UTC') === null
    ? 'It never runs: no date fits both its day and its weekday.'
    : null
}

/** A search gives up after this. */
const horizonYears = 50

/**
 * The next run after `from` as the server computes it, both in epoch ms; null if there is none in
 * 50 years. Throws a RangeError for a zone that this runtime does not know. If `from` is in an hour
 * that occurs for the second time, the result may lie at or before it, as on the server.
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
      // As for `47 */3 * * *` in Pacific/Chatham when clocks go back: the server loops for ever.
      if (at === backAt) return null
      backAt = at
    }
    wall = moved
  }
  // A skipped time runs when clocks go forward.
  while (schedule.byWallClock && clock.at(clock.moment(wall)).shown !== wall.shown)
    wall = later(wall, minuteSeconds)
  return clock.moment(wall)
}

/** The next runs after `from`, epoch ms; may be fewer than `count`. Throws as `nextRun`. */
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

/** Adds seconds to a local time. */
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
 * The search takes the server's steps, even where that looks odd: hours are counted in elapsed time
 * from the last full one, so that a clock change of half an hour shifts the runs after it. Each
 * step returns null if the time matches, else where to continue.
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
  // On a weekend, goes back to Friday.
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

/**
 * Of the schedule's months, 1 to 12, those that are too short for all of its days. `leap`: in a leap
 * year.
 */
export function shortMonths(schedule: CronSchedule, leap: boolean): readonly number[] {
  const { days, months, weekdays, bothDays } = schedule
  // Where one of them suffices, a weekday comes in every month.
  if (!bothDays && weekdays.size > 0 && weekdays.size < 7) return []
  const first = Math.min(...days)
  return [...months]
    .filter((month) => first > daysIn(leap ? 2000 : 2001, month))
    .sort((a, b) => a - b)
}

/** In `days`: the last day of the month. */
const lastDay = -1
/** In `days`: the last day of the month that is from Monday to Friday. */
const lastWorkday = -2

/** A weekday in one week of the month: `MON#2` is 21, `5L` is 65. Plain weekdays are below 10. */
function weekdayInMonth(weekday: number, week: number): number {
  return week * 10 + weekday
}
/** As a week: the last one of the month. */
const lastWeek = 6

/** The message is a sentence that says what to write instead. */
class CronRefusal extends Error {}

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names of its values, from `min` up. */
  readonly names: readonly string[]
  /** The valid values, for the error message. */
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
    // Sunday is both 0 and 7; merged only here, since a step counts through all eight values.
    weekdays: new Set(readField(weekday, weekdays).map((one) => (one % 10 === 7 ? one - 7 : one))),
    bothDays: startsWithStar(days) || startsWithStar(weekdays),
    byWallClock: !startsWithStar(minutes) && !startsWithStar(hours),
  }
}

/** Parses in the server's order: lists before their items, steps before ranges. */
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
      `“${text}” is not a valid weekday: use its number, such as 5L for the last Friday.`,
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
    throw new CronRefusal(`The step in “${text}” must be a whole number, at least 1.`)
  const values = [...new Set(readField(field, term))].sort((one, other) => one - other)
  const [first = 0] = values
  if (first < 0) return values
  // Steps from a single value go to the end of the field.
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

/** Splits at the first `mark`. */
function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
