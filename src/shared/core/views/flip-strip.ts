import type { Outage } from '../checks/past.ts'
import { type PastPart, type PastState, partsBetween, pastWord } from '../checks/past-parts.ts'
import { durationWords } from '../time.ts'
import { percentWords } from '../wording.ts'

/** "up 21 h 47 min · down 2 h 13 min": the strip in words for screen readers, longest first. */
export function stripWords(parts: readonly PastPart[]): string {
  const sums = new Map<PastState, number>()
  for (const { from, to, state } of parts) sums.set(state, (sums.get(state) ?? 0) + to - from)
  return [...sums]
    .sort(([, one], [, other]) => other - one)
    .map(([state, ms]) => `${pastWord(state)} ${durationWords(ms)}`)
    .join(' · ')
}

/** The uptime in a day, week or month, or in its known part. */
export interface Uptime {
  /** Epoch ms, as is `to`: the start of this period and of the next, in the local time zone. */
  readonly from: number
  readonly to: number
  readonly parts: readonly PastPart[]
  /** Those that touch it. */
  readonly outages: readonly Outage[]
  readonly upMs: number
  readonly downMs: number
  /** Unknown, or either down or paused. Known pauses are in none of the three. */
  readonly unknownMs: number
}

export type UptimeUnit = 'day' | 'week' | 'month'

/** The uptime in each period that the parts overlap, newest first. */
export function uptimeBy(
  unit: UptimeUnit,
  parts: readonly PastPart[],
  outages: readonly Outage[],
): readonly Uptime[] {
  const known = parts.findIndex(({ state }) => state !== 'unknown')
  const first = parts[known]
  const last = parts.at(-1)
  if (first === undefined || last === undefined) return []
  const periods: Uptime[] = []
  for (let to = startOf(unit, last.to - 1, 1); to > first.from; ) {
    const from = startOf(unit, to - 1)
    const own = partsBetween(parts.slice(known), from, to)
    const sum = (...states: readonly PastState[]): number =>
      own.reduce((ms, part) => ms + (states.includes(part.state) ? part.to - part.from : 0), 0)
    const unknownMs = sum('unknown', 'unsure')
    const touching = outages.filter((one) => one.from < to && one.to > from)
    periods.push({
      from,
      to,
      parts: own,
      outages: touching,
      upMs: sum('up'),
      downMs: sum('down'),
      unknownMs,
    })
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
