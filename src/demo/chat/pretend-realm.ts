import type { HttpReply } from '../../main/http/transport.ts'
import { type ChatOperationId, chatOperations } from '../../shared/api/chat/chat-operations.ts'
import { headerOf, type RawRequest, withHeaders } from '../answers.ts'
import {
  channelNamed,
  type DemoChannel,
  type DemoPlace,
  nowSeconds,
  personNamed,
  type RealmData,
  setTopicPolicy,
  type UploadLimits,
  wireSubscription,
} from './realm-data.ts'
import { draftHandlers, scheduleHandlers } from './realm-drafts.ts'
import {
  checkKey,
  createRateLimit,
  type Found,
  faultReply,
  findOperation,
  officeHandlers,
  tooMany,
} from './realm-handler.ts'
import { placeNamed } from './realm-history-seed.ts'
import { type Call, errorReply, type Handlers, jsonReply, paramsOf, Refusal } from './realm-http.ts'
import {
  type ControlPlace,
  type MessageControls,
  messageControls,
  placeFor,
} from './realm-message-controls.ts'
import {
  editHandlers,
  messageHandlers,
  pushDirectTyping,
  queueHandlers,
} from './realm-message-handlers.ts'
import { postMessage } from './realm-messages.ts'
import { peopleHandlers, presenceHandlers, renamePerson } from './realm-people.ts'
import { postHandlers } from './realm-post.ts'
import type { SetTimer } from './realm-queues.ts'
import { serverSettings } from './realm-register.ts'
import { seedRealm } from './realm-seed.ts'
import {
  createTus,
  createUploads,
  publicFile,
  type Uploads,
  uploadHandlers,
} from './realm-uploads.ts'

/** A chat realm that exists in memory only and answers the whole catalogue as a real server does. */
export interface DemoRealm {
  /** Rejects when `signal` aborts a waiting poll; everything else, faults included, is a reply. */
  readonly handle: (request: RawRequest, signal: AbortSignal) => Promise<HttpReply>
  /** Lets due things happen by the realm's clock; to be called every second or so. */
  readonly tick: () => void
  readonly controls: RealmControls
  /** Who can sign in. `email` is the real address: the one that the API shows does not open anything. */
  readonly user: {
    readonly id: number
    readonly email: string
    readonly key: string
    readonly name: string
  }
}

export interface RealmOptions {
  /** Where clients reach it, also behind a path; told as the canonical address. */
  readonly baseUrl: string
  readonly now: () => number
  readonly seed: number
  readonly setTimer?: SetTimer
  /** The people answer and say things by themselves. Off for tests that count messages. */
  readonly lively?: boolean
  /** Requests a minute; real servers allow 200. */
  readonly rateLimit?: number
  /** 100 MiB a file and 1 GiB in all, unless told. */
  readonly uploadLimits?: UploadLimits
}

const realTimer: SetTimer = (run, ms) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** 32 letters and digits like a real key, the same every time. */
const demoKey = 'BelfryDemoKeyBelfryDemoKey012345'

export function createRealm(options: RealmOptions): DemoRealm {
  const base = new URL(options.baseUrl)
  const data = seedRealm({
    now: options.now,
    seed: options.seed,
    host: base.hostname,
    setTimer: options.setTimer ?? realTimer,
    uploadLimits: options.uploadLimits ?? { mib: 100, quotaBytes: 2 ** 30 },
  })
  const gate: Gate = { fault: null, key: demoKey }
  const agenda = createAgenda(options.now)
  const uploads = createUploads(data)
  const handlers = createHandlers(data, agenda, { ...options, uploads })
  const handle = createHandle({ data, gate, handlers, options, uploads })
  return {
    handle,
    tick() {
      data.queues.sweep()
      agenda.tick()
    },
    controls: createControls(data, gate),
    user: { id: data.me.id, email: data.me.email, key: demoKey, name: data.me.name },
  }
}

function createHandlers(
  data: RealmData,
  agenda: Agenda,
  options: RealmOptions & { readonly uploads: Uploads },
): Handlers {
  const life = options.lively ? createLife(data, agenda) : null
  const later = (atSeconds: number, run: () => void) => agenda.at(atSeconds * 1000, run)
  return {
    serverSettings: () => serverSettings(data, options.baseUrl.replace(/\/+$/, '')),
    ...queueHandlers(data),
    ...messageHandlers(data),
    ...editHandlers(data),
    ...postHandlers(data, (place) => life?.onSent(place)),
    ...scheduleHandlers(data, later),
    ...draftHandlers(data),
    ...uploadHandlers(data, options.uploads),
    ...peopleHandlers(data),
    ...presenceHandlers(data),
    ...officeHandlers(data),
  }
}

