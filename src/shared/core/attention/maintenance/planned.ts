import * as v from 'valibot'
import type { Immutable } from '../../schemas.ts'
import { timeOfDayWords } from '../../time.ts'
import { dayMs, isKnownZone, minuteMs, wallClock } from '../../wall-clock.ts'
import { dateWords, listWords } from '../../wording.ts'
import { clockSchema, minutesOf } from '../quiet-hours.ts'
import { checksScopeSchema, momentSchema, silenceSchema } from '../silence.ts'

const whenSchema = v.variant('of', [
  v.object({ of: v.literal('once'), from: momentSchema, until: momentSchema }),
  v.object({
    of: v.literal('weekly'),
    /** 0 is Sunday, as in cron. */
    days: v.pipe(
      v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(6))),
      v.minLength(1),
      v.maxLength(7),
    ),
    from: clockSchema,
    /** On the next day if it is not later than `from`; the same as `from` means 24 hours. */
    to: clockSchema,
    /** An IANA name: the work is done where it is, wherever this computer travels. */
    zone: v.pipe(v.string(), v.maxLength(100)),
  }),
])
export type PlannedTimes = Immutable<v.InferOutput<typeof whenSchema>>

const { id, label, reason } = silenceSchema.entries

/** A maintenance that begins by itself. */
export const plannedSchema = v.object({
  id,
  scope: checksScopeSchema,
  label,
  reason,
  when: whenSchema,
  /** When the last one that began ends, epoch ms: ended early, it doesn't begin again. */
  lastUntil: v.exactOptional(v.number()),
})
export type PlannedMaintenance = Immutable<v.InferOutput<typeof plannedSchema>>

/** What a user plans; with `lastUntil`, what was removed, once more. */
export const planSchema = v.omit(plannedSchema, ['id', 'label'])
export type Plan = Immutable<v.InferOutput<typeof planSchema>>

export interface PlannedSlice {
  readonly planned: readonly PlannedMaintenance[]
}

export const plannedLimit = 100
export const plannedFullWords = `Belfry can keep at most ${plannedLimit} planned maintenances: remove one, or plan a tag or a whole project instead.`

/** Epoch ms. */
export interface Times {
  readonly from: number
  readonly until: number
}

/** The present or next time of a maintenance that has not begun yet; null: there is none. */
export function nextTimes(
  { when, lastUntil }: Pick<PlannedMaintenance, 'when' | 'lastUntil'>,
  now: number,
): Times | null {
  const isLast = ({ until }: Times): boolean => until === lastUntil
  if (when.of === 'once') return when.until > now && !isLast(when) ? when : null
  let next: Times | null = null
  // From yesterday's, which may go on, to this day next week.
  for (let days = -1; days <= 7; days += 1) {
    const times = timesOn(when, now, days)
    if (times === null || times.until <= now) continue
    // Where an hour occurs twice, those of two days overlap: the earlier ones began before the last.
    if (isLast(times)) next = null
    else next ??= times
    if (next !== null && next.from > now) break
  }
  return next
}

/** Those that begin so many days after today, in the plan's zone. */
function timesOn(
  { days, from, to, zone }: Extract<PlannedTimes, { of: 'weekly' }>,
  now: number,
  daysOn: number,
): Times | null {
  // Settings may come from a computer that knows more zones.
  const clock = wallClock(isKnownZone(zone) ? zone : 'UTC')
  const today = Math.floor(clock.at(now).shown / dayMs)
  const day = (today + daysOn) * dayMs
  if (!days.includes(new Date(day).getUTCDay())) return null
  const [start, end] = [minutesOf(from) * minuteMs, minutesOf(to) * minuteMs]
  // A time that occurs twice, or never, as clocks change: the longer of what it can mean.
  const both = (shown: number) => [false, true].map((again) => clock.moment({ shown, again }))
  return {
    from: Math.min(...both(day + start)),
    until: Math.max(...both(day + end + (end > start ? 0 : dayMs))),
  }
}

interface Coming extends Times {
  readonly plan: PlannedMaintenance
}

/** Those that have not begun yet, the next one first. */
export function comingFirst(
  planned: readonly PlannedMaintenance[],
  now: number,
): readonly Coming[] {
  return planned
    .flatMap((plan) => {
      const times = nextTimes(plan, now)
      return times === null ? [] : [{ plan, ...times }]
    })
    .sort((one, other) => one.from - other.from)
}

/** When the next one begins, epoch ms; null: none is planned. */
export function nextPlannedAt(planned: readonly PlannedMaintenance[], now: number): number | null {
  return comingFirst(planned, now)[0]?.from ?? null
}

const everyDay = [1, 2, 3, 4, 5, 6, 0]

/** "every Sunday 02:00–04:00", "Mon–Fri 22:00–23:00 (Europe/Berlin)", "Sun 6 Dec, 02:00–04:00". */
export function timesWords(when: PlannedTimes, saysZone = false): string {
  if (when.of === 'once') {
    const { from, until } = when
    const isOneDay = dayWords(from) === dayWords(until)
    return `${dayWords(from)}, ${clock(from)}–${isOneDay ? '' : `${dayWords(until)}, `}${clock(until)}`
  }
  const { days, from, to, zone } = when
  const isHere = zone === zoneHere() && !saysZone
  const span = from === to ? 'all day' : `${timeOfDayWords(from)}–${timeOfDayWords(to)}`
  return `every ${weekdaysWords(days)} ${span}${isHere ? '' : ` (${zone})`}`
}

/** This computer's zone: an IANA name. */
export function zoneHere(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

function clock(at: number): string {
  return dateWords(at, { timeStyle: 'short' })
}

function dayWords(at: number): string {
  return dateWords(at, { weekday: 'short', day: 'numeric', month: 'short' })
}

/** "Sunday", "Mon, Wed and Fri", "Mon–Fri", "day". */
function weekdaysWords(days: readonly number[]): string {
  const on = everyDay.filter((day) => days.includes(day))
  const [first = 0, second] = on
  if (on.length === 7) return 'day'
  if (second === undefined) return weekdayWords(first, 'long')
  const at = everyDay.indexOf(first)
  const isRange = on.length > 2 && on.every((day, after) => everyDay[at + after] === day)
  const short = on.map((day) => weekdayWords(day, 'short'))
  return isRange ? `${short[0] ?? ''}–${short.at(-1) ?? ''}` : listWords(short)
}

/** 2 January 2000 was a Sunday. */
function weekdayWords(day: number, weekday: 'long' | 'short'): string {
  return dateWords(Date.UTC(2000, 0, 2 + day), { weekday }, 'UTC')
}
