import { dayMs, isKnownZone } from './wall-clock.ts'
import { counted, dateWords } from './wording.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/**
 * A duration in at most two units: "45 s", "12 min", "2 h 13 min", "3 d 4 h". Rounds down, so that
 * "down for 2 h" never exaggerates.
 */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < minute) return `${seconds} s`
  if (seconds < hour) return `${Math.floor(seconds / minute)} min`
  if (seconds < day) return two(seconds, hour, 'h', minute, 'min')
  return two(seconds, day, 'd', hour, 'h')
}

/** "12 s", or "less than 1 s". */
export function ranWords(ms: number): string {
  return ms < 1_000 ? 'less than 1 s' : durationWords(ms)
}

function two(seconds: number, big: number, bigUnit: string, small: number, unit: string): string {
  const rest = Math.floor((seconds % big) / small)
  return `${Math.floor(seconds / big)} ${bigUnit}${rest > 0 ? ` ${rest} ${unit}` : ''}`
}

/** Less than this ago, something happened "just now". */
const justNowMs = 5_000

/** "just now", "12 s ago", "2 h 13 min ago", or "in 4 min". */
export function relativeWords(at: number, now: number): string {
  if (at <= now && now - at < justNowMs) return 'just now'
  return at <= now ? `${durationWords(now - at)} ago` : `in ${durationWords(at - now)}`
}

/** A check's period or grace time: 3600 → "1 h", 90 → "1 min 30 s", 604800 → "1 week". */
export function periodWords(seconds: number): string {
  const units: [number, string, string][] = [
    [7 * day, 'week', 'weeks'],
    [day, 'day', 'days'],
    [hour, 'h', 'h'],
    [minute, 'min', 'min'],
    [1, 's', 's'],
  ]
  const parts: string[] = []
  let rest = Math.max(0, Math.round(seconds))
  for (const [size, one, many] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(counted(count, one, many))
  }
  return parts.slice(0, 3).join(' ') || '0 s'
}

const single = new Map([
  ['1 s', 'second'],
  ['1 min', 'minute'],
  ['1 h', 'hour'],
  ['1 day', 'day'],
  ['1 week', 'week'],
])

/** How often, given a period in words: "every 2 h", "every hour". */
export function everyWords(period: string): string {
  return `every ${single.get(period) ?? period}`
}

/**
 * A time relative to today: "05:12", "Tue 05:12" within six days, "3 Mar, 05:12", or with the year
 * if it is another. `zone` is an IANA name, by default this computer's zone; for an unknown one it
 * uses UTC and says so.
 */
export function clockWords(at: number, now: number, zone?: string): string {
  const { day, isDate, time } = clockParts(at, now, zone)
  return day === null ? time : `${day}${isDate ? ',' : ''} ${time}`
}

/** The same in a sentence: "at 05:12", "on Tue at 05:12", "on 3 Mar at 05:12". */
export function atClockWords(at: number, now: number, zone?: string): string {
  const { day, time } = clockParts(at, now, zone)
  return day === null ? `at ${time}` : `on ${day} at ${time}`
}

/** The time of day in this computer's zone: "05:12". */
export function timeWords(at: number): string {
  return dateWords(at, { timeStyle: 'short' })
}

/** Whether both are on the same day in this computer's zone. */
export function isSameDay(one: number, other: number): boolean {
  const day = { dateStyle: 'short' } as const
  return dateWords(one, day) === dateWords(other, day)
}

/** A time mentioned in a message, in this computer's zone: "Tue, 17 Mar 2026, 14:25". */
export function namedTimeWords(at: number): string {
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  return `${dateWords(at, day)}, ${dateWords(at, { timeStyle: 'short' })}`
}

/** `HH:MM`, as stored and typed, on the clock of all other times: "22:30", "10:30 PM". */
export function timeOfDayWords(time: string): string {
  const [hours, minutes] = time.split(':').map(Number)
  return dateWords(Date.UTC(2000, 0, 1, hours, minutes), { timeStyle: 'short' }, 'UTC')
}

