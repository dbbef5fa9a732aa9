import * as v from 'valibot'
import { type Immutable, idSchema, numberId, tagSchema } from '../schemas.ts'
import { isKnownZone, minuteMs, wallClock } from '../wall-clock.ts'
import type { AttentionEvent } from './event.ts'

/** `HH:MM`. */
export const clockSchema = v.pipe(
  v.string(),
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:30'),
)

/** "Mon–Fri from 22:00 to 07:00": a span that ends the next day belongs to the day it begins on. */
const quietWindow = v.object({
  /** 0 is Sunday, as in cron. */
  days: v.pipe(
    v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(6))),
    v.maxLength(7),
  ),
  from: clockSchema,
  /** On the next day if it is not later than `from`; the same as `from` means 24 hours. */
  to: clockSchema,
})
export type QuietWindow = Immutable<v.InferOutput<typeof quietWindow>>

export const quietHoursSchema = v.object({
  enabled: v.boolean(),
  /** An IANA name; null: this computer's zone. */
  zone: v.nullable(v.pipe(v.string(), v.maxLength(100))),
  windows: v.pipe(v.array(quietWindow), v.maxLength(50)),
  /** Events of checks with one of these tags are exempt. */
  exceptTags: v.pipe(v.array(tagSchema), v.maxLength(50)),
  exceptPeople: v.pipe(
    v.array(v.object({ accountId: idSchema, userId: numberId })),
    v.maxLength(50),
  ),
})
export type QuietHours = Immutable<v.InferOutput<typeof quietHoursSchema>>

/** Limits the search for the end: windows may cover the whole week. */
const longestMinutes = 8 * 24 * 60

/** Epoch ms at which the present quiet hours end; null if it is not quiet at `now`. */
export function quietUntil(quiet: QuietHours, now: number): number | null {
  const known = spans.get(quiet)
  const offset = new Date(now).getTimezoneOffset()
  if (known?.offset === offset && known.from <= now && now < known.until) return known.until
  if (!quiet.enabled || !isQuietAt(quiet, now)) return null
  const until = endAfter(quiet, now)
  spans.set(quiet, { from: now, until, offset })
  return until
}

/** The last span found, cached since every engine step and every tick of a window asks for it. */
const spans = new WeakMap<QuietHours, Span>()

interface Span {
  readonly from: number
  readonly until: number
  /** UTC offset of this computer's zone, which changes when it travels. */
  readonly offset: number
}

function endAfter(quiet: QuietHours, now: number): number {
  // Minute by minute rather than by arithmetic on days, which may have 23 or 25 hours.
  let at = Math.floor(now / minuteMs) * minuteMs
  for (let minutes = 0; minutes < longestMinutes; minutes += 1) {
    at += minuteMs
    if (!isQuietAt(quiet, at)) return at
  }
  return at
}

function isQuietAt(quiet: QuietHours, at: number): boolean {
  const { day, minutes } = localTime(at, quiet.zone)
  return quiet.windows.some(({ days, from, to }) => {
    const start = minutesOf(from)
    const end = minutesOf(to)
    if (start < end) return days.includes(day) && minutes >= start && minutes < end
    if (minutes >= start) return days.includes(day)
    return minutes < end && days.includes((day + 6) % 7)
  })
}

/** Whether the event is exempt from quiet hours and do not disturb. */
export function breaksQuiet(quiet: QuietHours, event: AttentionEvent): boolean {
  if (event.of === 'message')
    return quiet.exceptPeople.some(
      ({ accountId, userId }) => accountId === event.accountId && userId === event.senderId,
    )
  return event.tags?.some((tag) => quiet.exceptTags.includes(tag)) === true
}

/** Minutes since midnight of `HH:MM`. */
export function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

/** Uses this computer's zone in place of one that is unknown here, as settings may be imported. */
function localTime(at: number, zone: string | null): { day: number; minutes: number } {
  if (zone === null || !isKnownZone(zone)) {
    const here = new Date(at)
    return { day: here.getDay(), minutes: 60 * here.getHours() + here.getMinutes() }
  }
  const there = new Date(wallClock(zone).at(at).shown)
  return { day: there.getUTCDay(), minutes: 60 * there.getUTCHours() + there.getUTCMinutes() }
}
