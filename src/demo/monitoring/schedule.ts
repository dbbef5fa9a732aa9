import { isCronExpression, nextRun, parseCron } from '../../shared/core/checks/cron.ts'
import { isKnownZone as isZoneHere, wallClock } from '../../shared/core/wall-clock.ts'
import { dayMs, hourMs, minuteMs } from '../answers.ts'

/** When a schedule fires next, epoch ms; null if never again. */
export type NextRun = (after: number) => number | null

/** Long enough to find a 29 February, and to give up on a 30 February. */
const horizonDays = 5 * 366

/**
 * When a cron or OnCalendar expression fires in a time zone; null if it is neither. For OnCalendar,
 * the demo supports dates, weekdays and one time; a line may name its own zone.
 */
export function parseSchedule(expression: string, zone: string): NextRun | null {
  if (!isCronExpression(expression))
    return parseOnCalendar(expression.trim().split(/\s*\n\s*/), zone)
  const read = parseCron(expression)
  return 'error' in read ? null : (after) => nextRun(read.schedule, after, zone)
}

/**
 * Converts from wall-clock time, which the rest of this file treats as UTC. Around DST changes the
 * runtime's offsets decide, which is close enough for a demo.
 */
function inZone(next: NextRun, zone: string): NextRun {
  const clock = wallClock(zone)
  return (after) => {
    const hit = next(clock.at(after).shown)
    return hit === null ? null : clock.moment({ shown: hit, again: false })
  }
}

/** Fires at one time of day on each matching day. */
function hits(isDay: (day: Date) => boolean, timeMs: number): NextRun {
  return (after) => {
    const today = Math.floor(after / dayMs) * dayMs
    for (let n = 0; n < horizonDays; n += 1) {
      const midnight = today + n * dayMs
      if (isDay(new Date(midnight)) && midnight + timeMs > after) return midnight + timeMs
    }
    return null
  }
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Each line is a schedule; the earliest next run counts. */
function parseOnCalendar(lines: readonly string[], zone: string): NextRun | null {
  const all = lines.map((line) => parseCalendarLine(line, zone))
  const known = all.filter((line) => line !== null)
  if (known.length < all.length) return null
  const next: NextRun = (after) => {
    const runs = known.map((line) => line(after)).filter((run) => run !== null)
    return runs.length === 0 ? null : Math.min(...runs)
  }
  return next(Date.UTC(2000)) === null && next(Date.UTC(2020)) === null ? null : next
}

const calendarLine =
  /^(?:((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:(?:\.\.|,)(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun))*)\s+)?(?:(\*|\d{4})-(\*|\d{1,2})-(\*|\d{1,2})\s+)?(\d{1,2}):(\d{2})(?::00)?(?:\s+([A-Z][\w/+-]*))?$/

function parseCalendarLine(line: string, zone: string): NextRun | null {
  const match = calendarLine.exec(line)
  if (match === null) return null
  const [, days, year = '*', month = '*', date = '*', hour = '', minute = '', own = zone] = match
  if (Number(hour) > 23 || Number(minute) > 59 || !isKnownZone(own)) return null
  const wanted = days === undefined ? null : calendarDays(days)
  const fits = (pattern: string, value: number) => pattern === '*' || Number(pattern) === value
  const next = hits(
    (day) =>
      (wanted?.has(day.getUTCDay()) ?? true) &&
      fits(year, day.getUTCFullYear()) &&
      fits(month, day.getUTCMonth() + 1) &&
      fits(date, day.getUTCDate()),
    Number(hour) * hourMs + Number(minute) * minuteMs,
  )
  return inZone(next, own)
}

function calendarDays(text: string): ReadonlySet<number> {
  const days = new Set<number>()
  for (const part of text.toLowerCase().split(',')) {
    const [from = '', to = from] = part.split('..')
    const last = weekdays.indexOf(to)
    for (let day = weekdays.indexOf(from); ; day = (day + 1) % 7) {
      days.add(day)
      if (day === last) break
    }
  }
  return days
}

/** Spelled as in the tz database: the runtime would also accept any case, and offsets. */
export function isKnownZone(zone: string): boolean {
  return /^[A-Z]/.test(zone) && isZoneHere(zone)
}
