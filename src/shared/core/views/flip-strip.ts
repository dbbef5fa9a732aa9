import { type Check, isLate } from '../checks/check.ts'
import { wentDown } from '../checks/flip-evidence.ts'
import type { Flip } from '../checks/history.ts'
import type { Ping } from '../checks/ping.ts'
import { durationWords } from '../time.ts'
import { percentWords } from '../wording.ts'
import type { SeenStatus } from './timeline.ts'

/**
 * The state during a past period. Flips tell only "to up" and "to something else": a period that
 * was not up is `unsure` (down, paused or new) unless the log, or Belfry itself, saw which.
 */
export type StripState = 'up' | 'down' | 'paused' | 'new' | 'unsure' | 'unknown'

export interface StripPart {
  /** Epoch ms, as `to`. */
  readonly from: number
  readonly to: number
  readonly state: StripState
}

/** The period to show, by the server's clock. */
export interface StripRange {
  readonly now: number
  readonly spanMs: number
  /** When the check was last read; nothing later is known. */
  readonly knownUntil: number
  /** Status changes that Belfry saw itself. */
  readonly seen?: readonly SeenStatus[] | undefined
  /** The check's ping log. */
  readonly pings?: readonly Ping[] | undefined
}

/** The fields that give the current state, and when the check goes down for lack of a ping. */
type StripCheck = Pick<Check, 'status' | 'since' | 'schedule' | 'graceSeconds'>

/**
 * The past of a check, oldest part first and without gaps. Nothing is known before the oldest flip;
 * without flips, the current state was there all along (the service keeps about 93 days of them),
 * except for a new check. `flips`: the last to happen first, as the service sends them.
 */
export function flipStrip(
  check: StripCheck,
  flips: readonly Flip[],
  { now, spanMs, knownUntil, seen = [], pings = [] }: StripRange,
): readonly StripPart[] {
  const from = now - spanMs
  const parts: StripPart[] = []
  let to = Math.min(now, knownUntil)
  for (const flip of flips) {
    const at = Math.min(flip.at, to)
    parts.push(
      ...partsSince(check, flip, { from: at, to, isLatest: parts.length === 0, seen, pings }),
    )
    to = at
    if (to <= from) break
  }
  if (to > from) parts.push(...beforeFlips(check, { from, to, isLatest: parts.length === 0 }))
  parts.reverse()
  if (knownUntil < now) parts.push({ from: Math.max(from, knownUntil), to: now, state: 'unknown' })
  return merged(
    parts.flatMap((part) => {
      const start = Math.max(part.from, from)
      return part.to > start ? [{ ...part, from: start }] : []
    }),
  )
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly isLatest: boolean
  readonly seen?: readonly SeenStatus[]
  readonly pings?: readonly Ping[]
}

/** A new check has no flips; when it was created is known only if Belfry saw it appear. */
function beforeFlips(
  check: Pick<Check, 'status' | 'since'>,
  { from, to, isLatest }: Stretch,
): StripPart[] {
  if (!isLatest) return [{ from, to, state: 'unknown' }]
  if (check.status !== 'new') return [{ from, to, state: presentState(check) }]
  const since = Math.max(from, Math.min(to, check.since ?? to))
  return [
    { from: since, to, state: 'new' },
    { from, to: since, state: 'unknown' },
  ]
}

/** The parts from a flip to the next one, newest first. */
function partsSince(check: StripCheck, flip: Flip, stretch: Stretch): StripPart[] {
  const { from, to, isLatest, seen = [], pings = [] } = stretch
  const isDown = !flip.up && wentDown(check, pings, flip.at)
  const state = flip.up ? 'up' : isDown ? 'down' : seenBetween(seen, from, to)
  if (!isLatest) return [{ from, to, state }]
  const present = presentState(check)
  if ((present === 'up') === flip.up || present === 'unknown') {
    return [{ from, to, state: flip.up ? 'up' : present === 'unknown' ? 'unsure' : present }]
  }
  // A check is reported as down some seconds before the service writes the flip.
  const since = check.since
  if (since === null || since <= from || since >= to) return [{ from, to, state }]
  return [
    { from: since, to, state: present },
    { from, to: since, state },
  ]
}

