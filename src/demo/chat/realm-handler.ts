import type { HttpReply } from '../../main/http/transport.ts'
import { chatOperations } from '../../shared/api/chat/chat-operations.ts'
import { headerOf, htmlAnswer, type RawRequest, redirectAnswer, withHeaders } from '../answers.ts'
import type { HandledId } from './realm-handlers.ts'
import { errorReply, jsonReply, Refusal } from './realm-http.ts'

export interface Found {
  readonly id: HandledId
  readonly path: Readonly<Record<string, string>>
}

interface Route {
  readonly id: HandledId
  readonly method: string
  readonly segments: readonly string[]
}

// Sound because `chatOperations` is a literal: its own keys are its type's keys.
const operationIds = (Object.keys(chatOperations) as (keyof typeof chatOperations)[]).filter(
  (id) => id !== 'resumableUpload',
)

/** The most particular paths first: `/users/me` before `/users/{user_id}` before `/users/{email}`. */
const routes: readonly Route[] = operationIds
  .map((id) => {
    const { method, path } = chatOperations[id]
    return { id, method, segments: path.split('/') }
  })
  .sort((a, b) => vagueness(a) - vagueness(b))

function vagueness({ segments }: Route): number {
  return segments.reduce((sum, part) => sum + (!part.startsWith('{') ? 0 : isId(part) ? 1 : 2), 0)
}

function isId(part: string): boolean {
  return part.endsWith('_id}')
}

/** Views and files have names with slashes in them: their last part takes the rest of the path. */
function joinedTail(route: Route, parts: readonly string[]): readonly string[] {
  const { length } = route.segments
  const takesRest = ['{fragment}', '{filename}'].includes(route.segments.at(-1) ?? '')
  if (!takesRest || parts.length <= length) return parts
  return [...parts.slice(0, length - 1), parts.slice(length - 1).join('/')]
}

function match(route: Route, all: readonly string[]): Record<string, string> | null {
  const parts = joinedTail(route, all)
  if (route.segments.length !== parts.length) return null
  const path: Record<string, string> = {}
  for (const [index, segment] of route.segments.entries()) {
    const part = parts[index] ?? ''
    if (!segment.startsWith('{')) {
      if (segment !== part) return null
    } else if (part === '' || (isId(segment) && !/^\d+$/.test(part))) {
      return null
    } else {
      path[segment.slice(1, -1)] = decodeURIComponent(part)
    }
  }
  return path
}

/** Which operation a request is for, or the answer that there is none. */
export function findOperation(method: string, pathname: string): Found | HttpReply {
  const parts = pathname.split('/')
  const allowed: string[] = []
  for (const route of routes) {
    const path = match(route, parts)
    if (!path) continue
    if (route.method === method) return { id: route.id, path }
    allowed.push(route.method)
  }
  if (allowed.length === 0) return htmlAnswer(404, 'Not Found')
  // The real server leaves `code` out here.
  const body = { result: 'error', msg: 'Method Not Allowed', allowed_methods: allowed.sort() }
  return withHeaders(jsonReply(405, body), { allow: allowed.join(', ') })
}

/** Null when the request may come in; else the answer that keeps it out. */
export function checkKey(
  request: RawRequest,
  owner: { readonly email: string; readonly key: string },
): HttpReply | null {
  const header = headerOf(request, 'authorization')
  if (header === undefined) {
    // Whoever looks like a browser is shown the way to the login page.
    return (headerOf(request, 'accept') ?? '').includes('text/html')
      ? redirectAnswer(302, '/login/?next=/api/v1')
      : unauthorized('Not logged in: API authentication or user session required')
  }
  const [scheme = '', credentials = '', ...more] = header.split(' ')
  if (scheme.toLowerCase() !== 'basic') {
    return errorReply(new Refusal('This endpoint requires HTTP basic authentication.'))
  }
  const pair = Buffer.from(credentials, 'base64').toString('utf8').split(':')
  const [email = '', key = ''] = pair
  if (pair.length !== 2 || more.length > 0) {
    return unauthorized('Invalid authorization header for basic auth')
  }
  const known = email.toLowerCase() === owner.email.toLowerCase() && key.trim() === owner.key
  return known ? null : unauthorized('Invalid API key')
}

/** The code is UNAUTHORIZED whatever is wrong with the key or the account; only the words differ. */
function unauthorized(msg: string): HttpReply {
  return withHeaders(errorReply(new Refusal(msg, { status: 401, code: 'UNAUTHORIZED' })), {
    'www-authenticate': 'Basic realm="zulip"',
  })
}

/** What a control makes every request fail with. */
export function faultReply(status: number): HttpReply {
  if (status === 401) return unauthorized('Account is deactivated')
  if (status === 429) return tooMany(28.7068)
  if (status === 500) return jsonReply(500, { result: 'error', msg: 'Internal server error' })
  if (status > 500) return htmlAnswer(status, status === 502 ? '502 Bad Gateway' : 'Unavailable')
  return errorReply(new Refusal('Refused by the demo', { status }))
}

/** `seconds` with its fraction, in the header and beside the code. */
export function tooMany(seconds: number): HttpReply {
  const refusal = new Refusal('API usage exceeded rate limit', {
    status: 429,
    code: 'RATE_LIMIT_HIT',
    extra: { 'retry-after': seconds },
  })
  return withHeaders(errorReply(refusal), { 'retry-after': String(seconds) })
}

const windowMs = 60_000

/** Counts requests in a sliding minute. */
export function createRateLimit(limit: number, now: () => number) {
  let taken: number[] = []
  return {
    /** Seconds to wait, or null when the request may pass; it counts only then. */
    take(): number | null {
      taken = taken.filter((at) => at > now() - windowMs)
      const oldest = taken[0]
      if (oldest !== undefined && taken.length >= limit) {
        // Never a whole number, so that nobody reads it as one.
        return (oldest + windowMs - now()) / 1000 + 0.0068
      }
      taken.push(now())
      return null
    },
    headers(): Record<string, string> {
      const reset = Math.ceil(((taken[0] ?? now()) + windowMs) / 1000)
      return {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(Math.max(0, limit - taken.length)),
        'x-ratelimit-reset': String(reset),
      }
    },
  }
}
