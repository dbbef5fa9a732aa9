import * as v from 'valibot'
import { timeSchema } from '../schemas.ts'
import { atClockWords, clockWords, durationWords, isSameDay, timeWords } from '../time.ts'
import { type Check, isLate } from './check.ts'
import type { Ping } from './ping.ts'
import { runsOf, runWords, usualDuration } from './runs.ts'
import { runAfter } from './unseen-flips.ts'

const time = v.nullable(timeSchema)

/** Why a check is down or late. Times are epoch ms by the server's clock. */
export const causeSchema = v.variant('kind', [
  /** `line`: from the job's output; null if it sent none, or it was not read. */
  v.object({ kind: v.literal('failed'), at: timeSchema, line: v.nullable(v.string()) }),
  /** No ping came. `expectedAt` null: unknown. */
  v.object({ kind: v.literal('missed'), lastAt: time, expectedAt: time }),
  /** A run began and has not ended. `usualSeconds` null: fewer than three runs are known. */
  v.object({ kind: v.literal('overran'), startedAt: time, usualSeconds: v.nullable(v.number()) }),
  /** The check's record does not show which of these it is. */
  v.object({ kind: v.literal('unknown'), lastAt: time }),
])
export type Cause = v.InferOutput<typeof causeSchema>

/** What the log of pings says about a check in trouble. */
export interface LogEvidence extends Pick<Check, 'lastPingAt' | 'started'> {
  /** The last signal that ended a run, if it was a failure. */
  readonly failure: {
    readonly at: number
    readonly n: number | null
    readonly line: string | null
  } | null
  /** When the current run began. */
  readonly startedAt: number | null
  readonly usualSeconds: number | null
}

/** The failure that ended the last run; null if it succeeded. `pings`: newest first. */
export function lastFailure(pings: readonly Ping[]): Ping | null {
  const last = pings.find(({ kind }) => kind === 'success' || kind === 'fail')
  return last?.kind === 'fail' ? last : null
}

/** `line`: from the body of `lastFailure`; null if it has none, or it was not read. */
export function evidenceIn(
  { lastPingAt, started }: Check,
  pings: readonly Ping[],
  line: string | null,
): LogEvidence {
  const failure = lastFailure(pings)
  const runs = runsOf(pings, started)
  return {
    lastPingAt,
    started,
    failure: failure && { at: failure.at, n: failure.n, line },
    startedAt: runs.find(({ outcome }) => outcome === 'running')?.start?.at ?? null,
    usualSeconds: usualDuration(runs)?.median ?? null,
  }
}

/** Whether a log was read for the check's present record. */
export function isOfRecord(log: LogEvidence, { lastPingAt, started }: Check): boolean {
  return log.lastPingAt === lastPingAt && log.started === started
}

/** Whether there is a cause to show: the check is down or late. */
export function hasCause({ status }: Pick<Check, 'status'>): boolean {
  return status === 'down' || isLate(status)
}

/** Times of flips and of pings are truncated to whole seconds, each separately. */
const slackMs = 2_000

/**
 * When the missing ping that took the check down was expected; null if something else may have
 * taken it down (a failure signal, an overdue start), or the record does not show it.
 */
export function missedAt(check: Check, now: number): number | null {
  const { started, nextPingAt, since } = check
  if (started) return null
  if (nextPingAt !== null) return nextPingAt
  const expected = scheduledAfterLastPing(check)
  if (expected === null) return null
  const deadline = expected + check.graceSeconds * 1000
  const tooEarly = since !== null && since < deadline - slackMs
  return deadline <= now && !tooEarly ? expected : null
}

/**
 * When the next ping is expected; null if none is, or it is unknown. While the job of a check that
 * is up runs, `next_ping` is when the run began (see `runningSince`), so the schedule is used.
 */
export function nextExpectedAt(check: Check): number | null {
  const { started, status, nextPingAt } = check
  if (!started || isLate(status) || status === 'down') return nextPingAt
  return status === 'paused' || status === 'new' ? null : scheduledAfterLastPing(check)
}

function scheduledAfterLastPing({ schedule, lastPingAt }: Check): number | null {
  if (lastPingAt === null) return null
  return schedule.kind === 'period'
    ? lastPingAt + schedule.periodSeconds * 1000
    : runAfter(schedule, lastPingAt)
}