interface ClockParts {
  /** Null for today. */
  readonly day: string | null
  readonly isDate: boolean
  readonly time: string
}

function clockParts(at: number, now: number, zone: string | undefined): ClockParts {
  // The server's list of zones may be newer than this runtime's.
  const isGuess = zone !== undefined && !isKnownZone(zone)
  const words = (moment: number, shape: Intl.DateTimeFormatOptions): string =>
    dateWords(moment, shape, isGuess ? 'UTC' : zone)
  const same = (shape: Intl.DateTimeFormatOptions): boolean =>
    words(at, shape) === words(now, shape)
  const time = `${words(at, { timeStyle: 'short' })}${isGuess ? ' UTC' : ''}`
  if (same({ dateStyle: 'short' })) return { day: null, isDate: false, time }
  if (Math.abs(now - at) < 6 * dayMs)
    return { day: words(at, { weekday: 'short' }), isDate: false, time }
  const shape = { day: 'numeric', month: 'short' } as const
  const day = words(at, same(yearShape) ? shape : { ...shape, ...yearShape })
  return { day, isDate: true, time }
}

const yearShape = { year: 'numeric' } as const

/** Date and time in full, in this computer's zone: "Tue, 17 March 2026 at 14:25:00". */
export function exactTime(at: number): string {
  const day = {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  } as const
  // Hours only by a time style: asked for by themselves, some have a zero too many or too few.
  return `${dateWords(at, day)} at ${dateWords(at, { timeStyle: 'medium' })}`
}

const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
}

/** Every spelling of a unit begins with its letter: "m", "min", "minutes". */
const unitWords = /^(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)$/

/** Longer ones are something else, pasted. */
const longestDuration = 200

/**
 * Parses a typed duration to whole seconds: "1 h", "1h 30min", "1 h 30", "1.5 h", "2 weeks", or
 * "3600" (a bare number is seconds). Null if it isn't a duration, and for "86,400", whose comma may separate
 * thousands or decimals.
 */
export function readDuration(text: string): number | null {
  if (text.length > longestDuration || /[.,]\d{3}(?!\d)/.test(text)) return null
  const words = text
    .trim()
    .toLowerCase()
    .replaceAll(',', '.')
    .replace(/^half an hour$/, '30 min')
    .replace(/^an? /, '1 ')
    .replaceAll(' and ', ' ')
    // As people say it: the last number counts the next smaller unit.
    .replace(/(\d\s*h(?:rs?|ours?)?\s*[0-5]?\d)$/, '$1 min')
    .replace(/(\d\s*m(?:ins?|inutes?)?\s*[0-5]?\d)$/, '$1 s')
  if (/^\d+(?:\.\d+)?$/.test(words)) return whole(Number(words))
  const parts = [...words.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\s*/g)]
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== words) return null
  let seconds = 0
  for (const [, count = '', unit = ''] of parts) {
    const size = unitSeconds[unit.slice(0, 1)]
    if (size === undefined || !unitWords.test(unit)) return null
    seconds += Number(count) * size
  }
  return whole(seconds)
}

function whole(seconds: number): number | null {
  const rounded = Math.round(seconds)
  return Number.isSafeInteger(rounded) ? rounded : null
}

/** "until 07:00", "until Mon 09:00", in this computer's zone; Infinity: "until you turn it off". */
export function clockUntilWords(at: number, now: number): string {
  return Number.isFinite(at) ? `until ${clockWords(at, now)}` : 'until you turn it off'
}

/** Returns a function that returns true at most `times` times in any span of `spanMs`. */
export function rateLimit(times: number, spanMs: number, now: () => number): () => boolean {
  let granted: number[] = []
  return () => {
    const at = now()
    granted = granted.filter((before) => at - before < spanMs)
    if (granted.length >= times) return false
    granted.push(at)
    return true
  }
}
