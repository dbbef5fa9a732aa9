import { memoized } from '../identity.ts'
import { type Check, type CheckStatus, isWell, type Schedule } from './check.ts'
import { nextRun, parseCron } from './cron.ts'

/** What one answer said about a check, to compare with the next. Epoch ms by the server's clock. */
export interface Look {
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

/**
 * Whether a check may have had an outage between two answers that neither shows.
 * - `excluded`: no sequence of signals that fits both answers has one.
 * - `possible`: some sequence has.
 * - `likely`: a deadline passed before the last signal, or there were more signals than runs.
 */
export type Unseen = 'excluded' | 'possible' | 'likely'

/** Flips and last pings are truncated to seconds; the server's clock is known to within 1.5 s. */
export const clockSlackMs = 3_000

/** How much older than its reading an answer may be: requests time out after 20 s. */
export const answerSlackMs = 25_000

export function lookOf(check: Check, at: number): Look {
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

type Standing = 'well' | 'down' | 'off' | 'unknown'

function standingOf(status: CheckStatus): Standing {
  if (status === 'down' || status === 'unknown') return status
  return isWell(status) ? 'well' : 'off'
}

/**
 * How many successes and failures an outage that neither answer shows requires if no deadline
 * passes: up, a failure, a success, up: 2. `off` (paused or new) only matters at the end: an outage
 * may end in it.
 */
const signalsNeeded: Readonly<Record<'down' | 'other' | 'unknown', Record<Standing, number>>> = {
  other: { well: 2, down: 3, off: 1, unknown: 1 },
  down: { well: 3, down: 2, off: 2, unknown: 2 },
  unknown: { well: 2, down: 2, off: 1, unknown: 1 },
}

/** `to`: when the second answer was read, by the server's clock. `runs`: see `runCounter`. */
export function unseenFlips(before: Look, check: Check, to: number, runs: RunsOf): Unseen {
  const after = lookOf(check, to)
  const was = before.status === 'down' || before.status === 'unknown' ? before.status : 'other'
  const is = standingOf(after.status)
  const pings = pingsBetween(before, after)
  const signals = mostSignals(before, after, check, pings)
  const overdue = mayBeOverdue(before, after, signals)
  // Each deadline that passes replaces a failure; from up to down, two can be replaced.
  const timeouts = Number(overdue) + laterTimeouts({ before, after, check, pings, signals })
  const useful = Math.min(timeouts, was === 'other' && is === 'down' ? 2 : 1)
  if (signals < signalsNeeded[was][is] - useful) return 'excluded'
  if (before.plan === after.plan && overdue && was === 'other') return 'likely'
  if (was === 'down' && is === 'down' && cameBack(after, check)) return 'likely'
  const expected = runs(before, check, to)
  return expected !== null && Number.isFinite(pings) && pings > expected ? 'likely' : 'possible'
}

/** Infinite if unknown: the earlier count was not kept, or the server has older data now. */
function pingsBetween(before: Look, { pingCount }: Look): number {
  const pings = before.pingCount === null ? -1 : (pingCount ?? 0) - before.pingCount
  return pings < 0 ? Number.POSITIVE_INFINITY : pings
}

/** How many of the pings at most were successes or failures: starts that left a trace weren't. */
function mostSignals(before: Look, after: Look, check: Check, pings: number): number {
  const last = after.lastPingAt
  const isSame = last !== null && last === before.lastPingAt
  // There may have been another one only within that second.
  if (isSame && before.at - last > answerSlackMs) return 0
  if (before.pingCount === null && last !== null && last < before.at - answerSlackMs) return 0
  const endedARun = !isSame && check.lastDurationSeconds !== null
  const starts = Number(after.started) + Number(endedARun) - Number(before.started)
  return Math.max(0, pings - Math.max(0, starts))
}

/** Whether the first answer's deadline may have passed before a signal, or a pause, ended it. */
function mayBeOverdue(before: Look, after: Look, signals: number): boolean {
  if (before.status === 'unknown' || before.pingCount === null) return true
  // A start of another run stays pending when a check comes back.
  if (before.status === 'down') return before.started
  if (before.plan !== after.plan) return isWell(before.status) || before.started
  if (before.deadline === null) return false
  const end = signals > 0 && after.lastPingAt !== null ? after.lastPingAt : after.at + clockSlackMs
  return before.deadline <= end
}

/** The shortest grace time that the service accepts. */
const leastGraceMs = 60_000

/** How many deadlines may have begun and passed between the two answers, 2 at most. */
function laterTimeouts(it: {
  readonly before: Look
  readonly after: Look
  readonly check: Check
  readonly pings: number
  readonly signals: number
}): number {
  const { before, after, check, pings, signals } = it
  if (pings === 0) return 0
  const graceMs = before.plan === after.plan ? check.graceSeconds * 1000 : leastGraceMs
  const endsWell = isWell(after.status) && after.lastPingAt !== null
  if (endsWell && signals <= 1) {
    // All others were starts: one is pending and not overdue, the other began the measured run.
    const duration = check.lastDurationSeconds
    return duration !== null && duration * 1000 >= graceMs - 1_000 ? 1 : 0
  }
  const end = endsWell ? after.lastPingAt : after.at + clockSlackMs
  const isOnlySignal = pings === 1 && signals === 1 && after.lastPingAt !== null
  const begin = isOnlySignal ? after.lastPingAt : before.at - answerSlackMs
  if (isOnlySignal && before.started) return 1
  return Math.min(2, Math.max(0, Math.floor((end - begin) / Math.max(graceMs, 1_000))))
}

/**
 * Whether a check that was down at both answers was likely up in between: it has a next ping,
 * unlike one stored as down, or the deadline after its last ping has passed.
 */
function cameBack({ lastPingAt, at }: Look, { nextPingAt, schedule, graceSeconds }: Check) {
  if (nextPingAt !== null) return true
  if (schedule.kind !== 'period' || lastPingAt === null) return false
  return lastPingAt + (schedule.periodSeconds + graceSeconds) * 1000 <= at
}

/** How many pings between two answers a check's runs explain; null: unknown. */
export type RunsOf = (before: Look, check: Check, to: number) => number | null

/**
 * A failure that was retried is one ping more than the schedule explains. A measured run has two.
 * Computing a cron run takes up to 50 µs: after `most` of them the result is null.
 */
export function runCounter(most: number): RunsOf {
  let left = most
  return (before, check, to) => {
    const isCron = check.schedule.kind === 'cron'
    if (isCron) left -= 1
    if (isCron && left < 0) return null
    const runs = runsBetween(before, check, to)
    if (runs === null) return null
    const isMeasured = check.lastDurationSeconds !== null || check.started || before.started
    // One of several runs may be early.
    return (runs <= 1 ? 1 : runs + 1) * (isMeasured ? 2 : 1)
  }
}

function runsBetween(before: Look, check: Check, to: number): number | null {
  const { schedule, graceSeconds } = check
  if (schedule.kind === 'period')
    return Math.floor((to - (before.lastPingAt ?? before.at)) / (schedule.periodSeconds * 1000))
  if (before.deadline === null || before.started || !isWell(before.status)) return null
  const first = before.deadline - graceSeconds * 1000
  if (first > to) return 0
  const second = runAfter(schedule, first)
  // When clocks go back, it may lie before the first.
  if (second === null || second <= first) return null
  return Math.floor((to - first) / (second - first)) + 1
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