interface Visit {
  readonly found: Found
  readonly request: RawRequest
  readonly url: URL
  readonly signal: AbortSignal
}

interface Parts {
  readonly data: RealmData
  readonly gate: Gate
  readonly handlers: Handlers
  readonly options: RealmOptions
  readonly uploads: Uploads
}

function createHandle({ data, gate, handlers, options, uploads }: Parts): DemoRealm['handle'] {
  const basePath = new URL(options.baseUrl).pathname.replace(/\/+$/, '')
  const limit = options.rateLimit ?? 200
  // Events are served by a process of their own with its own counters.
  const limits = {
    events: createRateLimit(limit, options.now),
    rest: createRateLimit(limit, options.now),
  }

  const tus = createTus(uploads, options.baseUrl.replace(/\/+$/, ''))

  return (request, signal) => {
    const url = new URL(request.url)
    const path = url.pathname.startsWith(basePath)
      ? url.pathname.slice(basePath.length)
      : url.pathname
    if (gate.fault?.only === null) return Promise.resolve(faultReply(gate.fault.status))
    const file = fileReply(request, path) ?? tusReply(request, path)
    if (file) return Promise.resolve(file)
    const found = findOperation(request.method, path)
    return 'id' in found ? admit({ found, request, url, signal }) : Promise.resolve(found)
  }

  /** A file's answer, or null when the path is none of a file. */
  function fileReply(request: RawRequest, path: string): HttpReply | null {
    if (!path.startsWith('/user_uploads/')) return publicFile(path)
    return uploads.temporary(path) ?? checkKey(request, owner()) ?? uploads.file(path)
  }

  /** The daemon behind tus has no request limit and answers in its own way. */
  function tusReply(request: RawRequest, path: string): HttpReply | null {
    if (!/^\/api\/v1\/tus(\/|$)/.test(path)) return null
    if (gate.fault?.only === 'resumableUpload') return faultReply(gate.fault.status)
    return tus(request, path, checkKey(request, owner()) === null)
  }

  function owner() {
    return { email: data.me.email, key: gate.key }
  }

  async function admit(visit: Visit): Promise<HttpReply> {
    const { id } = visit.found
    if (gate.fault?.only === id) return faultReply(gate.fault.status)
    if ('anonymous' in chatOperations[id]) return run(visit)
    const refused = checkKey(visit.request, owner())
    if (refused) return refused
    const bucket = limits[id === 'getEvents' || id === 'deleteQueue' ? 'events' : 'rest']
    const wait = bucket.take()
    const reply = wait === null ? await run(visit) : tooMany(wait)
    return withHeaders(reply, bucket.headers())
  }

  async function run({ found, request, url, signal }: Visit): Promise<HttpReply> {
    const params = paramsOf(request, url)
    const agent = headerOf(request, 'user-agent') ?? 'unknown'
    const client = agent.split('/')[0] ?? agent
    const call: Call = { path: found.path, params, request, signal, client }
    try {
      const answer = await handlers[found.id](call)
      const ignored = params.ignored()
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

/** What the realm's door obeys. */
interface Gate {
  fault: { readonly status: number; readonly only: ChatOperationId | null } | null
  key: string
}

/** What happens in the pretend realm that is not the user's doing. People are named as in `personNamed`. */
export interface RealmControls extends MessageControls {
  /** 0 none, 1 muted, 2 unmuted, 3 followed. */
  setTopicPolicy(place: string, policy: 0 | 1 | 2 | 3): void
  muteChannel(name: string, muted: boolean): void
  renameChannel(name: string, to: string): void
  subscribe(name: string, subscribed: boolean): void
  muteUsers(...names: string[]): void
  rename(name: string, to: string): void
  set(property: string, value: boolean): void
  typing(from: string, to: ControlPlace, op?: 'start' | 'stop'): void
  /** An event of a known type that says what no client has heard of, as a newer server's may. */
  unheardOf(): void
  /** All queues are lost, as after a crash; waiting polls learn it at once. */
  dropQueues(): void
  /** The server comes back, maybe upgraded; the queues survive. */
  restart(featureLevel: number): void
  /** Every request, or those of one operation, fails with this status until null is given. */
  refuse(status: number | null, only?: ChatOperationId): void
  /** The key stops working, as when it was regenerated. */
  revokeKey(): void
  queues(): { readonly registered: number; readonly waiting: number }
}

function createControls(data: RealmData, gate: Gate): RealmControls {
  return { ...messageControls(data), ...realmControls(data), ...doorControls(data, gate) }
}

function realmControls(data: RealmData) {
  const channelEvent = (channel: DemoChannel, fields: Readonly<Record<string, unknown>>) => ({
    op: 'update',
    stream_id: channel.id,
    name: channel.name,
    ...fields,
  })
  return {
    setTopicPolicy(place, policy) {
      const found = placeNamed(data, place)
      if (found.kind === 'topic') setTopicPolicy(data, found, policy)
    },
    muteChannel(name, muted) {
      const channel = channelNamed(data, name)
      channel.muted = muted
      const event = channelEvent(channel, { property: 'is_muted', value: muted })
      data.queues.push(() => ({ type: 'subscription', ...event }))
    },
    renameChannel(name, to) {
      const channel = channelNamed(data, name)
      const event = channelEvent(channel, { property: 'name', value: to })
      channel.name = to
      data.queues.push(() => ({ type: 'stream', ...event }))
    },
    subscribe(name, subscribed) {
      const channel = channelNamed(data, name)
      channel.subscribed = subscribed
      const rows = subscribed ? [wireSubscription(channel)] : [{ stream_id: channel.id, name }]
      const op = subscribed ? 'add' : 'remove'
      data.queues.push(() => ({ type: 'subscription', op, subscriptions: rows }))
    },
    muteUsers(...names) {
      data.mutedUsers.clear()
      for (const name of names) data.mutedUsers.set(personNamed(data, name).id, nowSeconds(data))
      const rows = [...data.mutedUsers].map(([id, timestamp]) => ({ id, timestamp }))
      data.queues.push(() => ({ type: 'muted_users', muted_users: rows }))
    },
    rename: (name, to) => renamePerson(data, personNamed(data, name), to),
    set(property, value) {
      data.settings[property] = value
      data.queues.push(() => ({ type: 'user_settings', op: 'update', property, value }))
    },
    unheardOf: () => data.queues.push(() => ({ type: 'stream', op: 'from_the_future' })),
    typing(from, to, op = 'start') {
      const place = placeFor(data, to)
      const sender = personNamed(data, from)
      if (place.kind === 'direct') {
        return pushDirectTyping(data, { op, from: sender.id, people: place.userIds })
      }
      data.queues.push(() => ({
        type: 'typing',
        op,
        message_type: 'stream',
        sender: { user_id: sender.id, email: `user${sender.id}@${data.host}` },
        stream_id: place.channelId,
        topic: place.topic,
      }))
    },
  } satisfies Partial<RealmControls>
}

function doorControls(data: RealmData, gate: Gate) {
  return {
    dropQueues: () => data.queues.drop(),
    restart(featureLevel) {
      data.featureLevel = featureLevel
      data.queues.push(() => ({
        type: 'restart',
        zulip_version: '11.5',
        zulip_merge_base: '11.5',
        zulip_feature_level: featureLevel,
        server_generation: nowSeconds(data),
      }))
    },
    refuse(status, only) {
      gate.fault = status === null ? null : { status, only: only ?? null }
    },
    revokeKey() {
      gate.key = 'revoked'
    },
    queues: () => ({ registered: data.queues.count(), waiting: data.queues.waiting() }),
  } satisfies Partial<RealmControls>
}

/** Things that the demo does later, by its own clock. */
interface Agenda {
  at(epochMs: number, run: () => void): void
  /** Does what is due, oldest first. */
  tick(): void
}

function createAgenda(now: () => number): Agenda {
  let entries: { readonly at: number; readonly run: () => void }[] = []
  return {
    at(epochMs, run) {
      entries.push({ at: epochMs, run })
    },
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

/** The demo's people: they answer what the user writes, and now and then say something themselves. */
function createLife(data: RealmData, agenda: Agenda) {
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
    /** Somebody of the conversation answers after a few seconds. */
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
