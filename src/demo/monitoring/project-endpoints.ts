import type { HttpReply } from '../../main/http/transport.ts'
import {
  bytesAnswer,
  emptyAnswer,
  errorAnswer,
  htmlAnswer,
  jsonAnswer,
  notFound,
  textAnswer,
} from '../answers.ts'
import {
  nextPingAt,
  pauseCheck,
  resumeCheck,
  type StoredCheck,
  type StoredPing,
  shownStatus,
  uniqueKey,
} from './project-check.ts'
import {
  findUnique,
  type ProjectTable,
  type Verdict,
  validate,
  writeCheck,
} from './project-rules.ts'

/** A request that has passed method, body and key, and whose check, if its path names one, was found. */
export interface ApiCall {
  readonly table: ProjectTable
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly view: RecordView
  readonly check: StoredCheck | null
  /** The ping that the path names, else 0. */
  readonly n: number
}

/** An answer about the check in the path. */
function onCheck(answer: (check: StoredCheck, call: ApiCall) => HttpReply) {
  return (call: ApiCall): HttpReply => (call.check === null ? notFound() : answer(call.check, call))
}

export function listChecks({ table, query, view }: ApiCall): HttpReply {
  const tags = query.getAll('tag')
  const slug = query.get('slug') ?? ''
  const checks = [...table.checks.values()].filter((check) => {
    const own = check.fields.tags.split(' ').filter((tag) => tag !== '')
    return tags.every((tag) => own.includes(tag)) && (slug === '' || check.fields.slug === slug)
  })
  return jsonAnswer(200, { checks: checks.map((check) => checkRecord(check, view)) })
}

export const getCheck = onCheck((check, { view }) => jsonAnswer(200, checkRecord(check, view)))

export function createCheck(call: ApiCall): HttpReply {
  const { table, body, view } = call
  const verdict = validate(body, view.apiVersion)
  if (!('written' in verdict)) return refusal(verdict)
  const existing = findUnique(table.checks.values(), verdict.written)
  if (existing === null && table.checks.size >= table.checkLimit) return emptyAnswer(403)
  const check = writeCheck(table, verdict.written, existing)
  if ('error' in check) return errorAnswer(400, check.error)
  return jsonAnswer(existing === null ? 201 : 200, checkRecord(check, view))
}

export const updateCheck = onCheck((check, { table, body, view }) => {
  const verdict = validate(body, view.apiVersion)
  if (!('written' in verdict)) return refusal(verdict)
  const written = writeCheck(table, verdict.written, check)
  if ('error' in written) return errorAnswer(400, written.error)
  return jsonAnswer(200, checkRecord(check, view))
})

function refusal(verdict: Exclude<Verdict, { written: unknown }>): HttpReply {
  return 'error' in verdict
    ? errorAnswer(400, verdict.error)
    : htmlAnswer(500, 'Server Error (500)')
}

export const pause = onCheck((check, { view }) => {
  pauseCheck(check, view.now)
  return jsonAnswer(200, checkRecord(check, view))
})

/** Looks at the stored status: a paused check that an overdue start shows as down can be resumed. */
export const resume = onCheck((check, { view }) => {
  if (check.status !== 'paused') return textAnswer(409, 'check is not paused')
  resumeCheck(check, view.now)
  return jsonAnswer(200, checkRecord(check, view))
})

/** The record as it was, but its integrations are gone already. */
export const deleteCheck = onCheck((check, { table, view }) => {
  table.checks.delete(check.uuid)
  return jsonAnswer(200, { ...checkRecord(check, view), channels: '' })
})

export const listPings = onCheck((check, { view }) =>
  jsonAnswer(200, { pings: pingRecords(check, view) }),
)

export const getPingBody = onCheck((check, { n }) => {
  const body = check.pings.find((ping) => ping.n === n)?.body ?? null
  return body === null ? notFound() : bytesAnswer(200, 'text/plain', body)
})

export const listFlips = onCheck((check, { query, view }) => {
  const range = flipRange(query, view.now)
  if (range === null) return emptyAnswer(400)
  const flips = check.flips
    .filter(({ at }) => at >= range.from && at < range.until)
    .map(({ at, to }) => ({ timestamp: isoSeconds(at), up: to === 'up' ? 1 : 0 }))
  return jsonAnswer(200, { flips: flips.reverse() })
})

/** Null for a value that the server refuses. An empty `seconds` is no filter, an empty `start` an error. */
function flipRange(query: URLSearchParams, now: number): { from: number; until: number } | null {
  const seconds = query.get('seconds') ?? ''
  const start = query.get('start')
  const end = query.get('end')
  if (seconds !== '' && !(/^\d+(\.0+)?$/.test(seconds) && Number(seconds) <= 31_536_000))
    return null
  const isTime = (text: string | null) =>
    text === null || (/^\d+$/.test(text) && Number(text) <= 10_000_000_000)
  if (!isTime(start) || !isTime(end)) return null
  const window = Number(seconds) === 0 ? 0 : now - Number(seconds) * 1000
  return {
    from: Math.max(window, Number(start ?? 0) * 1000),
    until: end === null ? Number.POSITIVE_INFINITY : Number(end) * 1000,
  }
}

