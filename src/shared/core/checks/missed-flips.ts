import { changesBetween } from '../map-difference.ts'
import type { Board } from './board.ts'
import { type Check, type CheckId, isWell } from './check.ts'
import type { Flip } from './history.ts'
import type { Ping } from './ping.ts'

/** What a board knows of the time between its reads. Server's clock, epoch ms. */
export interface MissedFlips {
  /** Flips since then are still to be looked at; null: nothing is, up to the last read. Survives restarts. */
  readonly since: number | null
  /** The newest moment told of a check, live or found later. Survives restarts. */
  readonly told: ReadonlyMap<CheckId, number>
  /** What the last search found; each new list is told once. */
  readonly found: readonly MissedOutage[]
}

export const nothingMissed: MissedFlips = { since: null, told: new Map(), found: [] }

/** A check that was not up for a while, and is again, between two reads that both saw it well. */
export interface MissedOutage {
  readonly checkId: CheckId
  readonly from: number
  readonly to: number
  /** `unsure`: it may have been paused. */
  readonly kind: 'down' | 'unsure'
}

/** The time between two good reads, by the server's clock. */
export interface Between {
  readonly from: number
  readonly to: number
  /** The older read is older than two intervals: sleep, failures or a restart lie between. */
  readonly isGap: boolean
}

/** Flips and last pings are cut to whole seconds, and the server's clock is known to a second and a half. */
export const clockSlackMs = 3_000

/**
 * Whether a check may have changed and changed back unseen; only then its flips are asked for, since
 * each check is a request of its own. `before` is null after a restart, which remembers no pings.
 */
export function mayHaveFlipped(before: Check | null, after: Check, between: Between): boolean {
  if (after.lastPingAt === null) return false
  if (before === null)
    return isWell(after.status) && after.lastPingAt >= between.from - clockSlackMs
  const pings = after.pingCount - before.pingCount
  if (pings === 0 && after.lastPingAt === before.lastPingAt) return false
  if (before.status === 'down' && after.status === 'down')
    return mayHaveRecovered(after, pings, between)
  if (!isWell(after.status) || !(isWell(before.status) || before.status === 'new')) return false
  const deadline = deadlineOf(before)
  if (deadline !== null && after.lastPingAt > deadline) return true
  // One signal before the deadline that left it well was a success.
  if (pings === 1) return false
  return between.isGap || hasMoreThanItsRuns(before, after, pings, between)
}

/** Up and down again needs a success and then a failure, or a success and a deadline that passed. */
function mayHaveRecovered(after: Check, pings: number, between: Between): boolean {
  const deadline = deadlineOf(after)
  if (pings === 1) return deadline !== null && deadline <= between.to + clockSlackMs
  return between.isGap || hasMoreThanItsRuns(after, after, pings, between)
}

/**
 * Exact while there is a next ping (Monitoring API, "next_ping": with the grace it is when the
 * check goes down); else from its period.
 */
export function deadlineOf(check: Check): number | null {
  const graceMs = check.graceSeconds * 1000
  if (check.nextPingAt !== null) return check.nextPingAt + graceMs
  return check.schedule.kind === 'period' && check.lastPingAt !== null
    ? check.lastPingAt + check.schedule.periodSeconds * 1000 + graceMs
    : null
}

/** A failure that was retried is a signal more than its schedule asks for. A run that is measured has two. */
function hasMoreThanItsRuns(before: Check, after: Check, pings: number, between: Between): boolean {
  const periodMs = after.schedule.kind === 'period' ? after.schedule.periodSeconds * 1000 : 60_000
  const runs = Math.floor((between.to - between.from) / periodMs) + 1
  const hasStarts = after.lastDurationSeconds !== null || after.started || before.started
  return pings > runs * (hasStarts ? 2 : 1)
}

/** What the server told of one check whose flips were asked for. */
export interface Evidence {
  /** As it was at the older read; null after a restart. */
  readonly before: Check | null
  readonly after: Check
  readonly from: number
  readonly to: number
  /** The newest moment that was told of this check, if any. */
  readonly told: number | null
  /** In any order. */
  readonly flips: readonly Flip[]
  /** Its log; null with a read-only key, or before it was asked for. */
  readonly pings: readonly Ping[] | null
}

