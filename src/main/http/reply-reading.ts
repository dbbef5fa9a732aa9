import { getDotPath, safeParse } from 'valibot'
import type { Operation } from '../../shared/api/operation.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import type { ClientAccount } from './request-encoding.ts'
import type { HttpReply } from './transport.ts'

type Malformed = Extract<Failure, { kind: 'malformed' }>

const minRetryMs = 1_000
const maxRetryMs = 5 * 60_000
/** Of any one list of an answer, where its operation names no other limit. */
export const defaultMaxItems = 100_000

/**
 * What an answer means: its value if it is a success that fits the operation's schema, else a
 * `RequestFailed`. Nothing is taken on trust: error bodies may be JSON, text, HTML or empty, and a
 * 200 may come from a hotel's login page.
 */
export function readReply(
  account: ClientAccount,
  operation: Operation,
  reply: HttpReply,
  now: number,
): unknown {
  const failure = failureOf(account, operation, reply, now)
  if (failure !== null) throw new RequestFailed(failure)
  const wire: unknown =
    operation.replyAs === 'text' ? decodeText(reply.body) : parsedJson(operation, reply)
  const read = safeParse(operation.reply, wire)
  if (read.success) return read.output
  throw malformed('shape', short(getDotPath(read.issues[0]) ?? ''))
}

const utf8 = new TextDecoder()

/** Lenient UTF-8: a ping body is any bytes at all. A byte order mark is dropped. */
function decodeText(body: Uint8Array): string {
  return utf8.decode(body)
}

function parsedJson({ maxItems = defaultMaxItems }: Operation, reply: HttpReply): unknown {
  const beyond = beyondLimits(reply.body)
  const text = decodeText(reply.body)
  if (beyond !== null) throw malformed(isHtml(reply, text) ? 'html' : beyond, '')
  const wire = parsed(reply, text)
  const tooLong = tooLongList(wire, maxItems)
  if (tooLong !== null) throw malformed('many', tooLong)
  return wire
}

function parsed(reply: HttpReply, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's words quote the body, which may hold anything.
    throw malformed(isHtml(reply, text) ? 'html' : 'json', '')
  }
}

function isHtml(reply: HttpReply, text: string): boolean {
  return /html/i.test(reply.headers['content-type'] ?? '') || text.trimStart().startsWith('<')
}

function malformed(what: Malformed['what'], where: string): RequestFailed {
  return new RequestFailed({ kind: 'malformed', what, where })
}

/** The failure that a status stands for; null for a success. */
function failureOf(
  account: ClientAccount,
  operation: Operation,
  reply: HttpReply,
  now: number,
): Failure | null {
  const { status } = reply
  if (status >= 200 && status < 300) return null
  // RFC 6585: said by the network in between, never by the server itself.
  if (status === 511) return { kind: 'malformed', what: 'login', where: '' }
  if (status >= 500) return { kind: 'serverFault', httpStatus: status }
  if (status < 400) {
    return { kind: 'malformed', what: 'redirect', where: originOf(reply.headers['location']) }
  }
  const text = decodeText(reply.body)
  const body = beyondLimits(reply.body) === null ? jsonObject(text) : null
  const refusal = keyFailure(account, operation, reply, body)
  if (refusal !== null) return refusal
  if (status === 429) {
    return { kind: 'rateLimited', retryAfterMs: retryAfterMs(reply, body, now) }
  }
  if (operation.sends === 'tus') return tusRefusal(reply, text, body)
  return account.kind === 'chat'
    ? chatRefusal(reply, text, body)
    : monitoringRefusal(reply, text, body)
}

/**
 * What an answer says of the key; null where it is not about that. Only the service's own JSON is
 * its word: a proxy in between says 401 as well, and with the chat's very header.
 */
function keyFailure(
  account: ClientAccount,
  operation: Operation,
  { status }: HttpReply,
  body: JsonObject | null,
): Failure | null {
  const said = account.kind === 'chat' ? chatOnKey : monitoringOnKey
  const failure = said(account, operation, status, body)
  if (failure !== 'notOurs') return failure
  return status === 401 ? { kind: 'malformed', what: 'unauthorized', where: '' } : null
}

type OnKey = (
  account: ClientAccount,
  operation: Operation,
  status: number,
  body: JsonObject | null,
) => Failure | null | 'notOurs'

/** Chat API, "Error codes": they come with a 401, but some with another status as well. */
const deadKeyCodes = new Set([
  'INVALID_API_KEY',
  'UNAUTHORIZED',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
])

const chatOnKey: OnKey = (_account, operation, status, body) => {
  // The daemon behind tus has a word of its own.
  if (operation.sends === 'tus' && stringAt(body, 'message') !== '') return null
  if (body?.['result'] !== 'error') return 'notOurs'
  const isDead = status === 401 || deadKeyCodes.has(stringAt(body, 'code'))
  return isDead && operation.anonymous !== true
    ? { kind: 'badKey', httpStatus: status, message: short(stringAt(body, 'msg')) }
    : null
}

/**
 * "wrong api key" is said both of a key that is not known and of a read-only one where only the other
 * kind will do. Such a call proves nothing: a key that is really dead is found out by the poller, with
 * an operation that both kinds may use. "missing": of another length than keys have, or lost on the way.
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

/** The rule of the official clients: an error is an object with `result: "error"`; `code` may be absent. */
function chatRefusal(reply: HttpReply, text: string, body: JsonObject | null): Failure {
  if (body === null || body['result'] !== 'error') {
    return {
      kind: 'malformed',
      what: body === null ? (isHtml(reply, text) ? 'html' : 'json') : 'shape',
      where: '',
    }
  }
  return {
    kind: 'refused',
    httpStatus: reply.status,
    code: stringAt(body, 'code') || 'BAD_REQUEST',
    message: short(stringAt(body, 'msg')),
  }
}

