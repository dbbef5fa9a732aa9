import { readChecks } from '../../shared/api/read-check.ts'
import type { Check, CheckId } from '../../shared/core/check.ts'
import type { ListedChecks } from './check-poller.ts'
import { hasTooMany, itemAt, spaceLimit } from './json-limits.ts'
import { defaultMaxItems } from './reply-reading.ts'
import type { HttpReply } from './transport.ts'
import { createTurns, type Turns } from './turns.ts'
import { uniqueKeyOf } from './unique-key.ts'

/** A shorter answer, some 200 checks, is read in one go within milliseconds. */
const largeBytes = 256 * 1024
/** Rows that changed move in some databases: so many neighbours are tried before one is looked up. */
const neighbours = 4

/** `serverNow`: epoch ms by the server's clock, if it is known. Rejects when the signal aborts. */
type ReadCheckList = (
  reply: HttpReply,
  serverNow: number | null,
  signal: AbortSignal,
) => Promise<ListedChecks>

/** One item of a large answer: its bytes, from `start` to before `end`, and what they say. */
interface Item {
  readonly start: number
  readonly end: number
  readonly commas: number
  /** Null: it can't be read. */
  readonly check: Check | null
}

interface Items {
  readonly body: Buffer
  readonly list: readonly Item[]
}

/**
 * Reads one project's lists of checks, one after the other. A large one is cut into its items, in
 * turns of some ms, and an item whose bytes are those of the last answer is neither parsed nor read
 * again: its check stays the same object. What comes out is what the ordinary way gives. That one
 * (`ordinary`: a reply's items, else `RequestFailed`) takes whatever is not of exactly that shape.
 */
export function createCheckListReader(
  ordinary: (reply: HttpReply) => readonly unknown[],
): ReadCheckList {
  let last: Items | null = null
  return async (reply, serverNow, signal) => {
    const turns = createTurns(signal)
    const before = last
    last = isLarge(reply) ? await readItems(bufferOf(reply.body), before, serverNow, turns) : null
    if (last === null) return readInTurns(ordinary(reply), serverNow, turns)
    const checks = last.list.flatMap(({ check }) => check ?? [])
    return { checks, unreadable: last.list.length - checks.length }
  }
}

function isLarge({ status, body }: HttpReply): boolean {
  return status >= 200 && status < 300 && body.length >= largeBytes
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

async function readInTurns(
  items: readonly unknown[],
  serverNow: number | null,
  turns: Turns,
): Promise<ListedChecks> {
  const checks: Check[] = []
  for (const item of items) {
    if (turns.isOver()) await turns.next()
    checks.push(...readChecks([item], uniqueKeyOf, serverNow).checks)
  }
  return { checks, unreadable: items.length - checks.length }
}

/** Null for anything but an object with one list of objects, within the limits. */
async function readItems(
  body: Buffer,
  before: Items | null,
  serverNow: number | null,
  turns: Turns,
): Promise<Items | null> {
  const known = before === null ? null : createKnown(before)
  const list: Item[] = []
  let commas = 0
  let at = startOfItems(body)
  while (body[at] === brace) {
    if (turns.isOver()) await turns.next()
    const item = known?.at(body, at) ?? readItem(body, at, serverNow)
    if (item === null) return null
    known?.follow(item)
    list.push(item)
    commas += item.commas
    const next = afterSpace(body, item.end)
    if (body[next] !== comma) {
      const isWhole = isEnd(body, next) && !hasTooMany(commas) && list.length <= defaultMaxItems
      return isWhole ? { body, list } : null
    }
    commas += 1
    at = afterSpace(body, next + 1)
  }
  return null
}

/** Items of the last answer, found again in a new one by their bytes. */
interface Known {
  /** The item that begins at `start`, if it was known to the last byte. */
  at(body: Buffer, start: number): Item | null
  /** Goes on behind the place that this item had. */
  follow(item: Item): void
}

function createKnown({ body: old, list }: Items): Known {
  let expected = 0
  /** Made when the first row is not where it was. */
  let places: ReadonlyMap<CheckId, number> | null = null

  function isSame(item: Item, body: Buffer, start: number): boolean {
    const end = start + item.end - item.start
    // An object's text ends where it does, whatever comes after it.
    return end <= body.length && body.compare(old, item.start, item.end, start, end) === 0
  }

  return {
    at(body, start) {
      const next = Math.min(expected + neighbours, list.length)
      for (let place = expected; place < next; place += 1) {
        const item = list[place]
        if (item === undefined || !isSame(item, body, start)) continue
        expected = place
        // Since when it is down is held against the time, which has moved on.
        if (item.check?.status === 'down') return null
        return { ...item, start, end: start + item.end - item.start }
      }
      return null
    },
    follow({ check }) {
      const was = list[expected]?.check?.id
      if (check !== null && check.id !== was) {
        places ??= placesOf(list)
        const place = places.get(check.id)
        // One that is new leaves the expected one to come.
        if (place === undefined) return
        expected = place
      }
      expected += 1
    },
  }
}

function placesOf(list: readonly Item[]): ReadonlyMap<CheckId, number> {
  const places = new Map<CheckId, number>()
  for (const [place, { check }] of list.entries()) if (check !== null) places.set(check.id, place)
  return places
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function readItem(body: Buffer, start: number, serverNow: number | null): Item | null {
  const item = itemAt(body, start)
  if (item === null) return null
  let wire: unknown
  try {
    wire = JSON.parse(decoder.decode(body.subarray(start, item.end)))
  } catch {
    // The whole answer is refused then, in words that the ordinary way has.
    return null
  }
  const [check = null] = readChecks([wire], uniqueKeyOf, serverNow).checks
  return { start, ...item, check }
}

const comma = 0x2c
const brace = 0x7b
const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])

function afterSpace(body: Buffer, start: number): number {
  let at = start
  // What is left after so much of it is no item: the whole answer is judged, and refused for it.
  while (at - start <= spaceLimit && spaces.has(body[at])) at += 1
  return at
}

/** Behind `{"checks": [`; -1 where the answer does not begin so. */
function startOfItems(body: Buffer): number {
  let at = 0
  for (const token of ['{', '"checks"', ':', '[']) {
    at = afterSpace(body, at)
    if (body.toString('latin1', at, at + token.length) !== token) return -1
    at += token.length
  }
  return afterSpace(body, at)
}

/** Nothing follows but the end of the list and of the object. */
function isEnd(body: Buffer, start: number): boolean {
  if (body[start] !== 0x5d) return false
  const end = afterSpace(body, start + 1)
  return body[end] === 0x7d && afterSpace(body, end + 1) === body.length
}
