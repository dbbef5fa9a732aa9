import * as v from 'valibot'
import type { Integration } from '../../core/checks/check.ts'
import type { Flip } from '../../core/checks/history.ts'
import type { Ping, PingKind } from '../../core/checks/ping.ts'
import { reader, readOr, textCut } from '../schema-field.ts'
import { readTime } from './read-check.ts'

const amount = v.pipe(v.number(), v.minValue(-1e11), v.maxValue(1e11))
const short = textCut(200)
const line = textCut(2_000)

const wirePing = v.looseObject({
  type: short,
  date: v.string(),
  n: v.nullish(amount),
  scheme: v.nullish(short, ''),
  remote_addr: v.nullish(short),
  method: v.nullish(short, ''),
  ua: v.nullish(line, ''),
  rid: v.nullish(short),
  body_url: v.nullish(v.string()),
  duration: v.nullish(amount),
})

const wireIntegration = v.object({
  id: v.pipe(v.string(), v.maxLength(64)),
  name: v.nullish(line, ''),
  kind: v.nullish(short, ''),
})

/** The readable items of a list, and the number of the others. */
interface ReadList<T> {
  readonly items: T[]
  readonly unreadable: number
}

/** Newest first, as the server sends them. */
export function readPings(reply: { pings: readonly unknown[] }): ReadList<Ping> {
  return readEach(reply.pings, readPing)
}

/**
 * Newest first: the server sends them in reverse order of insertion, but backdates those for
 * timeouts. It answers with an object; its documentation shows a bare array.
 */
export function readFlips(
  reply: readonly unknown[] | { flips: readonly unknown[] },
): ReadList<Flip> & { readonly asSent: readonly Flip[] } {
  const read = readEach('flips' in reply ? reply.flips : reply, readFlip)
  const items = read.items.toSorted((one, other) => other.at - one.at)
  return { ...read, items, asSent: read.items }
}

export function readIntegrations(reply: { channels: readonly unknown[] }): ReadList<Integration> {
  return readEach(reply.channels, (item) => readOr(wireIntegration, item))
}

function readEach<Item, T>(list: readonly Item[], read: (item: Item) => T | null): ReadList<T> {
  const items = list.map((item) => read(item)).filter((item) => item !== null)
  return { items, unreadable: list.length - items.length }
}

const pingKinds: ReadonlyMap<string, PingKind> = new Map<string, PingKind>([
  ['success', 'success'],
  ['start', 'start'],
  ['fail', 'fail'],
  ['log', 'log'],
  ['ign', 'ignored'],
])

const readPing = reader(wirePing, (wire): Ping | null => {
  const at = readTime(wire.date)
  if (at === null) return null
  return {
    n: wire.n ?? null,
    kind: pingKinds.get(wire.type) ?? 'unknown',
    rawKind: wire.type,
    at,
    scheme: wire.scheme,
    remoteAddress: wire.remote_addr ?? null,
    method: wire.method,
    userAgent: wire.ua,
    runId: wire.rid ?? null,
    hasBody: (wire.body_url ?? null) !== null,
    durationSeconds: wire.duration ?? null,
  }
})

const wireFlip = v.object({ timestamp: v.string(), up: v.union([v.number(), v.boolean()]) })

const readFlip = reader(wireFlip, ({ timestamp, up }): Flip | null => {
  const at = readTime(timestamp)
  return at === null ? null : { at, up: up === 1 || up === true }
})
