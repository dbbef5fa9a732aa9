import { chatOperations } from '../../shared/api/chat/chat-operations.ts'
import { formFields, isKnownAt } from '../../shared/api/form-fields.ts'
import type { Operation } from '../../shared/api/operation.ts'
import type { HttpReply } from '../../shared/http.ts'
import { headerOf, htmlAnswer, type RawRequest, redirectAnswer, withHeaders } from '../answers.ts'
import type { DemoPlace } from './demo-message.ts'
import { createControls, type Gate } from './realm-controls.ts'
import { newestLevel, type RealmData, type UploadLimits } from './realm-data.ts'
import { draftHandlers, scheduleHandlers } from './realm-drafts.ts'
import {
  type Call,
  errorReply,
  type HandledId,
  type Handlers,
  jsonReply,
  paramsOf,
  Refusal,
} from './realm-http.ts'
import { editHandlers, messageHandlers, queueHandlers } from './realm-message-handlers.ts'
import { postMessage } from './realm-messages.ts'
import { peopleHandlers, presenceHandlers } from './realm-people.ts'
import { sendMessage } from './realm-post.ts'
import type { SetTimer } from './realm-queues.ts'
import { serverSettings } from './realm-register.ts'
import { reminderHandlers } from './realm-reminders.ts'
import { seedRealm } from './realm-seed.ts'
import { settingsHandlers } from './realm-settings.ts'
import {
  createTus,
  createUploads,
  publicFile,
  type Uploads,
  uploadHandlers,
} from './realm-uploads.ts'

export interface RealmOptions {
  /** The canonical URL; may have a path. */
  readonly baseUrl: string
  readonly now: () => number
  readonly seed: number
  readonly setTimer?: SetTimer
  /** People reply and talk on their own. Off for tests that count messages. */
  readonly lively?: boolean
  /** Requests per minute; default 200, as on real servers. */
  readonly rateLimit?: number
  /** Default: 100 MiB per file and 1 GiB in total. */
  readonly uploadLimits?: UploadLimits
  /** Default: the newest in the API document. Lower ones lack later operations and fields. */
  readonly featureLevel?: number | undefined
}

const realTimer: SetTimer = (run, ms) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** 32 letters and digits, like a real key. */
const demoKey = 'BelfryDemoKeyBelfryDemoKey012345'

/** An in-memory chat realm that answers the whole catalogue as a real server does. */
export class PretendRealm {
  readonly #data: ReturnType<typeof seedRealm>
  readonly #gate: Gate = { fault: null, key: demoKey }
  readonly #agenda: ReturnType<typeof createAgenda>
  readonly #uploads: ReturnType<typeof createUploads>
  readonly #handlers: Handlers
  readonly #basePath: string
  /** Events are served by a separate process with its own counters. */
  readonly #limits: Readonly<Record<'events' | 'rest', ReturnType<typeof createRateLimit>>>
  readonly #tus: ReturnType<typeof createTus>
  readonly controls: RealmControls
  /** The user who can sign in. `email` is the real address, not the one that the API shows. */
  readonly user: { id: number; email: string; key: string; name: string }

