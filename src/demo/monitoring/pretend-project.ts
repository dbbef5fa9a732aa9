import { RequestFailed } from '../../shared/core/failure.ts'
import type { HttpReply } from '../../shared/http.ts'
import {
  answer,
  emptyAnswer,
  errorAnswer,
  headerOf,
  htmlAnswer,
  notFound,
  Refused,
  randomHex,
  randomUuid,
  redirectAnswer,
  type ServedRequest,
  seededRandom,
  textAnswer,
  withHeaders,
} from '../answers.ts'
import { type StoredCheck, uniqueKey, uuidPattern } from './project-check.ts'
import {
  type CheckSeed,
  createControls,
  seedCheck,
  sendAlerts,
  type Weather,
} from './project-controls.ts'
import {
  type ApiCall,
  answerBadge,
  answerPing,
  createCheck,
  deleteCheck,
  getCheck,
  getPingBody,
  listBadges,
  listChecks,
  listFlips,
  listIntegrations,
  listPings,
  pause,
  resume,
  updateCheck,
} from './project-endpoints.ts'
import type { ProjectOptions, ProjectTable } from './project-rules.ts'

export type Project = ReturnType<typeof createProject>

/**
 * A pretend monitoring project: every API operation, ping addresses and badges, answered from memory
 * as the real server would, quirks included.
 */
export function createProject({
  checks = [],
  ...options
}: ProjectOptions & { readonly checks?: readonly CheckSeed[] }) {
  const table = createTable(options)
  for (const seed of checks) seedCheck(table, seed)
  const weather: Weather = {
    away: false,
    refuse: null,
    rateLimit: null,
    captive: false,
    rewrite: null,
  }
  return {
    /** Throws `RequestFailed` of kind `network` while it is away. */
    handle(request: ServedRequest): HttpReply {
      const reply = answered(table, weather, request)
      return withHeaders(reply, { date: new Date(table.now()).toUTCString() })
    },
    /** One pass of the server's background loop. */
    tick: () => sendAlerts(table),
    controls: createControls(table, weather),
    /** For the demo's story. */
    table,
  }
}

function createTable(options: ProjectOptions): ProjectTable {
  const random = seededRandom(options.seed)
  return {
    integrations: [],
    foreignUuids: [],
    checkLimit: 10_000,
    version: 4.3,
    ...options,
    pingKey: randomHex(random, 22),
    badgeKey: randomUuid(random),
    random,
    checks: new Map(),
  }
}

function answered(table: ProjectTable, weather: Weather, request: ServedRequest): HttpReply {
  const url = new URL(request.url)
  if (weather.away)
    throw new RequestFailed({ kind: 'network', reason: 'refused', host: url.host, reached: 'no' })
  if (weather.captive) return htmlAnswer(200, 'Sign in to the network')
  const base = new URL(table.baseUrl).pathname.replace(/\/$/, '')
  if (!url.pathname.startsWith(`${base}/`)) return notFound()
  const path = url.pathname.slice(base.length + 1)
  const api = /^api\/v([123])\/(.*)$/.exec(path)
  if (api === null)
    return (
      answerPing(table, request, path) ?? answerBadge(table, path) ?? webPage(path, table.version)
    )
  const refused = refusal(weather)
  if (refused !== null) return refused
  // The server reads the version from the start of the path; below a path it is always 1.
  const apiVersion = base === '' ? Number(api[1]) : 1
  const reply = answerApi(table, request, { url, path: api[2] ?? '', apiVersion })
  return weather.rewrite === null ? reply : rewritten(reply, weather.rewrite)
}

function refusal({ refuse, rateLimit }: Weather): HttpReply | null {
  if (rateLimit !== null) {
    // Sent by the hosted service's front proxy: no JSON, and no hint how long to wait.
    const reply = answer(429, 'text/plain', 'Too Many Requests')
    return rateLimit.retryAfterSeconds === null
      ? reply
      : withHeaders(reply, { 'retry-after': String(rateLimit.retryAfterSeconds) })
  }
  if (refuse === null) return null
  if (refuse === 401) return errorAnswer(401, 'wrong api key')
  return refuse === 403 ? emptyAnswer(403) : htmlAnswer(refuse, `Error ${refuse}`)
}

/** The web app's pages redirect to the login page, whose footer has the version. */
function webPage(path: string, version: number): HttpReply {
  if (path === 'accounts/login/') return htmlAnswer(200, `Healthchecks v${version}`)
  return path === '' || /^(checks\/[0-9a-f-]{36}\/details|cloaked\/[0-9a-f]{40})\/$/.test(path)
    ? redirectAnswer(302, `/accounts/login/?next=/${path}`)
    : notFound()
}

function rewritten(
  reply: HttpReply,
  change: (record: Record<string, unknown>) => unknown,
): HttpReply {
  if (reply.headers['content-type'] !== 'application/json') return reply
  // Our own JSON, written a moment ago.
  const value = JSON.parse(new TextDecoder().decode(reply.body)) as Record<string, unknown>
  if (!Array.isArray(value['checks'])) return reply
  const checks = value['checks'].map(change)
  const { 'content-type': type, 'content-length': _length, ...headers } = reply.headers
  return withHeaders(answer(reply.status, type, JSON.stringify({ checks })), headers)
}

type Answer = (call: ApiCall) => HttpReply

const uuid = `(?<uuid>${uuidPattern})`
const key = '(?<key>[0-9a-f]{40})'

/** `path` is below /api/v3/. Named groups: `uuid` or `key` for the check, `n` for a ping. */
function route(path: string, endpoints: Readonly<Record<string, ReturnType<typeof anyKey>>>) {
  return { pattern: new RegExp(`^${path}$`), endpoints }
}

type Route = ReturnType<typeof route>

