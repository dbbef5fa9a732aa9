import type { Plans } from './plan.ts'
import type { Act, Covers, PlannedFor, Seen } from './seen.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** A time of a planned maintenance. */
export interface Work {
  readonly id: string
  readonly covers: Covers
  readonly from: number
  readonly minutes: number
  /**
   * How much earlier it may begin, and later end, ms: where clocks change, a time may mean two moments,
   * or none; and whatever a computer's clock said when it was set.
   */
  readonly vagueMs: number
}

interface At {
  readonly at: number
  readonly act: Act
}

const formats = new Map<string, Intl.DateTimeFormat>()
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** What clocks in this zone show. */
export function clockIn(zone: string, at: number): { readonly day: number; readonly time: string } {
  let format = formats.get(zone)
  if (format === undefined) {
    const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit' } as const
    format = new Intl.DateTimeFormat('en-GB', { ...parts, hourCycle: 'h23', timeZone: zone })
    formats.set(zone, format)
  }
  const shown = format.format(at)
  return { day: days.indexOf(shown.slice(0, 3)), time: shown.slice(-5) }
}

/** When what was planned begins, the first one first: at its time, unless it was removed before. */
export function worksOf(plans: Plans, seen: readonly Seen[]): readonly Work[] {
  const acts = seen.flatMap((one) => (one.what === 'act' ? [{ at: one.at, act: one.act }] : []))
  return seen
    .flatMap((one, place) => {
      if (one.what !== 'act' || one.act.did !== 'plan') return []
      const work = workOf(plans, seen, place, { at: one.at, ...one.act })
      return work === null || isRemoved(acts, one.at, work) ? [] : [work]
    })
    .sort((one, other) => one.from - other.from)
}

function isRemoved(acts: readonly At[], since: number, { id, covers, from }: Work): boolean {
  return acts.some(
    ({ at, act }) =>
      at >= since &&
      at <= from &&
      ((act.did === 'unplan' && act.id === id) ||
        (act.did === 'removed' && 'project' in covers && covers.project === act.project)),
  )
}

function workOf(
  plans: Plans,
  seen: readonly Seen[],
  place: number,
  { at, id, covers, when }: Extract<Act, { did: 'plan' }> & { readonly at: number },
): Work | null {
  const clocksIn = (some: readonly Seen[]) =>
    some.flatMap((one) => (one.what === 'clock' ? [one] : []))
  const ahead = clocksIn(seen.slice(0, place)).at(-1)?.ahead ?? 0
  const steps = clocksIn(seen.slice(place)).map((one) => Math.abs(one.ahead - ahead))
  const stepMs = Math.max(0, ...steps)
  if (!('zone' in when)) {
    // Planned while it is already so, it begins at once.
    const from = Math.max(when.from, at + ahead)
    const minutes = (when.until - from) / minute
    return { id, covers, from: from - ahead, minutes, vagueMs: stepMs }
  }
  // Minute by minute, as a person would look at a clock on the wall.
  const planned = at + ahead
  const first = Math.floor(planned / minute) * minute
  let from: number | null = null
  let to = first
  for (let now = first; now < plans.to + ahead; now += minute) {
    if (isIn(when, now)) {
      from ??= Math.max(now, planned)
      to = now + minute
    } else if (from !== null && !isIn(when, now + 61 * minute)) break
  }
  if (from === null) return null
  const changeMs = changesNear(when.zone, from) ? 60 * minute : 0
  const minutes = (to - from) / minute
  return { id, covers, from: from - ahead, minutes, vagueMs: Math.max(stepMs, changeMs) }
}

function isIn(when: Extract<PlannedFor, { zone: string }>, at: number): boolean {
  const { day: today, time } = clockIn(when.zone, at)
  const { day: yesterday } = clockIn(when.zone, at - day)
  if (when.from < when.to) return today === when.day && time >= when.from && time < when.to
  return (today === when.day && time >= when.from) || (yesterday === when.day && time < when.to)
}

/** Whether the zone's clocks are set within half a day: a day apart, they show another time. */
function changesNear(zone: string, at: number): boolean {
  return clockIn(zone, at - day / 2).time !== clockIn(zone, at + day / 2).time
}
