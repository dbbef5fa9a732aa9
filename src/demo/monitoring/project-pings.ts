import { createHash } from 'node:crypto'
import type { HttpReply } from '../../main/http/transport.ts'
import {
  answer,
  headerOf,
  jsonAnswer,
  notFound,
  type ServedRequest,
  withHeaders,
} from '../answers.ts'
import { receivePing, type Signal, type StoredCheck, shownStatus } from './project-check.ts'
import { newCheck, type ProjectTable } from './project-rules.ts'

/** Bytes of a ping's body that are kept. */
const pingBodyLimit = 10_000

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const suffix = '(?:/(start|fail|log|\\d+))?'
const byUuid = new RegExp(`^ping/(${uuid})(?:/|${suffix})$`)
const bySlug = new RegExp(`^ping/([A-Za-z0-9_-]{22})/([A-Za-z0-9_-]+)${suffix}$`)

/** Answers a ping address; null when the path is none. Any HTTP method counts as a signal. */
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
  if (slug !== slug.toLowerCase()) return plain(400, 'invalid url format')
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

const canonicalUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

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

/** A number is an exit status; null for one that is none. */
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
export function badgeList(table: ProjectTable): Record<string, Record<string, string>> {
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
  return {
    svg: address(2, 'svg'),
    svg3: address(3, 'svg'),
    json: address(2, 'json'),
    json3: address(3, 'json'),
    shields: address(2, 'shields'),
    shields3: address(3, 'shields'),
  }
}

function signature(table: ProjectTable, tag: string): string {
  return createHash('sha1').update(`${table.badgeKey}/${tag}`).digest('hex').slice(0, 8)
}

const tagBadge = /^badge\/([0-9a-f-]{36})\/([0-9a-f]{8})(-2)?(?:\/(.+))?\.(svg|json|shields)$/
const checkBadge = /^b\/([23])\/([0-9a-f-]{36})\.(svg|json|shields)$/

/** What is behind a badge's address: no key needed. Null when the path is none. */
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

/** New and paused checks count as up; with two states a late one does too. */
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
  return withHeaders(reply, { 'cache-control': 'max-age=0, no-cache, no-store, must-revalidate' })
}

function picture(label: string, message: string): string {
  const text = `${label}: ${message}`.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="20"><text x="4" y="14">${text}</text></svg>`
}
