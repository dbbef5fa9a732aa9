import { memoized } from '../identity.ts'
import { type Check, type CheckStatus, isWell, type Schedule } from './check.ts'
import { nextRun, parseCron } from './cron.ts'

/** What one answer said of a check, as far as the next one is held against it. Times: epoch ms, the server's clock. */
export interface Look {
  readonly at: number
  readonly status: CheckStatus
  readonly started: boolean
  /** Null: not known, from a version that did not keep it. */
  readonly pingCount: number | null
  readonly lastPingAt: number | null
  /** When the check goes down without a further signal; null: no deadline runs. */
  readonly deadline: number | null
  /** Schedule and grace: with another one the deadline is not to be trusted. */
  readonly plan: string
}

/**
 * Whether a check may have had an outage between two answers that neither shows.
 * - `excluded`: no history of signals that fits both answers has one.
 * - `possible`: some has.
 * - `likely`: a deadline passed before the last signal, or there were more signals than runs.
 */
export type Unseen = 'excluded' | 'possible' | 'likely'

/** Flips and last pings are cut to whole seconds, and the server's clock is known to a second and a half. */
export const clockSlackMs = 3_000

/** An answer may be so much older than the moment at which it was read: requests end after 20 s. */
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
 * Exact while there is a next ping (Monitoring API, "next_ping": with the grace it is when the
 * check goes down); else from its period.
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
 * How many successes and failures an outage that neither answer shows takes, where no deadline passes:
 * up, a failure, a success, up: 2. Of paused and new, `off`, only the end matters: an outage may end in it.
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
  // Each deadline that passes takes the place of a failure; an outage between two others has two.
  const timeouts = Number(overdue) + laterTimeouts({ before, after, check, pings, signals })
  const useful = Math.min(timeouts, was === 'other' && is === 'down' ? 2 : 1)
  if (signals < signalsNeeded[was][is] - useful) return 'excluded'
  if (before.plan === after.plan && overdue && was === 'other') return 'likely'
  if (was === 'down' && is === 'down' && cameBack(after, check)) return 'likely'
  const expected = runs(before, check, to)
  return expected !== null && Number.isFinite(pings) && pings > expected ? 'likely' : 'possible'
}

/** Infinite where it can't be known: the count of before was not kept, or the server's data is older now. */
function pingsBetween(before: Look, { pingCount }: Look): number {
  const pings = before.pingCount === null ? -1 : (pingCount ?? 0) - before.pingCount
  return pings < 0 ? Number.POSITIVE_INFINITY : pings
}

/** So many of the pings at most were successes or failures: starts that left a trace are none. */
function mostSignals(before: Look, after: Look, check: Check, pings: number): number {
  const last = after.lastPingAt
  const isSame = last !== null && last === before.lastPingAt
  // Only within that very second there may have been another one.
  if (isSame && before.at - last > answerSlackMs) return 0
  if (before.pingCount === null && last !== null && last < before.at - answerSlackMs) return 0
  const endedARun = !isSame && check.lastDurationSeconds !== null
  const starts = Number(after.started) + Number(endedARun) - Number(before.started)
  return Math.max(0, pings - Math.max(0, starts))
}

/** Whether the deadline that ran at the first answer may have passed before a signal, or the pause, ended it. */
function mayBeOverdue(before: Look, after: Look, signals: number): boolean {
  if (before.status === 'unknown' || before.pingCount === null) return true
  // A start of another run stays pending when a check comes back.
  if (before.status === 'down') return before.started
  if (before.plan !== after.plan) return isWell(before.status) || before.started
  if (before.deadline === null) return false
  const end = signals > 0 && after.lastPingAt !== null ? after.lastPingAt : after.at + clockSlackMs
  return before.deadline <= end
}

/** The service takes no shorter grace. */
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
    // All else were starts: one is pending and not overdue, the other began the run that was measured.
    const duration = check.lastDurationSeconds
    return duration !== null && duration * 1000 >= graceMs - 1_000 ? 1 : 0
  }
  const end = endsWell ? after.lastPingAt : after.at + clockSlackMs
  const isOnlySignal = pings === 1 && signals === 1 && after.lastPingAt !== null
  const begin = isOnlySignal ? after.lastPingAt : before.at - answerSlackMs
  if (isOnlySignal && before.started) return 1
  return Math.min(2, Math.max(0, Math.floor((end - begin) / Math.max(graceMs, 1_000))))
}

/** Down at both answers, and up in between: what is stored as down has no next ping, and a success a deadline. */
function cameBack({ lastPingAt, at }: Look, { nextPingAt, schedule, graceSeconds }: Check) {
  if (nextPingAt !== null) return true
  if (schedule.kind !== 'period' || lastPingAt === null) return false
  return lastPingAt + (schedule.periodSeconds + graceSeconds) * 1000 <= at
}

/** How many pings a check's runs explain between two answers; null: not known. */
export type RunsOf = (before: Look, check: Check, to: number) => number | null

/**
 * A failure that was retried is a ping more than the schedule asks for. A run that is measured has two.
 * Looking for a cron's run takes up to 50 µs: after `most` of them nothing is known any more.
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
    // Of frequent runs one may come early.
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
  // Where clocks are put back, it may lie before it.
  if (second === null || second <= first) return null
  return Math.floor((to - first) / (second - first)) + 1
}

/** Checks that run at the same times share their schedule. Null: it can't be read here. */
const cronOf = memoized(({ expression }: Exclude<Schedule, { kind: 'period' }>) => {
  const read = parseCron(expression)
  return 'error' in read ? null : read.schedule
})

/** Null where it is not known. */
export function runAfter(schedule: Schedule, at: number): number | null {
  if (schedule.kind !== 'cron') return null
  const cron = cronOf(schedule)
  try {
    return cron === null ? null : nextRun(cron, at, schedule.zone)
  } catch (error) {
    // A zone that this runtime does not know.
    if (error instanceof RangeError) return null
    throw error
  }
}
