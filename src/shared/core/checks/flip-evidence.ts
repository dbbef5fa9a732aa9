import type { MissedOutage, PendingLookup, SeenDown } from './board.ts'
import type { Cause } from './cause.ts'
import { type Check, isWell } from './check.ts'
import type { Flip } from './history.ts'
import type { Ping } from './ping.ts'
import { answerSlackMs, clockSlackMs, planOf, runAfter } from './unseen-flips.ts'

/** What the server returned about one check whose flips were requested. */
export interface Evidence {
  readonly entry: PendingLookup
  /** The check as on the board, and when that was read. */
  readonly check: Check
  readonly at: number
  /** The last to happen first. One for a deadline may be dated before the one that preceded it. */
  readonly flips: readonly Flip[]
  /** Its log; null with a read-only key, or before it was requested. */
  readonly pings: readonly Ping[] | null
}

export interface Finding {
  readonly outages: readonly MissedOutage[]
  /** Everything is known up to this time: the `mark` of a flip, or the last ping. */
  readonly read: number
  /** It was down at both snapshots but up in between: when it came up, and when it went down again. */
  readonly again: { readonly upAt: number; readonly downAt: number } | null
}

/** Flips to anything but up, and the flip to up that ends them. */
interface Away {
  readonly zeros: readonly number[]
  /** Null: it has not ended. */
  readonly upAt: number | null
  /** `upAt` plus 1 ms for each flip to up within its second so far. */
  readonly mark: number
}

/** The second from which to request flips, to get those of any outage that began after the snapshot. */
export function flipsStart({ at }: PendingLookup): number {
  return Math.max(0, Math.floor((at - answerSlackMs - clockSlackMs) / 1000))
}

/**
 * The outages between two snapshots. An up flip has the time of the success that caused it: it came
 * after a snapshot exactly if it is later than the last ping that the snapshot saw. A flip that is
 * not to up can also be a pause or a resume: it counts as down if a failure was logged or a
 * deadline passed at that moment, as unsure if there is no evidence, and not at all if the log
 * shows neither.
 *
 * All times are whole seconds, so the order of events within the second of a snapshot is unknown. Each
 * outage still counts once: marks tell the flips within a second apart, and each snapshot that saw the
 * check down accounts for one outage.
 */
export function outagesIn(evidence: Evidence): Finding {
  const { entry, check } = evidence
  const times = timesAway(evidence.flips)
  const notified = new Set(entry.seenDown.map((seen) => times[placeOf(times, seen) ?? -1]))
  const ended = times.slice(0, endedBy(evidence, times))
  const between = ended.filter((away, place) => isNewer(entry, away, place, times))
  const outages = between
    .filter((away) => !notified.has(away))
    .flatMap((away) => outageOf(evidence, away.zeros, away.upAt ?? 0) ?? [])
  const read = Math.max(ended.at(-1)?.mark ?? 0, check.lastPingAt ?? 0)
  const found = { outages, read, again: null }
  // What came after the newer snapshot is left to the next one.
  const open = times[ended.length] ?? noTime
  const lastUp = between.at(-1)?.upAt ?? null
  if (notified.has(open) || (lastUp === null && entry.status === 'down')) return found
  if (check.status === 'down')
    return { ...found, again: lastUp === null ? null : downAgain(evidence, open, lastUp) }
  const paused = isWell(check.status) ? null : endedOtherwise(evidence, open)
  return paused === null ? found : { ...found, outages: [...outages, paused] }
}

const noTime: Away = { zeros: [], upAt: null, mark: 0 }

/** In the order they happened. The last one has not ended, and is empty if the check is up. */
function timesAway(flips: readonly Flip[]): readonly Away[] {
  const times: Away[] = []
  let zeros: number[] = []
  for (const { at, up } of flips.toReversed()) {
    if (!up) zeros.push(at)
    else {
      const before = times.at(-1)
      times.push({ zeros, upAt: at, mark: before?.upAt === at ? before.mark + 1 : at + 1 })
      zeros = []
    }
  }
  return [...times, { ...noTime, zeros }]
}

