import type { Sample } from './samples.ts'

/** What must not grow, and by how much it may seem to. */
interface Limit {
  readonly of: keyof Sample
  readonly unit: string
  /** Of its value after the warm-up. */
  readonly share: number
  /** What small numbers may drift by whatever their share: a socket more or less. */
  readonly least: number
}

export interface Drift extends Limit {
  readonly from: number
  readonly to: number
  /** (to - from) / from, 0 where there was nothing. */
  readonly grown: number
  readonly flat: boolean
}

/** The first part of a run, in which caches fill and code is compiled. */
const warmUpShare = 0.2
/** A slope within so many of its own standard errors is none. */
const surely = 3

const counted: readonly Limit[] = [
  { of: 'handles', unit: '', share: 0.1, least: 3 },
  { of: 'timers', unit: '', share: 0.1, least: 3 },
  { of: 'listeners', unit: '', share: 0.1, least: 6 },
  { of: 'files', unit: '', share: 0.1, least: 3 },
]

/** Memory settles over minutes, so that a run of seconds says nothing about it. */
const measured: readonly Limit[] = [
  { of: 'rss', unit: ' MiB', share: 0.05, least: 0 },
  { of: 'heap', unit: ' MiB', share: 0.1, least: 2 },
]

/** A straight line through what was sampled after the warm-up: its ends, and whether it rises. */
export function judge(samples: readonly Sample[], isLong: boolean): Drift[] {
  const last = samples.at(-1)?.at ?? 0
  const warm = samples.filter(({ at }) => at >= last * warmUpShare)
  return [...(isLong ? measured : []), ...counted].map((limit) => drift(limit, warm))
}

function drift(limit: Limit, samples: readonly Sample[]): Drift {
  const points = samples.map((sample) => ({ x: sample.at, y: sample[limit.of] }))
  const { at, error } = line(points)
  const from = at(points[0]?.x ?? 0)
  const to = at(points.at(-1)?.x ?? 0)
  const allowed = Math.max(limit.least, limit.share * from)
  const flat = points.length > 2 && (to - from <= allowed || to - from <= surely * error)
  return { ...limit, from, to, grown: from === 0 ? 0 : (to - from) / from, flat }
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
