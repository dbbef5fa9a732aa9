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

/** The fields that create and update write, by the wire's names: what is stored is what was sent. */
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

/** A row of the pretend server's table, changed in place. */
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
  /** In order of insertion, which is the order the server lists them in, backwards. */
  flips: StoredFlip[]
  /** False while the story holds its pings back. Nothing the real server knows. */
  attended: boolean
}

export const uuidPattern = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export function uniqueKey(uuid: string): string {
  return createHash('sha1').update(uuid.replaceAll('-', '').slice(0, 16)).digest('hex')
}

export function graceMs(check: StoredCheck): number {
  return check.fields.grace * 1000
}

/** When the next ping is due for a check stored as up; null otherwise and for schedules that ended. */
export function expectedAt(check: StoredCheck): number | null {
  if (check.status !== 'up' || check.lastPingAt === null) return null
  return check.nextRun === null
    ? check.lastPingAt + check.fields.timeout * 1000
    : check.nextRun(check.lastPingAt)
}

/** `next_ping`: the expected time, or a pending start when that is earlier; none once stored as down. */
export function nextPingAt(check: StoredCheck): number | null {
  const times = [expectedAt(check), check.status === 'down' ? null : check.startedAt]
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** The status that an answer shows: computed at each request, never stored as late. */
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

/** The newest pings that the default account keeps. */
const pingLogLimit = 100

/** Applies a signal as the real server does, and logs it. */
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

/** A success that names another run leaves the pending start as it is. */
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

export function pauseCheck(check: StoredCheck, now: number): void {
  flip(check, 'paused', now)
  forgetStart(check)
}

export function resumeCheck(check: StoredCheck, now: number): void {
  flip(check, 'new', now)
  check.lastPingAt = null
  forgetStart(check)
}

/** The background loop's work on one check: the stored "down", dated back to when its deadline passed. */
export function markOverdue(check: StoredCheck, now: number): void {
  const next = nextPingAt(check)
  if (next !== null && next + graceMs(check) <= now) flip(check, 'down', next + graceMs(check))
}
