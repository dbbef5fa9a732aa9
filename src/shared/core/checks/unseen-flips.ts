import { memoized } from '../identity.ts'
import { type Check, type CheckStatus, isWell, type Schedule } from './check.ts'
import { nextRun, parseCron } from './cron.ts'

/** What one answer said about a check, to compare with the next. Epoch ms by the server's clock. */
export interface CheckSnapshot {
  readonly at: number
  readonly status: CheckStatus
  readonly started: boolean
  /** Null: saved by a version that did not keep it. */
  readonly pingCount: number | null
  readonly lastPingAt: number | null
  /** When the check goes down without a further signal; null: there is no deadline. */
  readonly deadline: number | null
  /** Schedule and grace time: if they changed, the deadline can't be trusted. */
  readonly plan: string
}

/** Flips and last pings are truncated to seconds; the server's clock is known to within 1.5 s. */
export const clockSlackMs = 3_000

/** How much older than its reading an answer may be: requests time out after 20 s. */
export const answerSlackMs = 25_000

export function snapshotOf(check: Check, at: number): CheckSnapshot {
  return {
    at,
    status: check.rawStatus === 'started' && check.status === 'unknown' ? 'up' : check.status,
    started: check.started,
    pingCount: check.pingCount,
    lastPingAt: check.lastPingAt,
    deadline: deadlineOf(check),
    plan: planOf(check),
  }
}

export function planOf({ schedule, graceSeconds }: Check): string {
  const when =
    schedule.kind === 'period' ? schedule.periodSeconds : `${schedule.expression} ${schedule.zone}`
  return `${graceSeconds} ${when}`
}

/**
 * When the check goes down without a further signal. Exact if there is a next ping (Monitoring API,
 * "next_ping": plus the grace time); else computed from the period.
 */
export function deadlineOf(check: Check): number | null {
  const graceMs = check.graceSeconds * 1000
  if (check.nextPingAt !== null) return check.nextPingAt + graceMs
  if (!isWell(check.status) || check.schedule.kind !== 'period' || check.lastPingAt === null)
    return null
  return check.lastPingAt + check.schedule.periodSeconds * 1000 + graceMs
}

/**
 * Whether an outage may hide between two answers, so that its flips must be read: if there were two
 * signals (one for it to go down, one to come back), or if a deadline passed and took the place of
 * the first. `to`: when the second answer was read, by the server's clock.
 */
export function mayHideOutage(before: CheckSnapshot, check: Check, to: number): boolean {
  const after = snapshotOf(check, to)
  const pings = pingsBetween(before, after)
  const signals = signalsBetween(before, after, check, pings)
  const isOverdue = deadlinePassed(before, after, signals)
  const wasDown = before.status === 'down'
  if (signals >= 2) return true
  if (isWell(after.status)) return signals === 1 && !wasDown && (isOverdue || ranTooLong(check))
  // A pause, or a resume, ends an outage as well.
  if (after.status !== 'down')
    return isOverdue || signals > 0 || (pings > 0 && isWell(before.status))
  if (!wasDown && pings >= 2) return true
  return signals === 1 && (wasDown || isOverdue) && isOverdueAgain(before, after, check)
}

/** Infinite if unknown: the earlier count was not kept, or the server has older data now. */
function pingsBetween(before: CheckSnapshot, { pingCount }: CheckSnapshot): number {
  const pings = before.pingCount === null ? -1 : (pingCount ?? 0) - before.pingCount
  return pings < 0 ? Number.POSITIVE_INFINITY : pings
}

/** How many of the pings at most were successes or failures: starts that left a trace weren't. */
function signalsBetween(
  before: CheckSnapshot,
  after: CheckSnapshot,
  check: Check,
  pings: number,
): number {
  const last = after.lastPingAt
  const isKnown = last === before.lastPingAt || before.pingCount === null
  if (last !== null && isKnown && last < before.at - answerSlackMs) return 0
  const endedARun = last !== before.lastPingAt && check.lastDurationSeconds !== null
  const starts = Number(after.started) + Number(endedARun) - Number(before.started)
  return Math.max(0, pings - Math.max(0, starts))
}

/** Whether the first answer's deadline may have passed before a signal, or a pause, ended it. */
function deadlinePassed(before: CheckSnapshot, after: CheckSnapshot, signals: number): boolean {
  if (before.status === 'unknown' || before.pingCount === null) return true
  // A start of another run stays pending when a check comes back.
  if (before.status === 'down') return before.started
  if (before.plan !== after.plan) return isWell(before.status) || before.started
  if (before.deadline === null) return false
  const end = signals > 0 && after.lastPingAt !== null ? after.lastPingAt : after.at + clockSlackMs
  return before.deadline <= end
}

/** The run that the last signal ended had been down for its length. */
function ranTooLong({ lastDurationSeconds, graceSeconds }: Check): boolean {
  return lastDurationSeconds !== null && lastDurationSeconds >= graceSeconds - 1
}

/** Whether the only signal may have brought the check back until another deadline passed. */
function isOverdueAgain(
  before: CheckSnapshot,
  after: CheckSnapshot,
  { graceSeconds }: Check,
): boolean {
  if (before.started || after.started || after.lastPingAt === null) return true
  return after.lastPingAt + graceSeconds * 1000 <= after.at + clockSlackMs
}

/** Cached, since checks with equal schedules share the object. Null: it can't be parsed. */
const cronOf = memoized(({ expression }: Exclude<Schedule, { kind: 'period' }>) => {
  const read = parseCron(expression)
  return 'error' in read ? null : read.schedule
})

/** The next run after `at`, epoch ms; null if unknown. */
export function runAfter(schedule: Schedule, at: number): number | null {
  if (schedule.kind !== 'cron') return null
  const cron = cronOf(schedule)
  try {
    return cron === null ? null : nextRun(cron, at, schedule.zone)
  } catch (error) {
    // This runtime does not know the zone.
    if (error instanceof RangeError) return null
    throw error
  }
}
