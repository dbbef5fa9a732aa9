import { getDotPath, safeParse } from 'valibot'
import type { Operation } from '../../shared/api/operation.ts'
import type { AccountKind } from '../../shared/core/account.ts'
import { type Failure, malformed, RequestFailed } from '../../shared/core/failure.ts'
import { isRecord, jsonIn } from '../../shared/core/schemas.ts'
import { withoutSecrets } from '../../shared/core/secrets.ts'
import { atOnce } from '../../shared/core/steps.ts'
import type { HttpReply } from '../../shared/http.ts'
import { decodeText, joined, outlineOf, short } from './json-pieces.ts'
import type { ClientAccount } from './request-encoding.ts'
import { runYielding } from './wait.ts'

const minRetryMs = 1_000
/** Caps the wait that a server may ask for. */
const maxRetryMs = 24 * 60 * 60_000
/** Items of any one list in a reply, unless its operation sets another limit. */
export const defaultMaxItems = 100_000

/**
 * Returns a reply's value if it is a success that fits the operation's schema, else throws
 * `RequestFailed`. Trusts nothing: error bodies may be JSON, text, HTML or empty, and a 200 may
 * come from a hotel's login page.
 */
export function readReply(...answer: Parameters<typeof reading>): unknown {
  return atOnce(reading(...answer))
}

/** Like `readReply`, but lets other work run while it reads a long reply. */
export function readReplyYielding(...answer: Parameters<typeof reading>): Promise<unknown> {
  return runYielding(reading(...answer))
}

function* reading(
  account: ClientAccount,
  operation: Operation,
  reply: HttpReply,
  now: number,
): Generator<undefined, unknown> {
  const failure = failureOf(account, operation, reply, now)
  if (failure !== null) throw new RequestFailed(failure)
  const wire: unknown =
    operation.replyAs === 'text' ? decodeText(reply.body) : yield* parsing(operation, reply)
  const read = safeParse(operation.reply, wire)
  if (read.success) return read.output
  throw malformed('shape', short(getDotPath(read.issues[0]) ?? ''))
}

function* parsing(
  { maxItems = defaultMaxItems }: Operation,
  reply: HttpReply,
): Generator<undefined, unknown> {
  try {
    const values = yield* joined(reply.body, yield* outlineOf(reply.body, maxItems))
    const list: readonly unknown[] = Array.isArray(values) ? values : []
    if (list.length === 1) return list[0]
  } catch (error) {
    if (error instanceof RequestFailed && !isHtml(reply, openingOf(reply))) throw error
    // A SyntaxError is not passed on: it quotes the body, which may hold anything.
    if (!(error instanceof RequestFailed || error instanceof SyntaxError)) throw error
  }
  throw malformed(isHtml(reply, openingOf(reply)) ? 'html' : 'json', '')
}

/** Enough to recognise the format, and to hold any error body. */
function openingOf({ body }: HttpReply): string {
  return decodeText(body.subarray(0, 64 * 1024))
}

function isHtml(reply: HttpReply, text: string): boolean {
  return /html/i.test(reply.headers['content-type'] ?? '') || text.trimStart().startsWith('<')
}

/** The failure that an error reply stands for; null for a success. */
function failureOf(
  account: ClientAccount,
  operation: Operation,
  reply: HttpReply,
  now: number,
): Failure | null {
  const { status } = reply
  if (status >= 200 && status < 300) return null
  // RFC 6585: sent by the network in between (a login page), never by the server itself.
  if (status === 511) return { kind: 'malformed', what: 'login', where: '' }
  if (status >= 500) return { kind: 'serverFault', httpStatus: status }
  if (status < 400) {
    return { kind: 'malformed', what: 'redirect', where: originOf(reply.headers['location']) }
  }
  const text = openingOf(reply)
  const body = jsonObject(text)
  const refusal = keyFailure(account, operation, reply, body)
  if (refusal !== null) return refusal
  if (status === 429) {
    return { kind: 'rateLimited', retryAfterMs: retryAfterMs(reply, body, now) }
  }
  if (operation.sends === 'tus') return tusRefusal(reply, text, body)
  return refusals[account.kind].refusal(reply, text, body, operation)
}

/**
 * The failure if the reply refuses the key; null if it is about something else. Only the service's
 * own JSON counts: a proxy in between may answer 401 as well, even with the chat's own header.
 */
function keyFailure(
  account: ClientAccount,
  operation: Operation,
  { status }: HttpReply,
  body: JsonObject | null,
): Failure | null {
  const failure = refusals[account.kind].onKey(account, operation, status, body)
  if (failure !== 'notOurs') return failure
  return status === 401 ? { kind: 'malformed', what: 'unauthorized', where: '' } : null
}

type OnKey = (
  account: ClientAccount,
  operation: Operation,
  status: number,
  body: JsonObject | null,
) => Failure | null | 'notOurs'

/** Chat API, "Error codes": usually sent with a 401, but some with other statuses, too. */
const deadKeyCodes = new Set([
  'INVALID_API_KEY',
  'UNAUTHORIZED',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
])

const chatOnKey: OnKey = (_account, operation, status, body) => {
  // The tus daemon's own error format says nothing about the key.
  if (operation.sends === 'tus' && stringAt(body, 'message') !== '') return null
  if (body?.['result'] !== 'error') return 'notOurs'
  const isDead = status === 401 || deadKeyCodes.has(stringAt(body, 'code'))
  return isDead && operation.anonymous !== true
    ? { kind: 'badKey', httpStatus: status, message: said(stringAt(body, 'msg')) }
    : null
}