/** Chat API, "Files": the daemon behind tus says `{message}` or plain text, and no code. */
function tusRefusal(reply: HttpReply, text: string, body: JsonObject | null): Failure {
  const words = isHtml(reply, text) ? '' : text
  return {
    kind: 'refused',
    httpStatus: reply.status,
    code: codeByStatus[reply.status] ?? `HTTP_${reply.status}`,
    message: short(stringAt(body, 'message') || stringAt(body, 'msg') || words),
  }
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

/** Monitoring API, "Error shapes": `{error}`, an HTML page, plain text that says HTML, or nothing. */
function monitoringRefusal(reply: HttpReply, text: string, body: JsonObject | null): Failure {
  const words = text.trimStart().startsWith('<') ? '' : text
  return {
    kind: 'refused',
    httpStatus: reply.status,
    code: codeByStatus[reply.status] ?? `HTTP_${reply.status}`,
    message: short(body === null ? words : stringAt(body, 'error')),
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function jsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    // An object out of JSON has string keys and values of any kind.
    return isObject ? (value as JsonObject) : null
  } catch {
    // Error bodies often are not JSON: their status speaks for them.
    return null
  }
}

function stringAt(object: JsonObject | null, name: string): string {
  const value = object?.[name]
  return typeof value === 'string' ? value : ''
}

function short(text: string): string {
  return [...text.trim()].slice(0, 300).join('')
}

/** A redirect's target without path and query, which may hold tokens. */
function originOf(location: string | undefined): string {
  if (location === undefined || !URL.canParse(location)) return ''
  const { origin } = new URL(location)
  return origin === 'null' ? '' : origin
}

/**
 * The longer of the header (whole or fractional seconds, or a date) and the body's number, between
 * 1 s and 5 min; null when neither makes sense, and then the loops use their own back-off.
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
  // Against the server's own clock where it tells it: ours may be off by more than the wait.
  const serverNow = Date.parse(date ?? '')
  return until - (Number.isNaN(serverNow) ? now : serverNow)
}

/**
 * Levels of an answer. The deepest honest one has about eight; structured clone, by which a value
 * goes to a window, gives up at some 5,000.
 */
const depthLimit = 64
/** Values of an answer, counted by their commas: 50,000 checks have 1.5 million. */
const valueLimit = 4_000_000

/** White space in a row: nobody indents so far, and going through megabytes of it holds up everything else. */
export const spaceLimit = 64 * 1024

/** An item of a list that an object holds: what is around it counts as well. */
const itemDepth = 2

const quote = 0x22
/** And what stands below it. */
const space = 0x20
const backslash = 0x5c

/**
 * What of JSON is beyond the limits, before any of it is parsed: parsing is what would cost memory.
 * Looks at brackets and commas outside of strings only, and leaves the rest to the parser.
 */
function beyondLimits(json: Uint8Array): 'deep' | 'many' | null {
  let depth = 0
  let values = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === quote) at = endOfString(json, at)
    else if (byte <= space) {
      at = endOfSpace(json, at)
      if (at - spaceLimit > json.length) return 'many'
    } else {
      depth += stepOf(byte)
      if (depth > depthLimit) return 'deep'
      if (byte === 0x2c) values += 1
    }
  }
  return hasTooMany(values) ? 'many' : null
}

/** The last byte of a run of white space; far beyond the end of everything where it is too long. */
function endOfSpace(json: Uint8Array, start: number): number {
  let at = start
  while ((json[at + 1] ?? quote) <= space) {
    at += 1
    if (at - start > spaceLimit) return Number.MAX_SAFE_INTEGER
  }
  return at
}

function stepOf(byte: number): number {
  if (byte === 0x5b || byte === 0x7b) return 1
  return byte === 0x5d || byte === 0x7d ? -1 : 0
}

/** Whether an answer with so many commas is beyond the limit. */
export function hasTooMany(commas: number): boolean {
  return commas > valueLimit
}

/**
 * Where the object that begins at `start` ends, an item of a list that the answer holds, and the
 * commas in it; null for one that does not end, or is too deep. Whether it is JSON, its parser tells.
 */
export function itemAt(json: Uint8Array, start: number): { end: number; commas: number } | null {
  let depth = itemDepth
  let commas = 0
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === quote) at = endOfString(json, at)
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth > depthLimit) return null
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1
      if (depth === itemDepth) return { end: at + 1, commas }
    } else if (byte === 0x2c) commas += 1
  }
  return null
}

/** Index of the quote that ends the string which begins at `start`, or of the last byte. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === backslash) at += 1
    else if (json[at] === quote) return at
  }
  return json.length
}

/** The first of an answer's own lists that has more items than `most`; '' for the answer itself. */
function tooLongList(value: unknown, most: number): string | null {
  if (Array.isArray(value)) return value.length > most ? '' : null
  if (typeof value !== 'object' || value === null) return null
  const parts: [string, unknown][] = Object.entries(value)
  for (const [name, part] of parts) {
    if (typeof part !== 'object' || part === null) continue
    const length = Array.isArray(part) ? part.length : Object.keys(part).length
    if (length > most) return name
  }
  return null
}
