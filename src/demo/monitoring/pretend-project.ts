import type { HttpReply } from '../../main/http/transport.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import {
  answer,
  emptyAnswer,
  errorAnswer,
  htmlAnswer,
  notFound,
  redirectAnswer,
  type ServedRequest,
  withHeaders,
} from '../answers.ts'
import { randomHex, randomUuid, seededRandom } from '../random.ts'
import { answerApi } from './project-api.ts'
import { answerBadge } from './project-badges.ts'
import {
  createControls,
  fairWeather,
  type ProjectControls,
  sendAlerts,
  type Weather,
} from './project-controls.ts'
import { answerPing } from './project-pings.ts'
import type { StoredIntegration } from './project-rules.ts'
import { type CheckSeed, seedCheck } from './project-seed.ts'
import type { ProjectTable } from './project-table.ts'

export interface ProjectOptions {
  /** May have a path: the server then takes every call for version 1, as real ones do. */
  readonly baseUrl: string
  readonly name: string
  /** 32 characters; any other length counts as missing. */
  readonly readWriteKey: string
  readonly readOnlyKey: string | null
  /** Epoch ms. */
  readonly now: () => number
  readonly seed: number
  readonly checks?: readonly CheckSeed[]
  readonly integrations?: readonly StoredIntegration[]
  readonly foreignUuids?: readonly string[]
  readonly checkLimit?: number
}

export interface Project {
  /** Throws `RequestFailed` of kind `network` while it is away. */
  handle(request: ServedRequest): HttpReply
  /** The server's background loop, once. */
  tick(): void
  readonly controls: ProjectControls
  /** For the world's story, which lives on the same rows. */
  readonly table: ProjectTable
}

/**
 * A pretend monitoring project: all operations of the API, ping addresses and badges, answered from
 * memory as the real server does, its odd habits included.
 */
export function createProject(options: ProjectOptions): Project {
  const table = createTable(options)
  for (const seed of options.checks ?? []) seedCheck(table, seed)
  const weather: Weather = { ...fairWeather }
  return {
    handle(request) {
      const reply = answered(table, weather, request)
      return withHeaders(reply, { date: new Date(table.now()).toUTCString() })
    },
    tick: () => sendAlerts(table),
    controls: createControls(table, weather),
    table,
  }
}

function createTable(options: ProjectOptions): ProjectTable {
  const random = seededRandom(options.seed)
  return {
    baseUrl: options.baseUrl,
    name: options.name,
    readWriteKey: options.readWriteKey,
    readOnlyKey: options.readOnlyKey,
    pingKey: randomHex(random, 22),
    badgeKey: randomUuid(random),
    integrations: options.integrations ?? [],
    foreignUuids: new Set(options.foreignUuids ?? []),
    // What a self-hosted server without billing allows.
    checkLimit: options.checkLimit ?? 10_000,
    random,
    now: options.now,
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
    return answerPing(table, request, path) ?? answerBadge(table, path) ?? webPage(path)
  const refused = refusal(weather)
  if (refused !== null) return refused
  // The version is told by the very start of the path, so below another path it is always 1.
  const apiVersion = base === '' ? Number(api[1]) : 1
  const reply = answerApi(table, request, { url, path: api[2] ?? '', apiVersion })
  return weather.rewrite === null ? reply : rewritten(reply, weather.rewrite)
}

function refusal({ refuse, rateLimit }: Weather): HttpReply | null {
  if (rateLimit !== null) {
    // The hosted service's front proxy answers, not the server: no JSON, and no hint how long.
    const reply = answer(429, 'text/plain', 'Too Many Requests')
    return rateLimit.retryAfterSeconds === null
      ? reply
      : withHeaders(reply, { 'retry-after': String(rateLimit.retryAfterSeconds) })
  }
  if (refuse === null) return null
  if (refuse === 401) return errorAnswer(401, 'wrong api key')
  return refuse === 403 ? emptyAnswer(403) : htmlAnswer(refuse, `Error ${refuse}`)
}

/** The pages of the web app ask for a login. */
function webPage(path: string): HttpReply {
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
