import type { Sample } from './samples.ts'

/** A value that must not grow, and the tolerance. */
interface Limit {
  readonly of: keyof Sample
  readonly unit: string
  /** The tolerance as a share of its value after the warm-up. */
  readonly share: number
  /** The tolerance for small numbers, whatever their share: a socket more or less. */
  readonly least: number
  /** The first share of a run, which isn’t judged: caches fill, code is compiled. */
  readonly warmUp: number
}

export interface Drift extends Limit {
  /** The very first sample, before any warm-up. */
  readonly first: number
  readonly from: number
  readonly to: number
  /** (to - from) / from, or 0 if `from` is 0. */
  readonly grown: number
  readonly flat: boolean
}

/** The rise of a count must exceed this many of its own standard errors. */
const surely = 3

const counted: readonly Limit[] = [
  { of: 'handles', unit: '', share: 0.1, least: 3, warmUp: 0.2 },
  { of: 'timers', unit: '', share: 0.1, least: 3, warmUp: 0.2 },
  { of: 'listeners', unit: '', share: 0.1, least: 6, warmUp: 0.2 },
  { of: 'files', unit: '', share: 0.1, least: 3, warmUp: 0.2 },
]

/**
 * Memory settles over minutes, so a run of seconds says nothing about it. What fills up to a limit
 * and stays there (pages of SQLite, code, the allocator's memory for each thread, 3,000 messages,
 * 500 notices) is no leak: the second half of the run must show that it stays.
 */
const measured: readonly Limit[] = [
  { of: 'rss', unit: ' MiB', share: 0.05, least: 0, warmUp: 0.5 },
  { of: 'heap', unit: ' MiB', share: 0.1, least: 2, warmUp: 0.5 },
  { of: 'external', unit: ' MiB', share: 0.1, least: 2, warmUp: 0.5 },
]

/** Fits a line to the samples after the warm-up: its ends, and whether it rises. */
export function judge(samples: readonly Sample[], isLong: boolean): Drift[] {
  return [...(isLong ? measured : []), ...counted].map((limit) => drift(limit, samples))
}

function drift(limit: Limit, samples: readonly Sample[]): Drift {
  const last = samples.at(-1)?.at ?? 0
  const points = samples
    .filter(({ at }) => at >= last * limit.warmUp)
    .map((sample) => ({ x: sample.at, y: sample[limit.of] }))
  const { at, error } = line(points)
  const from = at(points[0]?.x ?? 0)
  const to = at(points.at(-1)?.x ?? 0)
  const allowed = Math.max(limit.least, limit.share * from)
  const noise = limit.unit === '' ? surely * error : 0
  const flat = points.length > 2 && to - from <= Math.max(allowed, noise)
  const first = samples[0]?.[limit.of] ?? 0
  return { ...limit, first, from, to, grown: from === 0 ? 0 : (to - from) / from, flat }
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Least squares; `error` is the standard error of the rise from the first point to the last. */
function line(points: readonly Point[]) {
  const count = Math.max(1, points.length)
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / count
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / count
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const both = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0)
  const slope = spread === 0 ? 0 : both / spread
  const at = (x: number): number => meanY + slope * (x - meanX)
  const rest = points.reduce((sum, { x, y }) => sum + (y - at(x)) ** 2, 0)
  const span = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0)
  const variance = spread === 0 ? 0 : rest / Math.max(1, count - 2) / spread
  return { at, error: Math.sqrt(variance) * span }
}