/**
 * The outages in a window that began and ended with a check that was well. A flip that is not to up
 * is also pause and resume: it counts as down where a failure was logged at that moment or a
 * deadline passed at it, as unsure where no log can tell, and not at all where the log shows neither.
 */
export function outagesIn(evidence: Evidence): MissedOutage[] {
  const outages: MissedOutage[] = []
  let away: { from: number; kind: MissedOutage['kind'] } | null = null
  for (const { at, up } of flipsBetween(evidence)) {
    if (!up) away = worse(away, { from: at, kind: whatHappened(evidence, at) })
    else {
      if (away !== null) outages.push({ checkId: evidence.after.id, ...away, to: at })
      away = null
    }
  }
  return outages
}

/** Ascending; within a second the one that is not to up comes first, since the window begins well. */
function flipsBetween({ flips, from, to, told }: Evidence): Flip[] {
  return flips
    .filter(
      ({ at }) =>
        at >= from - clockSlackMs && at <= to + clockSlackMs && (told === null || at > told),
    )
    .sort((one, other) => one.at - other.at || Number(one.up) - Number(other.up))
}

type Away = { from: number; kind: MissedOutage['kind'] } | null

/** Of several flips before it is up again, the first that was surely down; a pause before it is none. */
function worse(away: Away, next: { from: number; kind: ReturnType<typeof whatHappened> }): Away {
  if (next.kind === 'paused' || away?.kind === 'down') return away
  return away === null || next.kind === 'down' ? { from: next.from, kind: next.kind } : away
}

function whatHappened(evidence: Evidence, at: number): 'down' | 'unsure' | 'paused' {
  const { before, after, pings } = evidence
  const deadline = before === null ? null : deadlineOf(before)
  if (deadline !== null && isSameSecond(deadline, at)) return 'down'
  const log = pings?.filter((ping) => ping.at < at + clockSlackMs) ?? []
  if (log.some((ping) => ping.kind === 'fail' && isSameSecond(ping.at, at))) return 'down'
  return passedADeadline(after, log, at)
}

/** A flip for a deadline is dated to it: the last signal, its period and grace; or a start and the grace. */
function passedADeadline(
  check: Check,
  log: readonly Ping[],
  at: number,
): 'down' | 'unsure' | 'paused' {
  const graceMs = check.graceSeconds * 1000
  const last = (kinds: readonly Ping['kind'][]): number =>
    Math.max(
      ...log.filter((ping) => kinds.includes(ping.kind) && ping.at <= at).map((one) => one.at),
    )
  const ended = last(['success', 'fail'])
  const started = last(['start'])
  // The log does not reach back far enough.
  if (ended === Number.NEGATIVE_INFINITY) return 'unsure'
  if (started > ended && isSameSecond(started + graceMs, at)) return 'down'
  const { schedule } = check
  const passed =
    schedule.kind === 'period'
      ? isSameSecond(ended + schedule.periodSeconds * 1000 + graceMs, at)
      : // Cron and OnCalendar hit at whole minutes; a pause does in one case of sixty.
        ended <= at - graceMs && (at - graceMs) % 60_000 < 1_000
  return passed ? 'down' : 'paused'
}

/** Either may have been cut to its second. */
function isSameSecond(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1_000
}

/** Checks whose change of status was just told live need no telling later. */
export function notifiedLive(
  before: Pick<Board, 'missed' | 'told'>,
  after: Pick<Board, 'checks' | 'told'> & { readonly mayLackSome: boolean },
  serverNow: number,
): MissedFlips {
  const { missed } = before
  if (before.told === null || after.told === null || before.told === after.told) return missed
  const told = new Map(missed.told)
  for (const { key } of changesBetween(before.told, after.told)) told.set(key, serverNow)
  if (!after.mayLackSome) for (const id of told.keys()) if (!after.checks.has(id)) told.delete(id)
  return { ...missed, told }
}

/** The end of a search: what it found is told, and nothing is left to look at. */
export function withFound(missed: MissedFlips, found: readonly MissedOutage[]): MissedFlips {
  const told = new Map(missed.told)
  for (const { checkId, to } of found) told.set(checkId, Math.max(to, told.get(checkId) ?? 0))
  return {
    since: null,
    told: found.length === 0 ? missed.told : told,
    found: found.length === 0 ? missed.found : found,
  }
}
