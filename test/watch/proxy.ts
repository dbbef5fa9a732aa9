import type { Transport } from '../../src/main/base/ports.ts'
import { type NetworkReason, RequestFailed } from '../../src/shared/core/failure.ts'
import type { HttpReply } from '../../src/shared/http.ts'
import { type BadgeFault, badgeList, createBadges, isBadge } from './badge.ts'
import type { Fault, FaultKind, Life } from './life.ts'
import { Service, stamp } from './service.ts'
import type { Spoilt } from './watch.ts'

/** The outcome of one read of a project's list. */
export interface Read {
  readonly project: number
  /** When the response was complete; epoch ms by the computer's clock. */
  readonly at: number
  /** When what it says was so: earlier, if it comes from a cache. */
  readonly asOf: number
  /** `doubtful`: a response that looks complete but isn't true. `limited`: a 429. */
  readonly outcome: 'good' | 'failed' | 'doubtful' | 'limited'
  readonly fault: Fault | null
  /** UUIDs of the checks that were down in it. */
  readonly down: readonly string[]
  /** What it said, if it was a list. */
  readonly listed: readonly Listed[]
}

/** A check as one list showed it. */
export interface Listed {
  readonly uuid: string
  readonly name: string
  readonly tags: readonly string[]
  readonly status: string
}

/** What a network needs to know of a life, and of the time. */
interface Around {
  readonly life: Pick<Life, 'projects' | 'faults'>
  readonly random: () => number
  readonly spoilt: Spoilt | null
  /** Epoch ms. */
  readonly now: () => number
  /** The key that a project accepts; absent: any. */
  readonly keyOf?: (project: number) => string
  readonly badgeFaults?: readonly BadgeFault[]
}

/** A project’s second key: it reads only if the first may write, and the other way round. */
export function otherKey(project: number): string {
  return `other-key-of-p${project}`
}

/** `note`: records what the app reads. */
interface Listing {
  readonly now: number
  readonly may: { readonly write: boolean }
  readonly fault: Fault | null
  readonly note: (
    outcome: Read['outcome'],
    down?: readonly string[],
    listed?: readonly Listed[],
    ageMs?: number,
  ) => void
}

/** Faults that spoil only one response. */
const once: ReadonlySet<FaultKind> = new Set(['emptyOnce', 'partialOnce'])
const retryAfterSeconds = 20

/** The services behind a faulty network; records what the app reads in `reads`. */
export function createNetwork({
  life,
  random,
  spoilt,
  now: real,
  keyOf,
  badgeFaults = [],
}: Around) {
  const services = life.projects.map(({ checks, deeds, skew }) => {
    const own = deeds.map((deed) => ({ ...deed, at: deed.at + skew }))
    return new Service(checks, own)
  })
  const reads: Read[] = []
  const badges = createBadges(badgeFaults, json)
  const spent = new Set<Fault>()
  const lateMs = spoilt === 'slow' ? 60_000 : 0
  const cached = new Map<
    Fault,
    { readonly at: number; readonly body: string; readonly listed: readonly Listed[] }
  >()

  const transport: Transport = async (request, signal) => {
    const url = new URL(request.url)
    const project = Number(/^p(\d+)\./.exec(url.hostname)?.[1])
    const service = services[project]
    const { skew = 0 } = life.projects[project] ?? {}
    const may = powersOf(project, request.headers['x-api-key'])
    if (service === undefined) throw new Error(`no project at ${url.hostname}`)
    const isList = url.pathname.endsWith('/checks/')
    const fault = faultAt(project, isList)
    const note = (
      outcome: Read['outcome'],
      down: readonly string[] = [],
      listed: readonly Listed[] = [],
      ageMs = 0,
    ): void => {
      const at = real()
      if (isList) reads.push({ project, at, asOf: at - ageMs, outcome, fault, down, listed })
    }
    await pass(30 + 200 * random(), signal)
    const now = real() + skew
    service.advance(now)
    if (isBadge(url)) {
      const spoiltReply =
        fault && (await faultyReply(fault, now, request.deadlineMs, signal, () => undefined))
      return spoiltReply ?? badges.answer(project, service, real(), now)
    }
    if (may === null) {
      note('failed')
      return json(401, '{"error":"wrong api key"}', now)
    }
    const reply = fault && (await faultyReply(fault, now, request.deadlineMs, signal, note))
    if (reply !== null) return reply
    if (url.pathname.endsWith('/badges/')) return json(200, badgeList(), now)
    if (!isList) return historyReply(service, url, now, spoilt === 'noFlips')
    return listReply(service, { now, may, fault, note })
  }

  function listReply(service: Service, { now, may, fault, note }: Listing): HttpReply {
    let checks = service.list(now, may.write)
    const isWhole = fault === null || !once.has(fault.kind) || checks.length === 0
    if (fault?.kind === 'emptyOnce') checks = []
    if (fault?.kind === 'partialOnce')
      checks = checks.slice(0, Math.max(0, Math.floor(checks.length * 0.6)))
    const body = JSON.stringify({ checks })
    const listed = listedIn(service, checks)
    if (fault?.kind === 'cached') return fromCache(fault, { at: now, body, listed }, now, note)
    note(isWhole ? 'good' : 'doubtful', downIn(service), listed)
    return json(200, body, now)
  }

  /** Null: the key is none of the project’s. */
  function powersOf(project: number, key: string | undefined): { readonly write: boolean } | null {
    const { isWritable = true } = life.projects[project] ?? {}
    if (key === otherKey(project)) return { write: !isWritable }
    return keyOf === undefined || key === keyOf(project) ? { write: isWritable } : null
  }

  function faultAt(project: number, isList: boolean): Fault | null {
    const now = real()
    const begun = life.faults.filter((fault) => fault.project === project && now >= fault.from)
    const lasting = begun.find(({ kind, to }) => !once.has(kind) && now < to + lateMs)
    if (lasting !== undefined) return lasting
    const waiting = begun.filter((fault) => once.has(fault.kind) && !spent.has(fault))
    if (!isList) return null
    // All at once, since in succession they would confirm each other.
    for (const fault of waiting) spent.add(fault)
    return waiting[0] ?? null
  }

  function fromCache(
    fault: Fault,
    fresh: { readonly at: number; readonly body: string; readonly listed: readonly Listed[] },
    now: number,
    note: (
      outcome: Read['outcome'],
      down: readonly string[],
      listed: readonly Listed[],
      ageMs: number,
    ) => void,
  ): HttpReply {
    const kept = cached.get(fault) ?? fresh
    cached.set(fault, kept)
    const age = Math.floor((now - kept.at) / 1_000)
    note(age > 10 ? 'doubtful' : 'good', [], kept.listed, now - kept.at)
    return json(200, kept.body, kept.at, { age: `${age}` })
  }

  return { transport, services, reads, asked: badges.asked }
}