export function listIntegrations({ table }: ApiCall): HttpReply {
  return jsonAnswer(200, { channels: table.integrations })
}

/** What an answer depends on besides the check. */
interface RecordView {
  readonly baseUrl: string
  readonly now: number
  /** 3 only where the path begins with /api/v3/; a server below a path answers as version 1. */
  readonly apiVersion: number
  readonly readOnly: boolean
}

/** ISO 8601 as checks and flips write it: UTC, the fraction cut off. */
function isoSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+00:00`
}

/** As pings write it: six digits, or none when they would all be zero. */
function isoMicros(at: number): string {
  const millis = new Date(at).toISOString().slice(20, 23)
  return millis === '000' ? isoSeconds(at) : isoSeconds(at).replace('+', `.${millis}000+`)
}

/** A check record: 29 fields with a read-write key (30 with a schedule), 24 or 25 with a read-only one. */
function checkRecord(check: StoredCheck, view: RecordView): Record<string, unknown> {
  const { fields } = check
  const status = shownStatus(check, view.now, view.apiVersion)
  const next = nextPingAt(check)
  return {
    name: fields.name,
    slug: fields.slug,
    tags: fields.tags,
    desc: fields.desc,
    grace: fields.grace,
    n_pings: check.pingCount,
    status,
    started: check.startedAt !== null,
    last_ping: check.lastPingAt === null ? null : isoSeconds(check.lastPingAt),
    next_ping: next === null ? null : isoSeconds(next),
    manual_resume: fields.manual_resume,
    methods: fields.methods,
    subject: fields.filter_subject ? fields.success_kw : '',
    subject_fail: fields.filter_subject ? fields.failure_kw : '',
    start_kw: fields.start_kw,
    success_kw: fields.success_kw,
    failure_kw: fields.failure_kw,
    filter_subject: fields.filter_subject,
    filter_body: fields.filter_body,
    filter_http_body: fields.filter_http_body,
    filter_default_fail: fields.filter_default_fail,
    badge_url: `${view.baseUrl}/b/2/${check.badgeKey}.svg`,
    ...durationField(check),
    ...keyFields(check, view),
    ...(fields.schedule === null
      ? { timeout: fields.timeout }
      : { schedule: fields.schedule, tz: fields.tz }),
  }
}

/** Whole seconds; a run of 0.4 s reads 0, and no run leaves the field out. */
function durationField(check: StoredCheck): { last_duration?: number } {
  return check.lastDurationMs === null || check.lastDurationMs === 0
    ? {}
    : { last_duration: Math.floor(check.lastDurationMs / 1000) }
}

function keyFields(check: StoredCheck, view: RecordView): Record<string, unknown> {
  if (view.readOnly) return { unique_key: uniqueKey(check.uuid) }
  const address = `${view.baseUrl}/api/v${view.apiVersion}/checks/${check.uuid}`
  return {
    uuid: check.uuid,
    ping_url: `${view.baseUrl}/ping/${check.uuid}`,
    update_url: address,
    pause_url: `${address}/pause`,
    resume_url: `${address}/resume`,
    channels: [...check.integrationIds].sort().join(','),
  }
}

const longestRunMs = 72 * 60 * 60 * 1000

/** The server gives up on all durations when more rows than this have no start to be seen. */
const unmatchedAllowed = 10

/** A check's log, newest first. */
function pingRecords(check: StoredCheck, view: RecordView): Record<string, unknown>[] {
  const durations = pingDurations(check.pings)
  const address = `${view.baseUrl}/api/v${view.apiVersion}/checks/${check.uuid}/pings`
  return check.pings
    .map((ping) => {
      const duration = durations.get(ping.n)
      return {
        type: ping.signal,
        date: isoMicros(ping.at),
        n: ping.n,
        scheme: ping.scheme,
        remote_addr: ping.remoteAddress,
        method: ping.method,
        ua: ping.userAgent,
        rid: ping.runId,
        body_url: ping.body === null ? null : `${address}/${ping.n}/body`,
        ...(duration === undefined ? {} : { duration }),
      }
    })
    .reverse()
}

function pingDurations(pings: readonly StoredPing[]): ReadonlyMap<number, number> {
  const durations = new Map<number, number>()
  const starts = new Map<string | null, number | null>()
  let unmatched = 0
  for (const ping of pings) {
    if (ping.signal === 'start') starts.set(ping.runId, ping.at)
    if (ping.signal !== 'success' && ping.signal !== 'fail') continue
    const start = starts.get(ping.runId)
    if (start === undefined) unmatched += 1
    else if (start !== null && ping.at - start < longestRunMs)
      durations.set(ping.n, Math.round((ping.at - start) / 10) / 100)
    starts.set(ping.runId, null)
  }
  return unmatched > unmatchedAllowed ? new Map() : durations
}
