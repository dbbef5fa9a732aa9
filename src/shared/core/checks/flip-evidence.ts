import { type Check, type CheckId, isWell } from './check.ts'
import type { Flip } from './history.ts'
import type { OwedLook, SeenDown } from './missed-flips.ts'
import type { Ping } from './ping.ts'
import { answerSlackMs, clockSlackMs, planOf, runAfter } from './unseen-flips.ts'

/** A check that was not up for a while that no read of the list showed. */
export interface MissedOutage {
  readonly checkId: CheckId
  readonly from: number
  readonly to: number
  /** `unsure`: it may have been paused. */
  readonly kind: 'down' | 'unsure'
}

/** What the server returned of one check whose flips were asked for. */
export interface Evidence {
  readonly entry: OwedLook
  /** As the board has it, and when that was read. */
  readonly check: Check
  readonly at: number
  /** In the reverse order of what happened: one for a deadline may be dated before the one that came first. */
  readonly flips: readonly Flip[]
  /** Its log; null with a read-only key, or before it was asked for. */
  readonly pings: readonly Ping[] | null
}

export interface Finding {
  readonly outages: readonly MissedOutage[]
  /** Everything is known up to this flip: its `mark`, or the last ping. */
  readonly read: number
  /** It was down at both lookups but up in between: when it came up, and when it went down again. */
  readonly again: { readonly upAt: number; readonly downAt: number } | null
}

/** Flips to anything but up, and the flip to up that ends them. */
interface Away {
  readonly zeros: readonly number[]
  /** Null: it has not ended. */
  readonly upAt: number | null
  /** Ms: that second, and how many flips to up it has until then. */
  readonly mark: number
}

/** From which second on flips are asked for: those of an outage that began after the look. */
export function flipsStart({ at }: OwedLook): number {
  return Math.max(0, Math.floor((at - answerSlackMs - clockSlackMs) / 1000))
}

/**
 * The outages between two lookups. An up flip has the time of the success that caused it: it comes after a
 * lookup exactly if it is later than the last ping which that lookup saw. A flip that is not to up can also be
 * a pause or a resume: it counts as down if a failure was logged or a deadline passed at that moment, as
 * unsure if there is no evidence, and not at all if the log shows neither.
 *
 * All times are whole seconds, so within the second of a look nothing shows what came first. There each
 * outage counts once all the same: what was read is marked to the very flip, and each look that
 * saw the check down stands for one outage.
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
  // What came after the newer look is for the next one.
  const open = times[ended.length] ?? noTime
  const lastUp = between.at(-1)?.upAt ?? null
  if (notified.has(open) || (lastUp === null && entry.status === 'down')) return found
  if (check.status === 'down')
    return { ...found, again: lastUp === null ? null : downAgain(evidence, open, lastUp) }
  const paused = isWell(check.status) ? null : endedOtherwise(evidence, open)
  return paused === null ? found : { ...found, outages: [...outages, paused] }
}

const noTime: Away = { zeros: [], upAt: null, mark: 0 }

/** In the order of what happened. The last one has not ended, and is empty while the check is up. */
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