/** Null if the fault doesn't replace the response. */
async function faultyReply(
  { kind }: Fault,
  now: number,
  deadlineMs: number,
  signal: AbortSignal,
  note: (outcome: Read['outcome']) => void,
): Promise<HttpReply | null> {
  const page = '<!doctype html><title>Gateway</title>'
  const html = (status: number): HttpReply => {
    note('failed')
    return { status, headers: { 'content-type': 'text/html' }, body: bytes(page) }
  }
  const plain = (status: number, body: string): HttpReply => {
    note('failed')
    return json(status, body, now)
  }
  switch (kind) {
    case 'dropped':
      note('failed')
      throw lost('reset')
    case 'silent':
      await pass(deadlineMs, signal)
      note('failed')
      throw lost('timeout')
    case 'error500':
      return plain(500, '{"error":"internal"}')
    case 'proxy502':
      return html(502)
    case 'proxy401':
      return html(401)
    case 'missing404':
      return html(404)
    case 'nonsense400':
      return plain(400, '{}')
    case 'emptyObject':
      return plain(200, '{}')
    case 'notJson':
      return html(200)
    case 'rateLimited':
      note('limited')
      return json(429, '{}', now, { 'retry-after': `${retryAfterSeconds}` })
    // These three change the true response instead.
    case 'cached':
    case 'emptyOnce':
    case 'partialOnce':
      return null
  }
}

function historyReply(service: Service, url: URL, now: number, isForgetful: boolean): HttpReply {
  const [, id = '', what = ''] = /\/checks\/([^/]+)\/(flips|pings)\/$/.exec(url.pathname) ?? []
  const check = service.find(id)
  if (check === undefined) return json(404, '{"error":"not found"}', now)
  if (what === 'pings') {
    const pings = check.log.map(({ at, type, n }) => ({ type, date: stamp(at), n, scheme: 'http' }))
    return json(200, JSON.stringify({ pings: pings.toReversed() }), now)
  }
  const start = Number(url.searchParams.get('start') ?? 0) * 1_000
  const flips = check.flips
    .filter(({ at }) => at >= start && !isForgetful)
    .map(({ at, to }) => ({ timestamp: stamp(at), up: to === 'up' ? 1 : 0 }))
  return json(200, JSON.stringify({ flips: flips.toReversed() }), now)
}

function listedIn(service: Service, checks: readonly object[]): readonly Listed[] {
  const existing = service.existing()
  // A list that lacks checks lacks the last ones.
  return checks.map((wire, place) => ({
    uuid: existing[place]?.uuid ?? '',
    name: existing[place]?.name ?? '',
    tags: (existing[place]?.tags ?? '').split(' ').filter((tag) => tag !== ''),
    status: (wire as { readonly status: string }).status,
  }))
}

function downIn(service: Service): readonly string[] {
  return service
    .existing()
    .filter(({ status }) => status === 'down')
    .map(({ uuid }) => uuid)
}

function json(
  status: number,
  body: string,
  now: number,
  headers: Record<string, string> = {},
): HttpReply {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      date: new Date(now).toUTCString(),
      ...headers,
    },
    body: bytes(body),
  }
}

function lost(reason: NetworkReason): RequestFailed {
  return new RequestFailed({ kind: 'network', reason, host: 'p.example', reached: 'maybe' })
}

const encoder = new TextEncoder()

function bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Waits; rejects when the request is aborted, like a transport. */
function pass(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer)
      reject(lost('reset'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }, ms)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}
