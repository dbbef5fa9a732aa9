/** When a schedule hits next, epoch ms; null when it never does again. */
export type NextRun = (after: number) => number | null

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Five years and a leap day: a 29 February is found, a 30 February given up. */
const horizonDays = 5 * 366

/**
 * The hits of a cron or OnCalendar expression by the clocks of a zone, or null when it is none. Of
 * OnCalendar the demo knows dates, weekdays and one time; a line may name a zone of its own.
 */
export function parseSchedule(expression: string, zone: string): NextRun | null {
  const parts = expression.trim().split(/\s+/)
  if (expression.includes('\n') || parts.length !== 5)
    return parseOnCalendar(expression.trim().split(/\s*\n\s*/), zone)
  const cron = parseCron(parts)
  return cron === null ? null : inZone(cron, zone)
}

/**
 * Hits by wall clocks, which the rest of this file counts as if they showed UTC. An hour that a
 * clock leaves out or shows twice is taken as the runtime's offsets have it, near enough for a demo.
 */
function inZone(next: NextRun, zone: string): NextRun {
  if (zone === 'UTC') return next
  const wallClock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  })
  const offsetMs = (at: number) => {
    const name = wallClock.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? []
    const ms = Number(hours ?? 0) * hourMs + Number(minutes ?? 0) * minuteMs
    return sign === '-' ? -ms : ms
  }
  return (after) => {
    const hit = next(after + offsetMs(after))
    if (hit === null) return null
    const near = hit - offsetMs(hit)
    return hit - offsetMs(near)
  }
}

type Values = ReadonlySet<number>

interface DaysAndTimes {
  readonly isDay: (day: Date) => boolean
  readonly hours: Values
  readonly minutes: Values
}

function hits({ isDay, hours, minutes }: DaysAndTimes): NextRun {
  const times = [...hours]
    .flatMap((hour) => [...minutes].map((minute) => hour * hourMs + minute * minuteMs))
    .sort((one, other) => one - other)
  return (after) => {
    const today = Math.floor(after / dayMs) * dayMs
    for (let n = 0; n < horizonDays; n += 1) {
      const midnight = today + n * dayMs
      if (!isDay(new Date(midnight))) continue
      const time = times.find((offset) => midnight + offset > after)
      if (time !== undefined) return midnight + time
    }
    return null
  }
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

function parseCron(parts: readonly string[]): NextRun | null {
  const [minute = '', hour = '', date = '', month = '', weekday = ''] = parts
  const minutes = cronField(minute, 0, 59)
  const hours = cronField(hour, 0, 23)
  const dates = cronField(date, 1, 31)
  const monthNumbers = cronField(named(month, months, 1), 1, 12)
  const days = cronField(named(weekday, weekdays, 0), 0, 7)
  if (!minutes || !hours || !dates || !monthNumbers || !days) return null
  const isWeekday = (day: Date) =>
    days.has(day.getUTCDay()) || (day.getUTCDay() === 0 && days.has(7))
  // Cron's old rule: when both the date and the weekday are limited, either will do.
  const either = !date.startsWith('*') && !weekday.startsWith('*')
  const next = hits({
    isDay: (day) => {
      if (!monthNumbers.has(day.getUTCMonth() + 1)) return false
      const onDate = dates.has(day.getUTCDate())
      return either ? onDate || isWeekday(day) : onDate && isWeekday(day)
    },
    hours,
    minutes,
  })
  return next(Date.UTC(2000)) === null ? null : next
}

function named(field: string, names: readonly string[], first: number): string {
  return field
    .toLowerCase()
    .replace(/[a-z]{3}/g, (name) =>
      names.includes(name) ? String(names.indexOf(name) + first) : name,
    )
}

function cronField(field: string, min: number, max: number): Values | null {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const match = /^(?:(\*)|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part)
    if (match === null) return null
    const [, star, low, high, step] = match
    const from = star === undefined ? Number(low) : min
    const to =
      high !== undefined ? Number(high) : star !== undefined || step !== undefined ? max : from
    const by = step === undefined ? 1 : Number(step)
    if (from < min || to > max || from > to || by < 1) return null
    for (let value = from; value <= to; value += by) values.add(value)
  }
  return values
}

/** Several lines are several schedules; the nearest hit counts. */
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
  const next = hits({
    isDay: (day) =>
      (wanted === null || wanted.has(day.getUTCDay())) &&
      fits(year, day.getUTCFullYear()) &&
      fits(month, day.getUTCMonth() + 1) &&
      fits(date, day.getUTCDate()),
    hours: new Set([Number(hour)]),
    minutes: new Set([Number(minute)]),
  })
  return inZone(next, own)
}

function calendarDays(text: string): Values {
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

export function isKnownZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return /^[A-Z]/.test(zone)
  } catch (error) {
    // RangeError is how the runtime says no.
    if (error instanceof RangeError) return false
    throw error
  }
}