/** The time away in which a check was seen down: of several in the second of the lookup, the last. Null if no flip shows it. */
function placeOf(times: readonly Away[], { at, lastPingAt }: SeenDown): number | null {
  const last = lastPingAt ?? at - answerSlackMs
  // A failure so soon before was that last ping, or is later than the look.
  const isSoon = lastPingAt !== null && at - last <= answerSlackMs
  const by = isSoon ? Math.max(last, Math.min(at, last + 1_000)) : at + clockSlackMs
  // A flip for a deadline is written some seconds late.
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

/** How many of them had ended by the newer look. */
function endedBy({ check, at }: Evidence, times: readonly Away[]): number {
  const { lastPingAt: last } = check
  const open = check.status === 'down' ? placeOf(times, { at, lastPingAt: last }) : null
  if (open !== null) return open
  return times.findIndex(({ upAt, zeros }) => {
    if (upAt === null || last === null) return upAt === null || upAt > at + clockSlackMs
    // A flip is written just after its ping, and may be of the next second.
    const isLast = isWell(check.status) && (zeros[0] ?? upAt) <= last && upAt <= last + 1_000
    return upAt > last && !isLast
  })
}

/** Whether one that ended did so after the older look. */
function isNewer(look: OwedLook, away: Away, place: number, times: readonly Away[]): boolean {
  const { at, status, lastPingAt, told } = look
  const { zeros, upAt, mark } = away
  if (upAt === null || mark <= (told ?? 0)) return false
  const seen = status === 'down' ? placeOf(times, look) : null
  if (seen !== null && place >= seen) return true
  if (lastPingAt === null) return upAt > (told ?? 0) && upAt >= at - answerSlackMs
  const [began = upAt] = zeros
  if (isWell(status) && began < lastPingAt) return false
  // All of it within the second of that look's last ping: it was not read with that look.
  const isSame = upAt === lastPingAt && began === upAt && at - upAt <= answerSlackMs
  return upAt > lastPingAt || isSame
}

function outageOf(evidence: Evidence, zeros: readonly number[], to: number): MissedOutage | null {
  const { status, at: lookedAt, told } = evidence.entry
  // Paused already when it was looked at, or new.
  const isOld = (at: number): boolean =>
    (status === 'paused' || status === 'new') &&
    (at < lookedAt - answerSlackMs || at <= (told ?? 0))
  const kinds = zeros
    .filter((at) => !isOld(at))
    .map((at) => ({ at, kind: whatHappened(evidence, at) }))
  const away =
    kinds.find(({ kind }) => kind === 'down') ?? kinds.find(({ kind }) => kind === 'unsure')
  if (away === undefined || away.kind === 'paused') return null
  return { checkId: evidence.check.id, from: away.at, to, kind: away.kind }
}

/** The service writes the flip some seconds after it shows the check as down. */
function downAgain({ check, at }: Evidence, { zeros }: Away, upAt: number): Finding['again'] {
  const began = zeros.findLast((zero) => zero <= at + clockSlackMs)
  return { upAt, downAt: began ?? check.since ?? at }
}

/** Down, and then paused or resumed: the last flip is that. */
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
  if (wentDown(check, log, at)) return 'down'
  // One of the same second came after the deadline.
  const ended = log.filter(
    ({ kind, at: then }) => then < at && (kind === 'success' || kind === 'fail'),
  )
  if (ended.length > 0)
    return afterLastSignal(evidence, Math.max(...ended.map((one) => one.at)), at)
  // The log does not reach back to the older look.
  if (!log.some((ping) => ping.at < entry.at - answerSlackMs)) return 'unsure'
  if (!isWell(entry.status) || entry.lastPingAt === null) return 'paused'
  return afterLastSignal(evidence, entry.lastPingAt, at)
}

/** Whether the log shows that it went down at `at`: a failure came, or a run or the next ping was overdue. */
export function wentDown(
  check: Pick<Check, 'schedule' | 'graceSeconds'>,
  pings: readonly Ping[],
  at: number,
): boolean {
  const graceMs = check.graceSeconds * 1000
  const tells = ({ kind, at: then }: Ping): boolean =>
    (kind === 'fail' && isOfPing(then, at)) ||
    (kind === 'start' && isSameSecond(then + graceMs, at))
  const isEnd = ({ kind, at: then }: Ping): boolean =>
    then < at && (kind === 'success' || kind === 'fail')
  const ended = Math.max(...pings.filter(isEnd).map((one) => one.at))
  const expected = Number.isFinite(ended) ? expectedAfter(check, ended) : null
  return pings.some(tells) || (expected !== null && isSameSecond(expected + graceMs, at))
}

/** When the next ping was expected; null where the schedule can't be read. */
function expectedAfter({ schedule }: Pick<Check, 'schedule'>, ended: number): number | null {
  return schedule.kind === 'period'
    ? ended + schedule.periodSeconds * 1000
    : runAfter(schedule, ended)
}

/** A flip for a deadline is dated to it: the last signal, its period and grace. */
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
  // Clocks that change may have it another minute, and a pause comes at a full one in one case of sixty.
  if ((at - graceMs) % 60_000 < 1_000) return expected === null ? 'down' : 'unsure'
  return /:[^\s:]+:(?!00?(?:\s|$))/.test(schedule.expression) ? 'unsure' : 'paused'
}

/** A flip is cut to its second, and is written with the ping or just after it. */
function isOfPing(pingAt: number, at: number): boolean {
  return at > pingAt - 1_000 && at <= pingAt + 1_000
}

/** Both are cut to their second, and have the same fraction of it. */
function isSameSecond(one: number, other: number): boolean {
  return Math.floor(one / 1_000) === Math.floor(other / 1_000)
}
