import { createHash } from 'node:crypto'
import type { NextRun } from './schedule.ts'

type StoredStatus = 'new' | 'up' | 'down' | 'paused'
export type ShownStatus = StoredStatus | 'grace' | 'started'
export type Signal = 'success' | 'start' | 'fail' | 'log' | 'ign'

export interface PingInput {
  readonly signal: Signal
  readonly at: number
  readonly runId: string | null
  readonly body: Uint8Array | null
  readonly method: string
  readonly scheme: string
  readonly userAgent: string
  readonly remoteAddress: string | null
}

export interface StoredPing extends PingInput {
  readonly n: number
}

export interface StoredFlip {
  readonly at: number
  readonly to: StoredStatus
}

/** Fields that create and update write, under their wire names. */
export const defaultFields = {
  name: '',
  slug: '',
  tags: '',
  desc: '',
  timeout: 86_400,
  grace: 3_600,
  schedule: null as string | null,
  tz: 'UTC',
  manual_resume: false,
  methods: '',
  start_kw: '',
  success_kw: '',
  failure_kw: '',
  filter_subject: false,
  filter_body: false,
  filter_http_body: false,
  filter_default_fail: false,
}

export type Fields = typeof defaultFields

/** A row of the pretend server's table; mutable. */
export interface StoredCheck {
  readonly uuid: string
  readonly badgeKey: string
  fields: Fields
  /** Null for a simple check. */
  nextRun: NextRun | null
  integrationIds: Set<string>
  status: StoredStatus
  lastPingAt: number | null
  startedAt: number | null
  startedRunId: string | null
  lastDurationMs: number | null
  pingCount: number
  pings: StoredPing[]
  /** In order of insertion; the server lists them in reverse. */
  flips: StoredFlip[]
  /** False while the story withholds its pings. Not a property on the real server. */
  attended: boolean
}

export const uuidPattern = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export function uniqueKey(uuid: string): string {
  return createHash('sha1').update(uuid.replaceAll('-', '').slice(0, 16)).digest('hex')
}

export function graceMs(check: StoredCheck): number {
  return check.fields.grace * 1000
}

/** When the next ping is due; null unless stored as up, or after a schedule's last run. */
export function expectedAt(check: StoredCheck): number | null {
  if (check.status !== 'up' || check.lastPingAt === null) return null
  return check.nextRun === null
    ? check.lastPingAt + check.fields.timeout * 1000
    : check.nextRun(check.lastPingAt)
}

/** `next_ping`: the expected time or a pending start (not once down), whichever is earlier. */
export function nextPingAt(check: StoredCheck): number | null {
  const times = [expectedAt(check), check.status === 'down' ? null : check.startedAt]
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** The status as answered: computed per request; "late" is never stored. */
export function shownStatus(check: StoredCheck, now: number, apiVersion: number): ShownStatus {
  if (check.startedAt !== null) {
    if (now >= check.startedAt + graceMs(check)) return 'down'
    if (apiVersion === 1) return 'started'
  }
  if (check.status !== 'up') return check.status
  const expected = expectedAt(check)
  if (expected === null || now < expected) return 'up'
  return now >= expected + graceMs(check) ? 'down' : 'grace'
}

function flip(check: StoredCheck, to: StoredStatus, at: number): void {
  if (check.status === to) return
  check.flips.push({ at, to })
  check.status = to
}

/** How many pings the default account keeps. */
const pingLogLimit = 100

/** Applies and logs a signal as the real server does. */
export function receivePing(check: StoredCheck, input: PingInput): void {
  const signal = check.status === 'paused' && check.fields.manual_resume ? 'ign' : input.signal
  if (signal === 'start') {
    check.startedAt = input.at
    check.startedRunId = input.runId
  } else if (signal === 'success' || signal === 'fail') {
    endRun(check, signal, input)
    flip(check, signal === 'fail' ? 'down' : 'up', input.at)
  }
  check.pingCount += 1
  check.pings.push({ ...input, signal, n: check.pingCount })
  if (check.pings.length > pingLogLimit) check.pings.shift()
}

/** The success of another run leaves the pending start alone. */
function endRun(check: StoredCheck, signal: 'success' | 'fail', input: PingInput): void {
  check.lastPingAt = input.at
  check.lastDurationMs = null
  if (check.startedAt === null) return
  const sameRun = check.startedRunId === input.runId
  if (sameRun) check.lastDurationMs = input.at - check.startedAt
  if (!sameRun && signal === 'success' && input.runId !== null) return
  forgetStart(check)
}

export function forgetStart(check: StoredCheck): void {
  check.startedAt = null
  check.startedRunId = null
}

/** `flipsAgain`: records a flip even if already paused, as servers before 4.0 do. */
export function pauseCheck(check: StoredCheck, now: number, flipsAgain = false): void {
  if (flipsAgain && check.status === 'paused') check.flips.push({ at: now, to: 'paused' })
  flip(check, 'paused', now)
  forgetStart(check)
}

export function resumeCheck(check: StoredCheck, now: number): void {
  flip(check, 'new', now)
  check.lastPingAt = null
  forgetStart(check)
}

/** Stores an overdue check as down, as of its deadline. */
export function markOverdue(check: StoredCheck, now: number): void {
  const next = nextPingAt(check)
  if (next !== null && next + graceMs(check) <= now) flip(check, 'down', next + graceMs(check))
}
