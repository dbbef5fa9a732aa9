import type { HttpReply } from '../../main/http/transport.ts'
import { chatOperations } from '../../shared/api/chat/chat-operations.ts'
import { headerOf, type RawRequest, withHeaders } from '../answers.ts'
import { createControls, type Gate, type RealmControls } from './realm-controls.ts'
import type { RealmData, UploadLimits } from './realm-data.ts'
import { draftHandlers } from './realm-drafts.ts'
import { editHandlers } from './realm-edit.ts'
import { publicFile } from './realm-files.ts'
import {
  checkKey,
  createRateLimit,
  type Found,
  faultReply,
  findOperation,
  tooMany,
} from './realm-handler.ts'
import type { Call, Handlers } from './realm-handlers.ts'
import { errorReply, jsonReply, paramsOf, Refusal } from './realm-http.ts'
import { type Agenda, createAgenda, createLife } from './realm-life.ts'
import { messageHandlers, queueHandlers } from './realm-message-handlers.ts'
import { officeHandlers } from './realm-office.ts'
import { peopleHandlers } from './realm-people.ts'
import { postHandlers } from './realm-post.ts'
import { presenceHandlers } from './realm-presence.ts'
import type { SetTimer } from './realm-queues.ts'
import { serverSettings } from './realm-register.ts'
import { scheduleHandlers } from './realm-scheduled.ts'
import { seedRealm } from './realm-seed.ts'
import { createTus } from './realm-tus.ts'
import { createUploads, type Uploads, uploadHandlers } from './realm-uploads.ts'

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