function seenBetween(seen: readonly SeenStatus[], from: number, to: number): StripState {
  const isAway = ({ to: status }: SeenStatus) => status === 'down' || status === 'paused'
  const one = seen.find((entry) => isAway(entry) && entry.at >= from && entry.at <= to)
  return one === undefined ? 'unsure' : presentState({ status: one.to })
}

function presentState({ status }: Pick<Check, 'status'>): StripState {
  return isLate(status) ? 'up' : status
}

function merged(parts: readonly StripPart[]): readonly StripPart[] {
  const result: StripPart[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if (last?.state === part.state) result[result.length - 1] = { ...last, to: part.to }
    else result.push(part)
  }
  return result
}

const words: Readonly<Record<StripState, string>> = {
  up: 'up',
  down: 'down',
  paused: 'paused',
  new: 'new',
  unsure: 'down or paused, not known which',
  unknown: 'unknown',
}

export function stripStateWords(state: StripState): string {
  return words[state]
}

/** "up 21 h 47 min · down 2 h 13 min": the strip in words for screen readers, longest first. */
export function stripWords(parts: readonly StripPart[]): string {
  const sums = new Map<StripState, number>()
  for (const { from, to, state } of parts) sums.set(state, (sums.get(state) ?? 0) + to - from)
  return [...sums]
    .sort(([, one], [, other]) => other - one)
    .map(([state, ms]) => `${words[state]} ${durationWords(ms)}`)
    .join(' · ')
}

/** The parts between two moments, clipped to them. */
export function partsBetween(parts: readonly StripPart[], from: number, to: number) {
  return parts.flatMap((part) => {
    const cut = { ...part, from: Math.max(part.from, from), to: Math.min(part.to, to) }
    return cut.from < cut.to ? [cut] : []
  })
}

/** The outages, newest first. Adjacent parts that are down or unsure count as one. */
export function outagesOf(parts: readonly StripPart[]): readonly StripPart[] {
  const outages: StripPart[] = []
  for (const part of parts) {
    const last = outages.at(-1)
    if (part.state !== 'down' && part.state !== 'unsure') continue
    if (last?.to !== part.from) outages.push(part)
    else
      outages[outages.length - 1] = {
        from: last.from,
        to: part.to,
        state: last.state === 'down' ? 'down' : part.state,
      }
  }
  return outages.reverse()
}

/** The uptime in a day, week or month, or in its known part. */
export interface Uptime {
  /** Epoch ms, as is `to`: the start of this period and of the next, in the local time zone. */
  readonly from: number
  readonly to: number
  readonly parts: readonly StripPart[]
  readonly upMs: number
  readonly downMs: number
  /** Unknown, or either down or paused. Known pauses are in none of the three. */
  readonly unknownMs: number
}

export type UptimeUnit = 'day' | 'week' | 'month'

/** The uptime in each period that the parts overlap, newest first. */
export function uptimeBy(unit: UptimeUnit, parts: readonly StripPart[]): readonly Uptime[] {
  const known = parts.findIndex(({ state }) => state !== 'unknown')
  const first = parts[known]
  const last = parts.at(-1)
  if (first === undefined || last === undefined) return []
  const periods: Uptime[] = []
  for (let to = startOf(unit, last.to - 1, 1); to > first.from; ) {
    const from = startOf(unit, to - 1)
    const own = partsBetween(parts.slice(known), from, to)
    const sum = (...states: readonly StripState[]): number =>
      own.reduce((ms, part) => ms + (states.includes(part.state) ? part.to - part.from : 0), 0)
    const unknownMs = sum('unknown', 'unsure')
    periods.push({ from, to, parts: own, upMs: sum('up'), downMs: sum('down'), unknownMs })
    to = from
  }
  return periods
}

/** The local start of the period of `at`, or of the one after it; weeks begin on Monday. */
function startOf(unit: UptimeUnit, at: number, later: 0 | 1 = 0): number {
  const date = new Date(at)
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  if (unit === 'month') return new Date(year, month + later).getTime()
  if (unit === 'day') return new Date(year, month, day + later).getTime()
  return new Date(year, month, day - ((date.getDay() + 6) % 7) + 7 * later).getTime()
}

/** "99.98%" of the time known to be up or down, never rounded up; "unknown" if there is none. */
export function shareWords({ upMs, downMs }: Pick<Uptime, 'upMs' | 'downMs'>): string {
  if (upMs + downMs === 0) return 'unknown'
  return percentWords(Math.floor((upMs / (upMs + downMs)) * 10_000) / 100)
}
