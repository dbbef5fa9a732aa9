import type { HttpReply } from '../../main/http/transport.ts'
import { chatOperations } from '../../shared/api/chat/chat-operations.ts'
import { headerOf, htmlAnswer, type RawRequest, redirectAnswer, withHeaders } from '../answers.ts'
import type { RealmData } from './realm-data.ts'
import {
  type Call,
  errorReply,
  type HandledId,
  type Handlers,
  jsonReply,
  pathId,
  Refusal,
  shapes,
} from './realm-http.ts'
import { settingsHandlers } from './realm-settings.ts'

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

/** Settings, drafts, groups and the realm's configuration: what the tray itself hardly needs. */
export function officeHandlers(data: RealmData) {
  const groups = new Map([[21, new Set([data.me.id, 12])]])
  return {
    ...settingsHandlers(data),
    listUserGroups({ params }) {
      params.maybe('include_deactivated_groups', shapes.boolean)
      const rows = [...groups].map(([id, members]) => ({
        id,
        name: 'on-call',
        description: 'Who is woken at night',
        members: [...members],
        direct_subgroup_ids: [],
        is_system_group: false,
        deactivated: false,
      }))
      return { user_groups: rows }
    },
    updateUserGroupMembers: (call) => updateGroup(data, groups, call),
    ...viewHandlers(data),
    addPlayground({ params }) {
      params.text('name')
      params.text('pygments_language')
      const variables = params.text('url_template').match(/\{[^}]*\}/g) ?? []
      if (!/^\{[+#./;?&]?code\}$/.test(variables.join(''))) {
        throw new Refusal('"code" must be the only variable present in the URL template')
      }
      return { id: data.nextId() }
    },
    addLinkifier({ params }) {
      const pattern = params.text('pattern')
      const template = params.text('url_template')
      checkLinkifier(pattern, template)
      return { id: data.nextId() }
    },
  } satisfies Partial<Handlers>
}

function updateGroup(data: RealmData, groups: Map<number, Set<number>>, call: Call) {
  const add = call.params.maybe('add', shapes.wholes) ?? []
  const remove = call.params.maybe('delete', shapes.wholes) ?? []
  const subgroups = [
    ...(call.params.maybe('add_subgroups', shapes.wholes) ?? []),
    ...(call.params.maybe('delete_subgroups', shapes.wholes) ?? []),
  ]
  const group = groups.get(pathId(call, 'user_group_id'))
  if (!group || subgroups.some((id) => !groups.has(id))) throw new Refusal('Invalid user group')
  if (add.length + remove.length + subgroups.length === 0) {
    throw new Refusal(
      'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
    )
  }
  const unknown = [...add, ...remove].find((id) => !data.people.has(id))
  if (unknown !== undefined) throw new Refusal(`Invalid user ID: ${unknown}`)
  for (const id of add) group.add(id)
  for (const id of remove) group.delete(id)
  return {}
}

function checkLinkifier(pattern: string, template: string): void {
  const groups = [...pattern.matchAll(/\(\?P?<(\w+)>/g)].map(([, name]) => name)
  try {
    new RegExp(pattern.replaceAll('(?P<', '(?<'))
  } catch {
    // The pattern came with the request; a bad one is its fault, not ours.
    throw new Refusal('Bad regular expression: invalid syntax')
  }
  const variables = [...template.matchAll(/\{[+#./;?&]?(\w+)[^}]*\}/g)].map(([, name]) => name)
  const missing = variables.find((name) => !groups.includes(name))
  if (missing !== undefined) {
    throw new Refusal(`Group '${missing}' in URL template is not present in linkifier pattern.`)
  }
}

interface View {
  readonly fragment: string
  readonly is_pinned: boolean
  readonly name: string | null
}

const builtInViews = [
  'inbox',
  'recent',
  'feed',
  'drafts',
  'narrow/has/reaction/sender/me',
  'narrow/is/mentioned',
  'narrow/is/starred',
]

/** The views of the web app's sidebar. Of the built-in ones only those that were changed are kept. */
function viewHandlers(data: RealmData) {
  const views = new Map<string, View>()
  const first = { fragment: 'narrow/channel/1-ops', is_pinned: true, name: 'Operations' }
  views.set(first.fragment, first)
  const tell = (op: string, fields: Readonly<Record<string, unknown>>) =>
    data.queues.push(() => ({ type: 'navigation_view', op, ...fields }))
  const refuseName = (fragment: string, name: string | undefined) => {
    if (name !== undefined && builtInViews.includes(fragment))
      throw new Refusal('Built-in views cannot have a custom name.')
  }
  return {
    listNavigationViews: () => ({ navigation_views: [...views.values()] }),
    addNavigationView({ params }) {
      const fragment = params.text('fragment')
      const isPinned = params.json('is_pinned', shapes.boolean) === true
      const name = params.maybeText('name')
      refuseName(fragment, name)
      if (views.has(fragment)) throw new Refusal('Navigation view already exists.')
      if (!builtInViews.includes(fragment) && name === undefined)
        throw new Refusal('Custom views must have a valid name.')
      const view: View = { fragment, is_pinned: isPinned, name: name ?? null }
      views.set(fragment, view)
      tell('add', { navigation_view: view })
      return {}
    },
    updateNavigationView({ path, params }: Call) {
      const fragment = path['fragment'] ?? ''
      const pinned = params.maybe('is_pinned', shapes.boolean)
      const name = params.maybeText('name')
      refuseName(fragment, name)
      const old = views.get(fragment)
      if (old === undefined && !builtInViews.includes(fragment)) throw noView('NOT_FOUND')
      const view: View = {
        fragment,
        is_pinned: pinned === undefined ? (old?.is_pinned ?? false) : pinned === true,
        name: name ?? old?.name ?? null,
      }
      views.set(fragment, view)
      tell('update', { fragment, data: { is_pinned: view.is_pinned, name: view.name } })
      return {}
    },
    removeNavigationView({ path }: Call) {
      const fragment = path['fragment'] ?? ''
      if (!views.delete(fragment)) throw noView('BAD_REQUEST')
      tell('remove', { fragment })
      return {}
    },
  } satisfies Partial<Handlers>
}

/** The document names NOT_FOUND for a change and BAD_REQUEST for the removal. */
function noView(code: string): Refusal {
  return new Refusal('Navigation view does not exist.', { status: 404, code })
}