/**
 * The index of the time away in which a check was seen down, the last of several in the second of
 * the snapshot; null if no flip shows it.
 */
function placeOf(times: readonly Away[], { at, lastPingAt }: SeenDown): number | null {
  const last = lastPingAt ?? at - answerSlackMs
  // A failure so close to the snapshot was either that last ping, or came after the snapshot.
  const isSoon = lastPingAt !== null && at - last <= answerSlackMs
  const by = isSoon ? Math.max(last, Math.min(at, last + 1_000)) : at + clockSlackMs
  // The flip for a deadline is written some seconds late.
  const unwritten = isSoon ? Number.POSITIVE_INFINITY : 0
  let place = times.findIndex(({ upAt }) => upAt === null || upAt >= last)
  for (; times[place]?.upAt === last; place += 1) {
    const next = times[place + 1]
    if ((next?.zeros[0] ?? unwritten) > by) break
  }
  return beganBy(times[place] ?? noTime, at) ? place : null
}

function beganBy({ zeros }: Away, at: number): boolean {
  return (zeros[0] ?? 0) <= at + clockSlackMs
}

/** How many of the times away had ended by the newer snapshot. */
function endedBy({ check, at }: Evidence, times: readonly Away[]): number {
  const { lastPingAt: last } = check
  const open = check.status === 'down' ? placeOf(times, { at, lastPingAt: last }) : null
  if (open !== null) return open
  return times.findIndex(({ upAt, zeros }) => {
    if (upAt === null || last === null) return upAt === null || upAt > at + clockSlackMs
    // A flip is written just after its ping, and may be dated to the next second.
    const isLast = isWell(check.status) && (zeros[0] ?? upAt) <= last && upAt <= last + 1_000
    return upAt > last && !isLast
  })
}

/** Whether a time away ended after the older snapshot. */
function isNewer(entry: PendingLookup, away: Away, place: number, times: readonly Away[]): boolean {
  const { at, status, lastPingAt, notifiedUpTo } = entry
  const { zeros, upAt, mark } = away
  if (upAt === null || mark <= (notifiedUpTo ?? 0)) return false
  const seen = status === 'down' ? placeOf(times, entry) : null
  if (seen !== null && place >= seen) return true
  if (lastPingAt === null) return upAt > (notifiedUpTo ?? 0) && upAt >= at - answerSlackMs
  const [began = upAt] = zeros
  if (isWell(status) && began < lastPingAt) return false
  // All of it was within the second of that snapshot's last ping, so the snapshot did not show it.
  const isSame = upAt === lastPingAt && began === upAt && at - upAt <= answerSlackMs
  return upAt > lastPingAt || isSame
}

function outageOf(evidence: Evidence, zeros: readonly number[], to: number): MissedOutage | null {
  const { status, at: snapshotAt, notifiedUpTo } = evidence.entry
  // It was already paused, or new, at the older snapshot.
  const isOld = (at: number): boolean =>
    (status === 'paused' || status === 'new') &&
    (at < snapshotAt - answerSlackMs || at <= (notifiedUpTo ?? 0))
  const kinds = zeros
    .filter((at) => !isOld(at))
    .map((at) => ({ at, kind: whatHappened(evidence, at) }))
  const away =
    kinds.find(({ kind }) => kind === 'down') ?? kinds.find(({ kind }) => kind === 'unsure')
  if (away === undefined || away.kind === 'paused') return null
  return { checkId: evidence.check.id, from: away.at, to, kind: away.kind }
}

/** The flip may be missing: the service writes it some seconds after it shows the check as down. */
function downAgain({ check, at }: Evidence, { zeros }: Away, upAt: number): Finding['again'] {
  const began = zeros.findLast((zero) => zero <= at + clockSlackMs)
  return { upAt, downAt: began ?? check.since ?? at }
}