  constructor(options: RealmOptions) {
    const base = new URL(options.baseUrl)
    const data = seedRealm({
      now: options.now,
      seed: options.seed,
      host: base.hostname,
      setTimer: options.setTimer ?? realTimer,
      uploadLimits: options.uploadLimits ?? { mib: 100, quotaBytes: 2 ** 30 },
      featureLevel: options.featureLevel ?? newestLevel,
    })
    this.#data = data
    const agenda = createAgenda(options.now)
    this.#agenda = agenda
    this.#uploads = createUploads(data)
    const life = options.lively ? createActivity(data, agenda) : null
    const baseUrl = options.baseUrl.replace(/\/+$/, '')
    const later = (atSeconds: number, run: () => void) => agenda.at(atSeconds * 1000, run)
    this.#handlers = {
      serverSettings: () => serverSettings(data, baseUrl),
      ...queueHandlers(data),
      ...messageHandlers(data),
      ...editHandlers(data),
      sendMessage: (call) => sendMessage(data, call, (place) => life?.onSent(place)),
      ...scheduleHandlers(data, later),
      ...reminderHandlers(data, later, baseUrl),
      ...draftHandlers(data),
      ...uploadHandlers(data, this.#uploads),
      ...peopleHandlers(data),
      ...presenceHandlers(data),
      ...settingsHandlers(data),
    }
    this.#basePath = base.pathname.replace(/\/+$/, '')
    const limit = options.rateLimit ?? 200
    this.#limits = {
      events: createRateLimit(limit, options.now),
      rest: createRateLimit(limit, options.now),
    }
    this.#tus = createTus(this.#uploads, baseUrl)
    this.controls = { ...createControls(data, this.#gate), files: this.#uploads.rows }
    const { id, email, name } = data.me
    this.user = { id, email, key: demoKey, name }
  }

  /** Rejects only if `signal` aborts a waiting poll; even faults are replies. */
  async handle(request: RawRequest, signal: AbortSignal): Promise<HttpReply> {
    const url = new URL(request.url)
    const path = url.pathname.startsWith(this.#basePath)
      ? url.pathname.slice(this.#basePath.length)
      : url.pathname
    if (this.#gate.fault?.only === null) return faultReply(this.#gate.fault.status)
    const file = this.#fileReply(request, path) ?? this.#tusReply(request, path)
    if (file) return file
    const found = findOperation(request.method, path, this.#data.featureLevel)
    if (!('id' in found)) return found
    const params = paramsOf(request, url, unknownFields(found.id, this.#data.featureLevel))
    const agent = headerOf(request, 'user-agent') ?? 'unknown'
    const client = agent.split('/')[0] ?? agent
    return this.#admit(found.id, { path: found.path, params, request, signal, client })
  }

  /** Runs whatever is due. Call it about once a second. */
  tick() {
    this.#data.queues.sweep()
    this.#agenda.tick()
  }

  #refuseKey(request: RawRequest) {
    return checkKey(request, { email: this.#data.me.email, key: this.#gate.key })
  }

  async #admit(id: HandledId, call: Call): Promise<HttpReply> {
    if (this.#gate.fault?.only === id) return faultReply(this.#gate.fault.status)
    if ('anonymous' in chatOperations[id]) return this.#run(id, call)
    const refused = this.#refuseKey(call.request)
    if (refused) return refused
    const bucket = this.#limits[id === 'getEvents' || id === 'deleteQueue' ? 'events' : 'rest']
    const wait = bucket.take()
    return withHeaders(wait === null ? await this.#run(id, call) : tooMany(wait), bucket.headers())
  }

  /** Null if the path is not a file's. */
  #fileReply(request: RawRequest, path: string): HttpReply | null {
    if (!path.startsWith('/user_uploads/')) return publicFile(path)
    const file = this.#uploads.temporary(path)
    if (file === null && headerOf(request, 'authorization') === undefined)
      return redirectAnswer(302, `/accounts/login/?next=${path}`)
    return file ?? this.#refuseKey(request) ?? this.#uploads.file(path)
  }

  /** The tus daemon has no rate limit and its own error format. */
  #tusReply(request: RawRequest, path: string): HttpReply | null {
    if (!/^\/api\/v1\/tus(\/|$)/.test(path)) return null
    if (this.#gate.fault?.only === 'resumableUpload') return faultReply(this.#gate.fault.status)
    return this.#tus(request, path, this.#refuseKey(request) === null)
  }

  async #run(id: HandledId, call: Call): Promise<HttpReply> {
    try {
      const answer = await this.#handlers[id](call)
      // The real server doesn't look at this one's parameters at all.
      const ignored = id === 'getOwnUser' ? [] : call.params.ignored()
      return jsonReply(200, {
        result: 'success',
        msg: '',
        ...answer,
        ...(ignored.length === 0 ? {} : { ignored_parameters_unsupported: ignored }),
      })
    } catch (error) {
      if (error instanceof Refusal) return errorReply(error)
      throw error
    }
  }
}

export interface RealmControls extends ReturnType<typeof createControls> {
  readonly files: Uploads['rows']
}

interface Found {
  readonly id: HandledId
  readonly path: Readonly<Record<string, string>>
}

// The cast is safe because `chatOperations` is a literal: it has only the keys of its type.
const operationIds = (Object.keys(chatOperations) as (keyof typeof chatOperations)[]).filter(
  (id) => id !== 'resumableUpload',
)

/** Most specific first: `/users/me` before `/users/{user_id}` before `/users/{email}`. */
const routes = operationIds
  .map((id) => {
    const { method, path, since = 0 }: Operation = chatOperations[id]
    return { id, method, path, pattern: patternOf(path), since }
  })
  .sort((a, b) => vagueness(a.path) - vagueness(b.path))

function vagueness(path: string): number {
  return (path.match(/\{/g) ?? []).length * 2 - (path.match(/_id\}/g) ?? []).length
}

/** With a named group for each parameter. Names of views and files may contain slashes. */
function patternOf(path: string): RegExp {
  const groups = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = name.endsWith('_id') ? '\\d+' : /^file|^fragment/.test(name) ? '.+' : '[^/]+'
    return `(?<${name}>${value})`
  })
  return new RegExp(`^${groups}$`)
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)] as const),
  )
}

/** The parameters that a server of this level doesn't know yet, or no longer. */
function unknownFields(id: HandledId, level: number): ReadonlySet<string> {
  const unknown = formFields(chatOperations[id]).filter((field) => !isKnownAt(field, level))
  return new Set(unknown.map(({ name }) => name))
}

/** The requested operation, or the response if there is none. */
function findOperation(method: string, pathname: string, level: number): Found | HttpReply {
  const allowed: string[] = []
  for (const { id, pattern, since, method: own } of routes) {
    const found = since > level ? null : pattern.exec(pathname)
    if (!found) continue
    if (own === method) return { id, path: decoded(found.groups ?? {}) }
    allowed.push(own)
  }
  if (allowed.length === 0) return htmlAnswer(404, 'Not Found')
  // As in Django: in the order of its routes, with HEAD wherever there is GET.
  const methods = ['GET', 'PATCH', 'POST', 'DELETE'].filter((one) => allowed.includes(one))
  if (allowed.includes('GET')) methods.push('HEAD')
  // The real server leaves `code` out here.
  const body = { result: 'error', msg: 'Method Not Allowed', allowed_methods: methods }
  return withHeaders(jsonReply(405, body), { allow: methods.join(', ') })
}

/** Null if the credentials are valid, otherwise the refusal. */
function checkKey(
  request: RawRequest,
  owner: { readonly email: string; readonly key: string },
): HttpReply | null {
  const header = headerOf(request, 'authorization')
  if (header === undefined) {
    // Browsers are redirected to the login page.
    return (headerOf(request, 'accept') ?? '').includes('text/html')
      ? redirectAnswer(302, '/login/?next=/api/v1')
      : unauthorized('Not logged in: API authentication or user session required')
  }
  const [scheme = '', credentials = '', ...more] = header.split(' ')
  if (scheme.toLowerCase() !== 'basic')
    return errorReply(new Refusal('This endpoint requires HTTP basic authentication.'))
  const pair = Buffer.from(credentials, 'base64').toString('utf8').split(':')
  const [email = '', key = ''] = pair
  if (pair.length !== 2 || more.length > 0)
    return unauthorized('Invalid authorization header for basic auth')
  const known = email.toLowerCase() === owner.email.toLowerCase() && key.trim() === owner.key
  return known ? null : unauthorized('Invalid API key')
}

/** The code is always UNAUTHORIZED; only the message differs. */
function unauthorized(msg: string): HttpReply {
  return withHeaders(errorReply(new Refusal(msg, { status: 401, code: 'UNAUTHORIZED' })), {
    'www-authenticate': 'Basic realm="zulip"',
  })
}

function faultReply(status: number): HttpReply {
  if (status === 401) return unauthorized('Account is deactivated')
  if (status === 429) return tooMany(28.7068)
  if (status === 500) return jsonReply(500, { result: 'error', msg: 'Internal server error' })
  if (status > 500) return htmlAnswer(status, status === 502 ? '502 Bad Gateway' : 'Unavailable')
  return errorReply(new Refusal('Refused by the demo', { status }))
}

/** `seconds` goes into the header and the body, fraction included. */
function tooMany(seconds: number): HttpReply {
  const refusal = new Refusal('API usage exceeded rate limit', {
    status: 429,
    code: 'RATE_LIMIT_HIT',
    extra: { 'retry-after': seconds },
  })
  return withHeaders(errorReply(refusal), { 'retry-after': String(seconds) })
}

const windowMs = 60_000

/** Limits requests in a sliding minute. */
function createRateLimit(limit: number, now: () => number) {
  let taken: number[] = []
  return {
    /** Seconds to wait, or null if the request may pass; only then does it count. */
    take(): number | null {
      taken = taken.filter((at) => at > now() - windowMs)
      const oldest = taken[0]
      if (oldest !== undefined && taken.length >= limit) {
        // Never a whole number, so that clients must handle fractions.
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

type Agenda = ReturnType<typeof createAgenda>

/** What the demo will do later, by its own clock. */
function createAgenda(now: () => number) {
  let entries: { readonly at: number; readonly run: () => void }[] = []
  return {
    at(epochMs: number, run: () => void) {
      entries.push({ at: epochMs, run })
    },
    /** Runs what is due, oldest first. */
    tick() {
      const due = entries.filter(({ at }) => at <= now()).sort((a, b) => a.at - b.at)
      entries = entries.filter(({ at }) => at > now())
      for (const { run } of due) run()
    },
  }
}

const answers = [
  'On it.',
  'Thanks, that helps. :thumbs_up:',
  'Give me ten minutes.',
  'Good. I will watch the next run.',
  'I thought so too.',
]

const remarks: readonly [from: number, place: DemoPlace, text: string][] = [
  [13, { kind: 'topic', channelId: 3, topic: 'web 4.18' }, 'Everyone has it now. :tada:'],
  [14, { kind: 'topic', channelId: 1, topic: 'db-primary' }, 'The replica has caught up.'],
  [12, { kind: 'topic', channelId: 2, topic: 'lunch' }, 'Are there noodles left?'],
  [
    12,
    { kind: 'topic', channelId: 1, topic: 'db-primary' },
    '@**Dana Lind** the restore test went through, will you close it?',
  ],
  [13, { kind: 'direct', userIds: [11, 13] }, 'Do you have a minute?'],
]

const remarkEveryMs = 75_000

/** People reply to what the user writes, and now and then say something on their own. */
function createActivity(data: RealmData, agenda: Agenda) {
  const say = (from: number, place: DemoPlace, content: string) => {
    const sender = data.people.get(from)
    if (sender) postMessage(data, { sender, place, content, read: false, client: 'website' })
  }
  let said = 0
  const remark = () => {
    const next = remarks[said % remarks.length]
    if (next) say(...next)
    said += 1
    agenda.at(data.now() + remarkEveryMs, remark)
  }
  agenda.at(data.now() + remarkEveryMs, remark)
  let answered = 0
  return {
    /** Someone in the conversation replies after a few seconds. */
    onSent(place: DemoPlace): void {
      const other =
        place.kind === 'direct'
          ? place.userIds.find((id) => id !== data.me.id)
          : 12 + (answered % 3)
      const text = answers[answered % answers.length]
      if (other === undefined || text === undefined) return
      answered += 1
      agenda.at(data.now() + 4_000, () => say(other, place, text))
    },
  }
}
