import type { ProxiedRequest } from '../support/fault-proxy.ts'
import type { Fault } from '../support/faults.ts'
import type { Seeded } from '../support/seeded.ts'

/** Most fail at once, and few wait for a deadline, so a run has many calls in little time. */
const quick: readonly [Fault, ...Fault[]] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 502, forwarded: true },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 504, forwarded: true },
  { kind: 'status', status: 413 },
  { kind: 'resetBefore' },
  { kind: 'resetAfter' },
  { kind: 'resetInHeaders' },
  { kind: 'resetInBody' },
  { kind: 'cutLength' },
  { kind: 'cutChunk' },
  { kind: 'latency', ms: 900 },
  { kind: 'captivePortal', by: 302 },
  { kind: 'captivePortal', by: 511 },
]

/**
 * Faults that no client can tell from a broken server; most cost the event queue. Without
 * `loneSurrogates`, which moves a message to another topic, where it would be notified instead.
 */
const nonsense: readonly [Fault, ...Fault[]] = [
  { kind: 'cutPlain' },
  { kind: 'truncatedJson' },
  { kind: 'invalidJson' },
  { kind: 'bom' },
  { kind: 'nan' },
  { kind: 'duplicateKeys' },
  { kind: 'proto' },
  { kind: 'wrongJson', json: '{"result":"success","msg":""}' },
  { kind: 'wrongJson', json: 'null' },
  { kind: 'deepNesting', depth: 3_000 },
  { kind: 'captivePortal', by: 200 },
]

const slow: readonly [Fault, ...Fault[]] = [
  { kind: 'hang', forwarded: true },
  { kind: 'hang', forwarded: false },
  { kind: 'halfOpen' },
  { kind: 'slowHeaders', everyMs: 500 },
  { kind: 'slowBody', everyMs: 500 },
  { kind: 'status', status: 429, retryAfter: '1' },
]

/**
 * Without `unknownEvents`: its made-up id is acknowledged, and a fake server whose next event gets
 * that same id drops it. A real server never reuses an id, and no client could know.
 */
const ofEvents: readonly [Fault, ...Fault[]] = [
  { kind: 'duplicatedEvents' },
  { kind: 'reorderedEvents' },
]

const isEvents = ({ method, path }: ProxiedRequest): boolean =>
  method === 'GET' && path.includes('/events')

/** Faults for reading: `share` of all calls fail, and `loss` of the polls lose the queue. */
export function readingFault(
  chance: Seeded,
  request: ProxiedRequest,
  { share, loss }: { readonly share: number; readonly loss: number },
): Fault | null {
  if (isEvents(request) && chance.chance(loss)) return { kind: 'queueGone' }
  if (!chance.chance(share)) return null
  const kind = chance.random()
  if (isEvents(request) && kind < 0.15) return chance.pick(ofEvents)
  if (kind < 0.22) return chance.pick(nonsense)
  if (kind < 0.26) return chance.pick(slow)
  return chance.pick(quick)
}

/** Faults for sending, where it matters most whether the request reached the server. */
export function sendingFault(chance: Seeded, share: number): Fault | null {
  if (!chance.chance(share)) return null
  const kind = chance.random()
  if (kind < 0.12) return { kind: 'hang', forwarded: true }
  if (kind < 0.18) return chance.pick(slow)
  if (kind < 0.4) return chance.pick(nonsense)
  if (kind < 0.5)
    return {
      kind: 'status',
      status: 400,
      body: '{"result":"error","code":"BAD_REQUEST","msg":"Not like this"}',
    }
  return chance.pick(quick)
}

export const isSend = ({ method, path }: ProxiedRequest): boolean =>
  method === 'POST' && path.endsWith('/messages')

/** The realm that the path belongs to. */
export function realmOf({ path }: ProxiedRequest): number {
  return Number(/^\/r(\d+)\//.exec(path)?.[1] ?? -1)
}