/** Null for a check that is neither down nor late. `log` null: it was not, or can't be, read. */
export function causeOf(check: Check, log: LogEvidence | null, now: number): Cause | null {
  if (!hasCause(check)) return null
  const known = log !== null && isOfRecord(log, check) ? log : null
  const { lastPingAt, since, started } = check
  const failed = check.status === 'down' ? failureOf(check, known) : null
  if (failed !== null) return failed
  const usual = known?.usualSeconds ?? null
  const startedAt = known?.startedAt ?? null
  const expectedAt = isLate(check.status)
    ? check.nextPingAt
    : missedAt(known === null ? check : { ...check, started: false }, now)
  // A run that began too late to be overdue by then did not take the check down; the schedule did.
  const ownMs = expectedAt === null ? 0 : check.graceSeconds * 1000
  const isOverdue = startedAt !== null && (since === null || startedAt + ownMs <= since + slackMs)
  if (started && (isLate(check.status) || isOverdue))
    return { kind: 'overran', startedAt, usualSeconds: usual }
  // With an open run the record does not show whether it or the schedule took the check down.
  return known !== null || (expectedAt !== null && !started)
    ? { kind: 'missed', lastAt: lastPingAt, expectedAt }
    : { kind: 'unknown', lastAt: lastPingAt }
}

function failureOf({ since, lastPingAt }: Check, log: LogEvidence | null): Cause | null {
  if (log !== null)
    return log.failure && { kind: 'failed', at: log.failure.at, line: log.failure.line }
  // A success would have ended the outage, so a ping since its beginning was a failure.
  const isFailure = since !== null && lastPingAt !== null && lastPingAt >= since - slackMs
  return isFailure ? { kind: 'failed', at: lastPingAt, line: null } : null
}

/** A smaller difference between two clocks is not worth a word. */
const noticeableMs = 60_000

/** A time after another in one sentence, "Sat 22:40; expected 23:40": the day isn't said twice. */
function timeAfter(before: number | null, at: number, now: number): string {
  return before !== null && isSameDay(before, at) ? timeWords(at) : clockWords(at, now)
}

/**
 * "Failed at 11:06: disk full", "No ping since 03:58; expected 04:00", "Started 04:00, still
 * running after 2 h (usually 4 min)". `now`: the server's; `offsetMs`: how far its clock is ahead of
 * this computer's. If that is more than a minute, times are this computer's, followed by the
 * server's: "Failed at 10:51 (11:06 on the server)". `clock`: how a time of day is written instead.
 */
export function causeWords(...about: Parameters<typeof causeParts>): string {
  return causeParts(...about).join('; ')
}

/** The same in one or two parts, of which the first says enough. */
export function causeParts(
  cause: Cause,
  now: number,
  offsetMs: number,
  clock?: (at: number) => string,
): readonly string[] {
  const isFar = clock === undefined && Math.abs(offsetMs) > noticeableMs
  const aheadMs = isFar ? offsetMs : 0
  const theirs = (at: number) => (isFar ? ` (${clockWords(at, now)} on the server)` : '')
  const said = clock ?? ((at: number) => clockWords(at - aheadMs, now - aheadMs) + theirs(at))
  const when = (at: number) =>
    clock === undefined ? atClockWords(at - aheadMs, now - aheadMs) + theirs(at) : `at ${clock(at)}`
  switch (cause.kind) {
    case 'failed':
      return [`Failed ${when(cause.at)}${cause.line === null ? '' : `: ${cause.line}`}`]
    case 'missed': {
      const { lastAt, expectedAt } = cause
      const last = lastAt === null ? 'No ping yet' : `No ping since ${said(lastAt)}`
      if (expectedAt === null) return [last]
      const isOwnClock = clock === undefined && !isFar
      return [
        last,
        `expected ${isOwnClock ? timeAfter(lastAt, expectedAt, now) : said(expectedAt)}`,
      ]
    }
    case 'overran': {
      const { startedAt } = cause
      const usual = cause.usualSeconds === null ? '' : ` (usually ${runWords(cause.usualSeconds)})`
      return [
        startedAt === null
          ? `Still running, later than expected${usual}`
          : `Started ${said(startedAt)}, still running after ${durationWords(now - startedAt)}${usual}`,
      ]
    }
    case 'unknown':
      return [cause.lastAt === null ? 'No ping yet' : `The last ping came ${when(cause.lastAt)}`]
  }
}