/** An outage that was ended by a pause or a resume, which is the last flip. */
function endedOtherwise(evidence: Evidence, { zeros }: Away): MissedOutage | null {
  const known = zeros.filter((at) => at <= evidence.at + clockSlackMs)
  const own = known.slice(0, -1).filter((at) => at >= evidence.entry.at - answerSlackMs)
  const last = known.at(-1)
  const outage = last === undefined ? null : outageOf(evidence, own, last)
  // A pause and a resume look the same.
  return outage?.kind === 'unsure' && evidence.check.status === 'new' && own.length < 2
    ? null
    : outage
}

function whatHappened(evidence: Evidence, at: number): 'down' | 'unsure' | 'paused' {
  const { entry, check, pings } = evidence
  if (entry.deadline !== null && isSameSecond(entry.deadline, at)) return 'down'
  const log = pings?.filter((ping) => ping.at < at + clockSlackMs) ?? []
  if (whyDown(check, log, at) !== null) return 'down'
  // A ping in the same second came after the deadline.
  const ended = log.filter(
    ({ kind, at: then }) => then < at && (kind === 'success' || kind === 'fail'),
  )
  if (ended.length > 0)
    return afterLastSignal(evidence, Math.max(...ended.map((one) => one.at)), at)
  // The log does not reach back to the older snapshot.
  if (!log.some((ping) => ping.at < entry.at - answerSlackMs)) return 'unsure'
  if (!isWell(entry.status) || entry.lastPingAt === null) return 'paused'
  return afterLastSignal(evidence, entry.lastPingAt, at)
}

/** Why the check went down at `at`, by its log: a failure, or an overdue run or ping; else null. */
export function whyDown(
  check: Pick<Check, 'schedule' | 'graceSeconds'>,
  pings: readonly Ping[],
  at: number,
): Cause | null {
  const graceMs = check.graceSeconds * 1000
  const failure = pings.find(({ kind, at: then }) => kind === 'fail' && isOfPing(then, at))
  if (failure !== undefined) return { kind: 'failed', at: failure.at, line: null }
  const start = pings.find(
    ({ kind, at: then }) => kind === 'start' && isSameSecond(then + graceMs, at),
  )
  if (start !== undefined) return { kind: 'overran', startedAt: start.at, usualSeconds: null }
  const isEnd = ({ kind, at: then }: Ping): boolean =>
    then < at && (kind === 'success' || kind === 'fail')
  const ended = Math.max(...pings.filter(isEnd).map((one) => one.at))
  const expectedAt = Number.isFinite(ended) ? expectedAfter(check, ended) : null
  return expectedAt !== null && isSameSecond(expectedAt + graceMs, at)
    ? { kind: 'missed', lastAt: ended, expectedAt }
    : null
}

/** When the next ping was expected; null if the schedule can't be parsed. */
function expectedAfter({ schedule }: Pick<Check, 'schedule'>, ended: number): number | null {
  return schedule.kind === 'period'
    ? ended + schedule.periodSeconds * 1000
    : runAfter(schedule, ended)
}

/** The flip for a deadline is dated to it: the last signal plus period and grace time. */
function afterLastSignal(
  { entry, check }: Evidence,
  ended: number,
  at: number,
): 'down' | 'unsure' | 'paused' {
  const { schedule } = check
  const graceMs = check.graceSeconds * 1000
  const expected = expectedAfter(check, ended)
  if (expected !== null && isSameSecond(expected + graceMs, at)) return 'down'
  if (entry.plan !== planOf(check)) return 'unsure'
  if (schedule.kind === 'period') return 'paused'
  // A clock change may have moved the deadline, and one pause in sixty is at a full minute.
  if ((at - graceMs) % 60_000 < 1_000) return expected === null ? 'down' : 'unsure'
  return /:[^\s:]+:(?!00?(?:\s|$))/.test(schedule.expression) ? 'unsure' : 'paused'
}

/** A flip is truncated to its second, and is written with the ping or just after it. */
function isOfPing(pingAt: number, at: number): boolean {
  return at > pingAt - 1_000 && at <= pingAt + 1_000
}

/** Both times are truncated to seconds, and had the same fraction. */
function isSameSecond(one: number, other: number): boolean {
  return Math.floor(one / 1_000) === Math.floor(other / 1_000)
}
