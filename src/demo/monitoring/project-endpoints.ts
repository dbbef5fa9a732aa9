import { createHash } from 'node:crypto'
import type { HttpReply } from '../../shared/http.ts'
import {
  answer,
  bytesAnswer,
  emptyAnswer,
  headerOf,
  hourMs,
  jsonAnswer,
  notFound,
  type ServedRequest,
  textAnswer,
  withHeaders,
} from '../answers.ts'
import {
  nextPingAt,
  pauseCheck,
  receivePing,
  resumeCheck,
  type Signal,
  type StoredCheck,
  type StoredPing,
  shownStatus,
  uniqueKey,
  uuidPattern,
} from './project-check.ts'
import {
  findUnique,
  newCheck,
  type ProjectTable,
  validate,
  type Written,
  writeCheck,
} from './project-rules.ts'

/** A request whose method, body, key and check (if the path names one) have been accepted. */
export interface ApiCall {
  readonly table: ProjectTable
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly view: RecordView
  readonly check: StoredCheck | null
  /** Number of the ping in the path, or 0. */
  readonly n: number
}

/** Answers 404 unless the path names a check. */
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

/** Updates the check that `find` returns, or creates one. */
function save(call: ApiCall, find: (written: Written) => StoredCheck | null): HttpReply {
  const { table, body, view } = call
  const written = validate(body, view.apiVersion)
  const existing = find(written)
  if (existing === null && table.checks.size >= table.checkLimit) return emptyAnswer(403)
  const check = writeCheck(table, written, existing)
  return jsonAnswer(existing === null ? 201 : 200, checkRecord(check, view))
}

export const createCheck = (call: ApiCall) =>
  save(call, (written) => findUnique(call.table.checks.values(), written))

export const updateCheck = onCheck((check, call) => save(call, () => check))

export const pause = onCheck((check, { table, view }) => {
  pauseCheck(check, view.now, table.version < 4)
  return jsonAnswer(200, checkRecord(check, view))
})

/** Goes by the stored status: a paused check that an overdue start shows as down can be resumed. */
export const resume = onCheck((check, { view }) => {
  if (check.status !== 'paused') return textAnswer(409, 'check is not paused')
  resumeCheck(check, view.now)
  return jsonAnswer(200, checkRecord(check, view))
})

/** Returns the deleted record, already without its integrations. */
export const deleteCheck = onCheck((check, { table, view }) => {
  table.checks.delete(check.uuid)
  return jsonAnswer(200, { ...checkRecord(check, view), channels: '' })
})

