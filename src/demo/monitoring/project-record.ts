import {
  nextPingAt,
  type StoredCheck,
  type StoredPing,
  shownStatus,
  uniqueKey,
} from './project-check.ts'

/** What an answer depends on besides the check. */
export interface RecordView {
  readonly baseUrl: string
  readonly now: number
  /** 3 only where the path begins with /api/v3/; a server below a path answers as version 1. */
  readonly apiVersion: number
  readonly readOnly: boolean
}

/** ISO 8601 as checks and flips write it: UTC, the fraction cut off. */
export function isoSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+00:00`
}

/** As pings write it: six digits, or none when they would all be zero. */
function isoMicros(at: number): string {
  const millis = new Date(at).toISOString().slice(20, 23)
  return millis === '000' ? isoSeconds(at) : isoSeconds(at).replace('+', `.${millis}000+`)
}

/** A check record: 29 fields with a read-write key (30 with a schedule), 24 or 25 with a read-only one. */
export function checkRecord(check: StoredCheck, view: RecordView): Record<string, unknown> {
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
export function pingRecords(check: StoredCheck, view: RecordView): Record<string, unknown>[] {
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
