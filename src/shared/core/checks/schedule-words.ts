import { everyWords, periodWords, timeOfDayWords } from '../time.ts'
import { listWords } from '../wording.ts'
import type { Schedule } from './check.ts'
import { parseCron, shortMonths } from './cron.ts'

/** "every hour", "at 03:00 every day, Berlin time", else "cron 0 3 1-7 * 1 (Europe/Berlin)". */
export function scheduleWords(schedule: Schedule): string {
  if (schedule.kind === 'period') return everyWords(periodWords(schedule.periodSeconds))
  const { expression, zone } = schedule
  const words = cronWords(schedule.kind === 'cron' ? expression : cronOf(expression))
  if (words !== null) return `${words}, ${zoneWords(zone)}`
  const line = expression
    .split('\n')
    .map((part) => part.trim())
    .join('; ')
  return `${schedule.kind === 'cron' ? 'cron' : 'calendar'} ${line} (${zone})`
}

const calendarWords = new Map([
  ['hourly', '0 * * * *'],
  ['daily', '0 0 * * *'],
  ['weekly', '0 0 * * 1'],
  ['monthly', '0 0 1 * *'],
])

/** A common OnCalendar expression ("Mon..Fri 9:00", "*-*-* 04:30:00", "daily") as cron, else "". */
function cronOf(calendar: string): string {
  const named = calendarWords.get(calendar.trim().toLowerCase())
  const found =
    /^(?:([a-z]{3}(?:(?:,|\.\.)[a-z]{3})*)\s+)?(?:\*-\*-(\*|\d{1,2})\s+)?(\*|[\d,]+):(\d{1,2})(?::0{1,2})?$/i.exec(
      calendar.trim(),
    )
  if (named !== undefined || found === null) return named ?? ''
  const [, weekday = '*', day = '*', hour = '', minute = ''] = found
  return `${minute} ${hour} ${day} * ${weekday.replace('..', '-')}`
}

/** "Berlin time", "UTC". */
function zoneWords(zone: string): string {
  const city = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone
  return zone.includes('/') && !zone.startsWith('Etc/') ? `${city} time` : city
}

/** Null if the words would be longer than the expression, or might not mean the same. */
function cronWords(expression: string): string | null {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = expression
    .trim()
    .split(/\s+/)
  if (more.length > 0 || month !== '*') return null
  const days = dayWords(day, weekday)
  if (days === null) return null
  const often = oftenWords(minute, hour)
  if (often !== null) return days === 'every day' ? often : `${often} ${days}`
  const minutes = numbers(minute, 59)
  const hours = numbers(hour, 23)
  if (minutes?.length !== 1 || hours === null || hours.length > 4) return null
  const times = hours.map((at) => timeOfDayWords(`${at}:${minutes[0]}`))
  return `at ${listWords(times)} ${days}`
}

const monthNames =
  'January February March April May June July August September October November December'.split(' ')

/**
 * Which months a schedule skips as they are too short, in a sentence; null if it skips none, or it isn't
 * known.
 */
export function skippedMonths({ kind, expression }: Exclude<Schedule, { kind: 'period' }>) {
  const read = parseCron(kind === 'cron' ? expression : cronOf(expression))
  if ('error' in read) return null
  const [never, often] = [true, false].map((leap) => shortMonths(read.schedule, leap))
  const months = listWords((often ?? []).map((month) => monthNames[month - 1] ?? ''))
  if (months === '') return null
  return `Skips ${months}${never?.length === often?.length ? '' : ', except in leap years'}.`
}

/** For what repeats within a day; null for times of day. */
function oftenWords(minute: string, hour: string): string | null {
  const everyMinutes = stepOf(minute, 60)
  if (hour === '*' && everyMinutes !== null) return everyWords(`${everyMinutes} min`)
  const at = numbers(minute, 59)
  const everyHours = stepOf(hour, 24)
  if (at?.length !== 1 || everyHours === null) return null
  const past = at[0] === 0 ? '' : `, ${at[0]} min past`
  return `${everyWords(`${everyHours} h`)}${past}`
}

/** A field's step; null if there is none, or it doesn't divide `whole` into equal intervals. */
function stepOf(field: string, whole: number): number | null {
  if (field === '*') return 1
  const step = Number(/^\*\/(\d{1,2})$/.exec(field)?.[1] ?? 0)
  return step > 0 && step < whole && whole % step === 0 ? step : null
}

/** "1,15" in ascending order, each once; null for anything else. */
function numbers(field: string, most: number): readonly number[] | null {
  if (!/^\d{1,2}(?:,\d{1,2})*$/.test(field)) return null
  const all = [...new Set(field.split(',').map(Number))].sort((one, other) => one - other)
  return all.every((one) => one <= most) ? all : null
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

function dayWords(day: string, weekday: string): string | null {
  if (weekday === '*') {
    if (day === '*') return 'every day'
    const days = numbers(day, 31)
    const [only] = days ?? []
    if (days?.length !== 1 || only === undefined || only === 0) return null
    return `on day ${only} of every month${only > 28 ? ` that has one` : ''}`
  }
  if (day !== '*') return null
  const named = weekday.replace(/[a-z]{3}/gi, (name) => {
    const at = weekdays.findIndex((one) => one.slice(0, 3).toLowerCase() === name.toLowerCase())
    return at === -1 ? name : String(at)
  })
  if (named === '1-5') return 'on weekdays'
  const days = numbers(named, 7)
  if (days === null) return null
  // Sunday is 0 and 7, and the last day of the week.
  const ordered = [...new Set(days.map((one) => one % 7))].sort(
    (one, other) => ((one + 6) % 7) - ((other + 6) % 7),
  )
  return `on ${listWords(ordered.map((one) => `${weekdays[one]}s`))}`
}