export const listPings = onCheck((check, { table, view }) =>
  jsonAnswer(200, { pings: pingRecords(check, view, table.version < 4) }),
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

/** Null if a value is refused. An empty `seconds` means no filter; an empty `start` is refused. */
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

export const listIntegrations = ({ table }: ApiCall) =>
  jsonAnswer(200, { channels: table.integrations })

export const listBadges = ({ table }: ApiCall) => jsonAnswer(200, { badges: badgeList(table) })

interface RecordView {
  readonly baseUrl: string
  readonly now: number
  /** 3 only if the path begins with /api/v3/; a server below a path answers as version 1. */
  readonly apiVersion: number
  readonly readOnly: boolean
}

/** ISO 8601 as in checks and flips: UTC, truncated to seconds. */
function isoSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+00:00`
}

/** ISO 8601 as in pings: microseconds, left out when zero. */
function isoMicros(at: number): string {
  const millis = new Date(at).toISOString().slice(20, 23)
  return millis === '000' ? isoSeconds(at) : isoSeconds(at).replace('+', `.${millis}000+`)
}

/** 29 fields with a read-write key (30 with a schedule), 24 or 25 with a read-only one. */
function checkRecord(check: StoredCheck, view: RecordView): Record<string, unknown> {
  const { schedule, tz, timeout, ...same } = check.fields
  const next = nextPingAt(check)
  return {
    ...same,
    n_pings: check.pingCount,
    status: shownStatus(check, view.now, view.apiVersion),
    started: check.startedAt !== null,
    last_ping: check.lastPingAt === null ? null : isoSeconds(check.lastPingAt),
    next_ping: next === null ? null : isoSeconds(next),
    subject: same.filter_subject ? same.success_kw : '',
    subject_fail: same.filter_subject ? same.failure_kw : '',
    badge_url: `${view.baseUrl}/b/2/${check.badgeKey}.svg`,
    // Whole seconds: 0 for a run of 0.4 s; without a run, the field is left out.
    ...(check.lastDurationMs ? { last_duration: Math.floor(check.lastDurationMs / 1000) } : {}),
    ...keyFields(check, view),
    ...(schedule === null ? { timeout } : { schedule, tz }),
  }
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

const longestRunMs = 72 * hourMs

/** With more unmatched rows than this, the server reports no durations at all. */
const unmatchedAllowed = 10

/** Newest first. Since 4.0 durations have two decimals. */
function pingRecords(
  check: StoredCheck,
  view: RecordView,
  isExact: boolean,
): Record<string, unknown>[] {
  const durations = pingDurations(check.pings)
  const seconds = (ms: number) => (isExact ? ms / 1000 : Math.round(ms / 10) / 100)
  const address = `${view.baseUrl}/api/v${view.apiVersion}/checks/${check.uuid}/pings`
  return check.pings.toReversed().map(({ n, scheme, method, ...ping }) => ({
    type: ping.signal,
    date: isoMicros(ping.at),
    n,
    scheme,
    remote_addr: ping.remoteAddress,
    method,
    ua: ping.userAgent,
    rid: ping.runId,
    body_url: ping.body === null ? null : `${address}/${n}/body`,
    ...(durations.has(n) ? { duration: seconds(durations.get(n) ?? 0) } : {}),
  }))
}

/** Durations in ms, by ping number. */
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
      durations.set(ping.n, ping.at - start)
    starts.set(ping.runId, null)
  }
  return unmatched > unmatchedAllowed ? new Map() : durations
}

/** Number of bytes kept of a ping's body. */
const pingBodyLimit = 10_000

const suffix = '(?:/(start|fail|log|\\d+))?'
const byUuid = new RegExp(`^ping/(${uuidPattern})(?:/|${suffix})$`)
const bySlug = new RegExp(`^ping/([A-Za-z0-9_-]{22})/([A-Za-z0-9_-]+)${suffix}$`)

/** Null if the path is not a ping address. Any HTTP method counts as a signal. */
export function answerPing(
  table: ProjectTable,
  request: ServedRequest,
  path: string,
): HttpReply | null {
  if (!path.startsWith('ping/')) return null
  const url = new URL(request.url)
  const [, id, action] = byUuid.exec(path) ?? []
  if (id !== undefined) {
    const check = table.checks.get(id)
    return check === undefined ? plain(404, 'not found') : ping(table, request, check, action)
  }
  const [, pingKey, slug = '', slugAction] = bySlug.exec(path) ?? []
  if (pingKey === undefined) return notFound()
  if (slug !== slug.toLowerCase() && table.version >= 4.1) return plain(400, 'invalid url format')
  const checks = [...table.checks.values()].filter(({ fields }) => fields.slug === slug)
  const [first] = pingKey === table.pingKey ? checks : []
  if (first !== undefined && checks.length > 1) return plain(409, 'ambiguous slug')
  if (first !== undefined) return ping(table, request, first, slugAction)
  if (pingKey !== table.pingKey || url.searchParams.get('create') !== '1')
    return plain(404, 'not found')
  const made = newCheck(table, { name: slug, slug })
  made.integrationIds = new Set(table.integrations.map(({ id: integration }) => integration))
  const reply = ping(table, request, made, slugAction)
  return reply.status === 200 ? plain(201, 'Created') : reply
}

function plain(status: number, text: string): HttpReply {
  return withHeaders(answer(status, 'text/plain', text), {
    'access-control-allow-origin': '*',
    'ping-body-limit': String(pingBodyLimit),
    'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
  })
}

const canonicalUuid = new RegExp(`^${uuidPattern}$`, 'i')

function ping(
  table: ProjectTable,
  request: ServedRequest,
  check: StoredCheck,
  action: string | undefined,
): HttpReply {
  const url = new URL(request.url)
  const runId = url.searchParams.get('rid')
  if (runId !== null && !canonicalUuid.test(runId)) return plain(400, 'invalid uuid format')
  const fromPath = signalOf(action)
  if (fromPath === null) return plain(400, 'invalid url format')
  const text = request.method === 'POST' ? (request.body ?? '') : ''
  receivePing(check, {
    signal: finalSignal(check, request.method, text, fromPath),
    at: table.now(),
    runId: runId?.toLowerCase() ?? null,
    body: text === '' ? null : new TextEncoder().encode(text).subarray(0, pingBodyLimit),
    method: request.method,
    scheme: url.protocol.replace(':', ''),
    userAgent: (headerOf(request, 'user-agent') ?? '').slice(0, 200),
    remoteAddress: '203.0.113.7',
  })
  return plain(200, 'OK')
}

/** A number is an exit status; null if it is out of range. */
function signalOf(action: string | undefined): Signal | null {
  if (action === undefined) return 'success'
  if (action === 'start' || action === 'fail' || action === 'log') return action
  if (Number(action) > 255) return null
  return Number(action) === 0 ? 'success' : 'fail'
}

/** A signal found by keywords in a body overrides the one in the path. */
function finalSignal(check: StoredCheck, method: string, body: string, fromPath: Signal): Signal {
  const { fields } = check
  if (fields.methods === 'POST' && method !== 'POST') return 'ign'
  if (!fields.filter_http_body || method !== 'POST') return fromPath
  const has = (keywords: string) =>
    keywords.split(',').some((word) => word.trim() !== '' && body.includes(word.trim()))
  if (has(fields.failure_kw)) return 'fail'
  if (has(fields.success_kw)) return 'success'
  if (has(fields.start_kw)) return 'start'
  return fields.filter_default_fail ? 'fail' : 'ign'
}

type States = 2 | 3

/** Badge addresses by tag, `*` for the whole project. Tags are percent-encoded twice in them. */
function badgeList(table: ProjectTable): Record<string, Record<string, string>> {
  const tags = new Set(['*'])
  for (const { fields } of table.checks.values())
    for (const tag of fields.tags.split(' ')) if (tag !== '') tags.add(tag)
  return Object.fromEntries([...tags].map((tag) => [tag, badgeAddresses(table, tag)]))
}

function badgeAddresses(table: ProjectTable, tag: string): Record<string, string> {
  const address = (states: States, format: string) => {
    const signed = `${signature(table, tag)}${states === 2 ? '-2' : ''}`
    const name = tag === '*' ? '' : `/${encodeURIComponent(encodeURIComponent(tag))}`
    return `${table.baseUrl}/badge/${table.badgeKey}/${signed}${name}.${format}`
  }
  return Object.fromEntries(
    ['svg', 'json', 'shields'].flatMap((format) => [
      [format, address(2, format)],
      [`${format}3`, address(3, format)],
    ]),
  )
}

function signature(table: ProjectTable, tag: string): string {
  return createHash('sha1').update(`${table.badgeKey}/${tag}`).digest('hex').slice(0, 8)
}

const tagBadge = /^badge\/([0-9a-f-]{36})\/([0-9a-f]{8})(-2)?(?:\/(.+))?\.(svg|json|shields)$/
const checkBadge = /^b\/([23])\/([0-9a-f-]{36})\.(svg|json|shields)$/

/** Badges need no key. Null if the path is not a badge address. */
export function answerBadge(table: ProjectTable, path: string): HttpReply | null {
  if (!path.startsWith('badge/') && !path.startsWith('b/')) return null
  const [, ofCheck, badgeKey, checkFormat] = checkBadge.exec(path) ?? []
  if (ofCheck !== undefined && checkFormat !== undefined) {
    const check = [...table.checks.values()].find((one) => one.badgeKey === badgeKey)
    if (check === undefined) return notFound()
    const label = check.fields.name || check.uuid
    return drawn(table, [check], ofCheck === '2' ? 2 : 3, checkFormat, label)
  }
  const [, projectKey, signed, two, encodedTag, format] = tagBadge.exec(path) ?? []
  if (format === undefined || projectKey !== table.badgeKey) return notFound()
  const tag = encodedTag === undefined ? '*' : decodeURIComponent(decodeURIComponent(encodedTag))
  if (signed !== signature(table, tag)) return notFound()
  const checks = [...table.checks.values()].filter(
    ({ fields }) => tag === '*' || fields.tags.split(' ').includes(tag),
  )
  return drawn(table, checks, two === undefined ? 3 : 2, format, tag === '*' ? table.name : tag)
}

const colours = { up: 'success', late: 'important', down: 'critical' } as const

/** New and paused checks count as up; with two states, late ones do too. */
function drawn(
  table: ProjectTable,
  checks: readonly StoredCheck[],
  states: States,
  format: string,
  label: string,
): HttpReply {
  const statuses = checks.map((check) => shownStatus(check, table.now(), 3))
  const down = statuses.filter((status) => status === 'down').length
  const grace = statuses.filter((status) => status === 'grace').length
  const message = down > 0 ? 'down' : grace > 0 && states === 3 ? 'late' : 'up'
  const body = { status: message, total: checks.length, grace, down }
  const shields = { schemaVersion: 1, label, message, color: colours[message] }
  const reply =
    format === 'json'
      ? jsonAnswer(200, body)
      : format === 'shields'
        ? jsonAnswer(200, shields)
        : answer(200, 'image/svg+xml', picture(label, message))
  return withHeaders(reply, {
    'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
  })
}

function picture(label: string, message: string): string {
  const text = `${label}: ${message}`.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
  const width = 12 + 7 * (label.length + message.length)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20"><rect width="100%" height="20" rx="3" fill="#555"/><text x="6" y="14" font-family="sans-serif" font-size="11" fill="#fff">${text}</text></svg>`
}
