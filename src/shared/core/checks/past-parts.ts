import { type Check, isLate } from './check.ts'
import { whyDown } from './flip-evidence.ts'
import type { Flip, SeenStatus } from './history.ts'
import type { Ping } from './ping.ts'

/**
 * The state during a past period. Flips tell only "to up" and "to something else": a period that
 * was not up is `unsure` (down, paused or new) unless the log, or Belfry itself, saw which.
 */
export type PastState = 'up' | 'down' | 'paused' | 'new' | 'unsure' | 'unknown'

export interface PastPart {
  /** Epoch ms, as `to`. */
  readonly from: number
  readonly to: number
  readonly state: PastState
}

/** The fields that give the current state, and when the check goes down for lack of a ping. */
export type PastCheck = Pick<Check, 'status' | 'since' | 'schedule' | 'graceSeconds'>

/** Which period, and what else is known of it. All times by the same clock. */
export interface PastRange {
  readonly now: number
  readonly spanMs: number
  /** When the check was last read; nothing later is known. */
  readonly knownUntil: number
  /** Status changes that Belfry saw itself. */
  readonly seen?: readonly SeenStatus[] | undefined
  /** The check's ping log. */
  readonly pings?: readonly Ping[] | undefined
  /** For what Belfry recorded: since when, and the state before the oldest turn. */
  readonly begin?: { readonly at: number; readonly state: PastState } | undefined
}

/** A flip, or a turn that Belfry recorded, to this state (of those that are not up). */
export interface Turn extends Flip {
  readonly as?: PastState | undefined
}

/**
 * The past of a check, oldest part first and without gaps. Nothing is known before the oldest flip;
 * without flips, the current state was there all along (the service keeps about 93 days of them),
 * except for a new check. `flips`: the last to happen first, as the service sends them.
 */
export function flipStrip(
  check: PastCheck,
  flips: readonly Turn[],
  { now, spanMs, knownUntil, seen = [], pings = [], begin }: PastRange,
): readonly PastPart[] {
  const from = now - spanMs
  const parts: PastPart[] = []
  let to = Math.min(now, knownUntil)
  for (const [index, flip] of flips.entries()) {
    const at = Math.min(flip.at, to)
    // Only a paused check can be resumed, which makes it new.
    const wasPaused = index === 1 && check.status === 'new' && flips[0]?.up === false
    const isLatest = parts.length === 0
    parts.push(...partsSince(check, flip, { from: at, to, isLatest, wasPaused, seen, pings }))
    to = at
    if (to <= from) break
  }
  if (to > from && begin !== undefined) {
    const at = Math.min(to, Math.max(from, begin.at))
    parts.push({ from: at, to, state: begin.state }, { from, to: at, state: 'unknown' })
  } else if (to > from)
    parts.push(...beforeFlips(check, { from, to, isLatest: parts.length === 0 }))
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
  readonly wasPaused?: boolean
  readonly seen?: readonly SeenStatus[]
  readonly pings?: readonly Ping[]
}

/** A new check has no flips; when it was created is known only if Belfry saw it appear. */
function beforeFlips(
  check: Pick<Check, 'status' | 'since'>,
  { from, to, isLatest }: Stretch,
): PastPart[] {
  if (!isLatest) return [{ from, to, state: 'unknown' }]
  if (check.status !== 'new') return [{ from, to, state: presentState(check) }]
  const since = Math.max(from, Math.min(to, check.since ?? to))
  return [
    { from: since, to, state: 'new' },
    { from, to: since, state: 'unknown' },
  ]
}

/** The parts from a flip to the next one, newest first. */
function partsSince(check: PastCheck, flip: Turn, stretch: Stretch): PastPart[] {
  const { from, to, isLatest, wasPaused = false, seen = [], pings = [] } = stretch
  const away = (): PastState => {
    if (whyDown(check, pings, flip.at) !== null) return 'down'
    const seenAs = seenBetween(seen, from, to)
    return seenAs === 'unsure' && wasPaused ? 'paused' : seenAs
  }
  const state = flip.up ? 'up' : (flip.as ?? away())
  if (!isLatest) return [{ from, to, state }]
  const present = presentState(check)
  if (present === 'unknown') return [{ from, to, state }]
  if ((present === 'up') === flip.up) return [{ from, to, state: present }]
  // A check is reported as down some seconds before the service writes the flip.
  const since = check.since
  if (since === null || since <= from || since >= to) return [{ from, to, state }]
  return [
    { from: since, to, state: present },
    { from, to: since, state },
  ]
}

function seenBetween(seen: readonly SeenStatus[], from: number, to: number): PastState {
  const isAway = ({ to: status }: SeenStatus) => status === 'down' || status === 'paused'
  const one = seen.find((entry) => isAway(entry) && entry.at >= from && entry.at <= to)
  return one === undefined ? 'unsure' : presentState({ status: one.to })
}

function presentState({ status }: Pick<Check, 'status'>): PastState {
  return isLate(status) ? 'up' : status
}

function merged(parts: readonly PastPart[]): readonly PastPart[] {
  const result: PastPart[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if (last?.state === part.state) result[result.length - 1] = { ...last, to: part.to }
    else result.push(part)
  }
  return result
}

/** The outages, newest first. Adjacent parts that are down or unsure count as one. */
export function outagesOf(parts: readonly PastPart[]): readonly PastPart[] {
  const outages: PastPart[] = []
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

/** The parts between two moments, clipped to them. */
export function partsBetween(parts: readonly PastPart[], from: number, to: number) {
  return parts.flatMap((part) => {
    const cut = { ...part, from: Math.max(part.from, from), to: Math.min(part.to, to) }
    return cut.from < cut.to ? [cut] : []
  })
}

/** A state as people say it; `unsure` as the kind of its outages. */
export function pastWord(state: PastState): string {
  return state === 'unsure' ? 'possibly down' : state
}