const anyKey = (answer: Answer) => ({ needsReadWrite: false, answer })
/** A read-only key gets a 401, like a wrong one. */
const readWrite = (answer: Answer) => ({ needsReadWrite: true, answer })

const routes: readonly Route[] = [
  route('checks/', { GET: anyKey(listChecks), POST: readWrite(createCheck) }),
  route(`checks/${uuid}`, {
    GET: anyKey(getCheck),
    POST: readWrite(updateCheck),
    DELETE: readWrite(deleteCheck),
  }),
  route(`checks/${key}`, { GET: anyKey(getCheck) }),
  route(`checks/${uuid}/pause`, { POST: readWrite(pause) }),
  route(`checks/${uuid}/resume`, { POST: readWrite(resume) }),
  route(`checks/${uuid}/pings/`, { GET: readWrite(listPings) }),
  route(`checks/${uuid}/pings/(?<n>\\d+)/body`, { GET: readWrite(getPingBody) }),
  route(`checks/${uuid}/flips/`, { GET: anyKey(listFlips) }),
  route(`checks/${key}/flips/`, { GET: anyKey(listFlips) }),
  route('channels/', { GET: readWrite(listIntegrations) }),
  route('badges/', { GET: anyKey(listBadges) }),
]

/** `path` follows `/api/v3/`; `apiVersion` is the version that the server assumes. */
interface ApiAddress {
  readonly url: URL
  readonly path: string
  readonly apiVersion: number
}

function answerApi(table: ProjectTable, request: ServedRequest, address: ApiAddress): HttpReply {
  const { path, url } = address
  if (path === 'status/') return probe(request)
  const found = routes.find(({ pattern }) => pattern.test(path))
  if (found === undefined) {
    const isSlashMissing =
      path === 'status' || routes.some(({ pattern }) => pattern.test(`${path}/`))
    return isSlashMissing ? redirectAnswer(301, `${url.pathname}/${url.search}`) : notFound()
  }
  const reply = routed(table, request, found, address)
  // The framework's own pages carry no CORS headers.
  const isPage = new TextDecoder().decode(reply.body.subarray(0, 9)) === '<!doctype'
  return isPage ? reply : withHeaders(reply, corsHeaders(found))
}

/** No key, no CORS headers; anything but GET and HEAD is stopped by the framework's CSRF check. */
function probe({ method }: ServedRequest): HttpReply {
  return method === 'GET' || method === 'HEAD'
    ? textAnswer(200, 'OK')
    : htmlAnswer(403, '403 Forbidden')
}

function corsHeaders({ endpoints }: Route): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': `${Object.keys(endpoints).join(', ')}, OPTIONS`,
    'access-control-allow-headers': 'X-Api-Key',
    'access-control-max-age': '600',
  }
}

/** In the server's order: method, body, key, check, project; then the endpoint validates. */
function routed(
  table: ProjectTable,
  request: ServedRequest,
  { pattern, endpoints }: Route,
  { url, path, apiVersion }: ApiAddress,
): HttpReply {
  if (request.method === 'OPTIONS') return emptyAnswer(204)
  const endpoint = Object.hasOwn(endpoints, request.method) ? endpoints[request.method] : undefined
  if (endpoint === undefined) return emptyAnswer(405)
  try {
    const body = readBody(request)
    const readOnly = openWith(table, request, body, endpoint.needsReadWrite)
    const groups = pattern.exec(path)?.groups ?? {}
    return endpoint.answer({
      table,
      query: url.searchParams,
      body,
      view: { baseUrl: table.baseUrl, now: table.now(), apiVersion, readOnly },
      check: findCheck(table, groups),
      n: Number(groups['n'] ?? 0),
    })
  } catch (error) {
    if (error instanceof Refused) return error.reply
    throw error
  }
}

/** Beyond this, the framework answers with its own page. */
const largestBody = 2_621_440

/** Only POST has a body; the content type is ignored. */
function readBody(request: ServedRequest): Readonly<Record<string, unknown>> {
  const text = request.method === 'POST' ? (request.body ?? '') : ''
  if (text === '') return {}
  if (text.length > largestBody) throw new Refused(htmlAnswer(400, 'Bad Request (400)'))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Refused(errorAnswer(400, 'could not parse request body'))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new Refused(errorAnswer(400, 'json validation error: value is not an object'))
}

/**
 * Whether the key is read-only. The header wins if present; the body's key counts only where a
 * read-write key is required.
 */
function openWith(
  table: ProjectTable,
  request: ServedRequest,
  body: Readonly<Record<string, unknown>>,
  needsReadWrite: boolean,
): boolean {
  const inBody = needsReadWrite && request.method === 'POST' ? body['api_key'] : undefined
  const given = headerOf(request, 'x-api-key') ?? (typeof inBody === 'string' ? inBody : '')
  // The server treats a key of any other length as missing.
  if (given.length !== 32) throw new Refused(errorAnswer(401, 'missing api key'))
  if (given === table.readWriteKey) return false
  if (given === table.readOnlyKey && !needsReadWrite) return true
  throw new Refused(errorAnswer(401, 'wrong api key'))
}

/** The check named in the path; null if it names none. */
function findCheck(
  table: ProjectTable,
  { uuid, key }: Readonly<Record<string, string>>,
): StoredCheck | null {
  if (uuid === undefined && key === undefined) return null
  const check =
    uuid === undefined
      ? [...table.checks.values()].find((one) => uniqueKey(one.uuid) === key)
      : table.checks.get(uuid)
  if (check !== undefined) return check
  if (uuid === undefined) throw new Refused(emptyAnswer(404))
  throw new Refused(table.foreignUuids.includes(uuid) ? emptyAnswer(403) : notFound())
}