/**
 * The service answers "wrong api key" both to an unknown key and to a read-only one where a
 * read-write key is needed. Such a call proves nothing: if the key is really dead, the poller finds
 * out, with an operation that both kinds may use. "missing": the key has the wrong length, or was
 * lost on the way.
 */
const monitoringOnKey: OnKey = (account, operation, status, body) => {
  const words = stringAt(body, 'error')
  if (status !== 401 || (words !== 'wrong api key' && words !== 'missing api key')) return 'notOurs'
  if (words === 'missing api key') return null
  if (operation.needsReadWriteKey !== true)
    return { kind: 'badKey', httpStatus: status, message: '' }
  return account.kind === 'monitoring' && account.keyKind !== 'readWrite'
    ? { kind: 'readOnlyKey' }
    : null
}

/** As in the official clients, an error has `result: "error"`, but not always a `code`. */
function chatRefusal(
  reply: HttpReply,
  text: string,
  body: JsonObject | null,
  operation: Operation,
): Failure {
  const { status } = reply
  if (body === null || body['result'] !== 'error') {
    // An anonymous request is made before we know whether this is a chat server at all.
    const page = status === 404 && operation.anonymous !== true ? 'noSuchPath' : 'html'
    const what = body === null ? (isHtml(reply, text) ? page : 'json') : 'shape'
    return { kind: 'malformed', what, where: '' }
  }
  // "Method Not Allowed" would not help: an older server has the path for other methods only.
  const message = status === 405 ? '' : said(stringAt(body, 'msg'))
  return {
    kind: 'refused',
    httpStatus: status,
    code: stringAt(body, 'code') || 'BAD_REQUEST',
    message,
  }
}

/** Chat API, "Files": the tus daemon sends `{message}` or plain text, without a code. */
function tusRefusal(reply: HttpReply, text: string, body: JsonObject | null): Failure {
  const words = isHtml(reply, text) ? '' : text
  return refusedWithoutCode(reply, stringAt(body, 'message') || stringAt(body, 'msg') || words)
}

const codeByStatus: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'CONFLICT',
  413: 'TOO_LARGE',
}

/** Monitoring API, "Error shapes": `{error}`, an HTML page, plain text sent as HTML, or nothing. */
function monitoringRefusal(reply: HttpReply, text: string, body: JsonObject | null): Failure {
  const words = text.trimStart().startsWith('<') ? '' : text
  return refusedWithoutCode(reply, body === null ? words : stringAt(body, 'error'))
}

function refusedWithoutCode({ status }: HttpReply, message: string): Failure {
  const code = codeByStatus[status] ?? `HTTP_${status}`
  return { kind: 'refused', httpStatus: status, code, message: said(message) }
}

/** A server's own words, as they go on to whatever tells of the failure: the window, a notification, the disk. */
function said(words: string): string {
  return short(withoutSecrets(words))
}

/** Reads how each service refuses a key, or a request. */
const refusals: Readonly<Record<AccountKind, { onKey: OnKey; refusal: typeof chatRefusal }>> = {
  monitoring: { onKey: monitoringOnKey, refusal: monitoringRefusal },
  chat: { onKey: chatOnKey, refusal: chatRefusal },
}

type JsonObject = Readonly<Record<string, unknown>>

/** Null for the many error bodies that aren't JSON: then only the status counts. */
function jsonObject(text: string): JsonObject | null {
  const value = jsonIn(text)
  return isRecord(value) ? value : null
}

function stringAt(object: JsonObject | null, name: string): string {
  const value = object?.[name]
  return typeof value === 'string' ? value : ''
}

/** A redirect's target without path and query, which may hold tokens. */
function originOf(location: string | undefined): string {
  if (location === undefined || !URL.canParse(location)) return ''
  const { origin } = new URL(location)
  return origin === 'null' ? '' : origin
}

/**
 * The longer of the header (whole or fractional seconds, or a date) and the body's number, between
 * 1 s and a day; null if neither is valid, and then callers use their own back-off.
 */
function retryAfterMs(reply: HttpReply, body: JsonObject | null, now: number): number | null {
  const asked = [
    headerRetryMs(reply.headers['retry-after'], reply.headers['date'], now),
    typeof body?.['retry-after'] === 'number' ? body['retry-after'] * 1_000 : null,
  ].filter((ms) => ms !== null && Number.isFinite(ms) && ms >= 0)
  if (asked.length === 0) return null
  const longest = Math.max(...asked.map((ms) => ms ?? 0))
  return Math.min(Math.max(Math.ceil(longest), minRetryMs), maxRetryMs)
}

function headerRetryMs(
  value: string | undefined,
  date: string | undefined,
  now: number,
): number | null {
  if (value === undefined || value.trim() === '') return null
  const seconds = Number(value)
  if (!Number.isNaN(seconds)) return seconds * 1_000
  const until = Date.parse(value)
  if (Number.isNaN(until)) return null
  // Relative to the server's clock if it sends a Date: ours may be off by more than the wait.
  const serverNow = Date.parse(date ?? '')
  return until - (Number.isNaN(serverNow) ? now : serverNow)
}
