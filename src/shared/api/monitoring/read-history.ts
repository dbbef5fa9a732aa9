import * as v from 'valibot'
import type { Integration } from '../../core/checks/check.ts'
import type { Flip } from '../../core/checks/history.ts'
import type { Ping, PingKind } from '../../core/checks/ping.ts'
import { reader, readOr, textCut } from '../schema-field.ts'

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
 * The last to happen first, as the server sends them. One for a timeout is dated back to its
 * deadline, which may be before the one that preceded it: only the order says what was so. The
 * server answers with an object; its documentation shows a bare array.
 */
export function readFlips(
  reply: readonly unknown[] | { flips: readonly unknown[] },
): ReadList<Flip> {
  return readEach('flips' in reply ? reply.flips : reply, readFlip)
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

const isoTime =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** The usual form, which `Date.parse` can read unchanged. */
const plainTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/

/**
 * An ISO 8601 time as epoch ms; null for anything else. Tolerant, because the service writes three
 * forms: whole seconds, microseconds, and microseconds left out when zero. A time without an offset
 * is UTC, as all of the service's are, never local time.
 */
export function readTime(text: string | null | undefined): number | null {
  if (text == null || text.length > 64) return null
  if (plainTime.test(text)) return parsedTime(text)
  const parts = isoTime.exec(text.trim())
  if (parts === null) return null
  const [, date, time, seconds = '00', fraction = '', zone = 'Z'] = parts
  const millis = fraction.padEnd(3, '0').slice(0, 3)
  return parsedTime(`${date}T${time}:${seconds}.${millis}${offset(zone)}`)
}

function parsedTime(text: string): number | null {
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

/** Normalises "+02", "+0200" and "+02:00" to the one form that `Date.parse` must support. */
function offset(zone: string): string {
  if (zone.toUpperCase() === 'Z') return 'Z'
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`
}
