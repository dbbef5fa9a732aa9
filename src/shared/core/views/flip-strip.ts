import { type Check, isLate } from '../checks/check.ts'
import type { Flip } from '../checks/history.ts'
import { durationWords } from '../time.ts'
import type { SeenStatus } from './timeline.ts'

/**
 * The state during a stretch of the past. Flips tell only "to up" and "to something else", so a past stretch
 * that was not up is `notUp` (down, paused or new); only the present one is known by its status.
 */
export type StripState = 'up' | 'down' | 'paused' | 'new' | 'notUp' | 'unknown'

export interface StripPart {
  /** Epoch ms, as `to`. */
  readonly from: number
  readonly to: number
  readonly state: StripState
}

/** The stretch to draw, by the server's clock. */
export interface StripRange {
  readonly now: number
  readonly spanMs: number
  /** When the check was last read; nothing later is known. */
  readonly knownUntil: number
  /** What Belfry saw itself. */
  readonly seen?: readonly SeenStatus[] | undefined
}

/**
 * The past of a check, oldest part first and without gaps. Before the oldest flip nothing is known;
 * without any flip, what is now was all along (the service keeps about 93 days of them), but for a new check.
 */
export function flipStrip(
  check: Pick<Check, 'status' | 'since'>,
  flips: readonly Flip[],
  { now, spanMs, knownUntil, seen = [] }: StripRange,
): readonly StripPart[] {
  const from = now - spanMs
  const parts: StripPart[] = []
  let to = Math.min(now, knownUntil)
  for (const flip of [...flips].sort((a, b) => b.at - a.at)) {
    const at = Math.min(flip.at, to)
    parts.push(...partsSince(check, flip, { from: at, to, isLatest: parts.length === 0, seen }))
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

/** Newest first. */
function partsSince(
  check: Pick<Check, 'status' | 'since'>,
  flip: Flip,
  stretch: Stretch,
): StripPart[] {
  const { from, to, isLatest, seen = [] } = stretch
  const state = flip.up ? 'up' : seenBetween(seen, from, to)
  if (!isLatest) return [{ from, to, state }]
  const present = presentState(check)
  if ((present === 'up') === flip.up || present === 'unknown') {
    return [{ from, to, state: flip.up ? 'up' : present === 'unknown' ? 'notUp' : present }]
  }
  // A check is shown as down some seconds before the service writes the flip.
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
  return one === undefined ? 'notUp' : presentState({ status: one.to })
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
  notUp: 'down or paused',
  unknown: 'not known',
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
