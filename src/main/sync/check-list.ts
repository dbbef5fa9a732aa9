import { readOneCheck, withSince } from '../../shared/api/read-check.ts'
import { readCheckDetails } from '../../shared/api/read-check-details.ts'
import type { Check, CheckDetails, CheckId } from '../../shared/core/check.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import type { ListedChecks } from './check-poller.ts'
import { hasTooMany, itemAt, spaceLimit } from './json-limits.ts'
import { defaultMaxItems } from './reply-reading.ts'
import type { HttpReply } from './transport.ts'
import { createTurns, type Turns } from './turns.ts'
import { uniqueKeyOf } from './unique-key.ts'

/** A shorter answer, some 50 checks, is read in one go within a millisecond. */
const largeBytes = 64 * 1024
/** What takes longer than this to read in one go is not read in another shape than the service's own. */
const mostAtOnceBytes = 12 * 2 ** 20
/** Rows that changed move in some databases: so many that may be gone from a place are skipped. */
const neighbours = 16
/** Looking at the clock costs as much as finding an item again. */
const itemsALook = 32

export interface CheckListReader {
  /** `serverNow`: epoch ms by the server's clock, if it is known. Rejects when the signal aborts. */
  read(reply: HttpReply, serverNow: number | null, signal: AbortSignal): Promise<ListedChecks>
  /** All that the last answer that could be read says of a check; null where it says nothing of it. */
  details(id: CheckId): CheckDetails | null
}

/** The last answer that could be read. */
interface Kept {
  /** By place; null: it can't be read. */
  readonly checks: readonly (Check | null)[]
  /** What the service said at a place, in its own words. */
  readonly wireAt: (place: number) => unknown
}

/** One item of a large answer, and what it says. */
interface Item {
  readonly length: number
  readonly commas: number
  /** Null: it can't be read. */
  check: Check | null
}

interface Items {
  readonly body: Buffer
  readonly list: readonly Item[]
  /** Where each begins. */
  readonly starts: readonly number[]
}

/**
 * Reads one project's lists of checks, one after the other. A large one is cut into its items, in
 * turns of some ms, and an item whose bytes are those of the last answer is neither parsed nor read
 * again: its check stays the same object, and the list too while all of it is the same. What comes
 * out is what the ordinary way gives. That one (`ordinary`: a reply's items, else `RequestFailed`)
 * takes whatever is not of exactly that shape, but for what would hold up everything else.
 *
 * The body of a large reply is the reader's from then on: it is gone once the next one was read, and
 * until then says what a check's page shows beyond the board.
 */
export function createCheckListReader(
  ordinary: (reply: HttpReply) => readonly unknown[],
): CheckListReader {
  let last: Items | null = null
  let kept: Kept | null = null
  let checks: readonly Check[] = []

  async function read(reply: HttpReply, serverNow: number | null, signal: AbortSignal) {
    const turns = createTurns(signal)
    const before = last
    last = isLarge(reply) ? await readItems(bufferOf(reply.body), before, serverNow, turns) : null
    if (last === null) {
      if (isLarge(reply) && reply.body.length > mostAtOnceBytes)
        throw new RequestFailed({ kind: 'malformed', what: 'shape', where: 'checks' })
      kept = await readInTurns(ordinary(reply), serverNow, turns)
      const readable = kept.checks.filter((check) => check !== null)
      return { checks: readable, unreadable: kept.checks.length - readable.length }
    }
    if (before !== null && before !== last) giveBack(before.body)
    kept = keptOf(last)
    checks = checksIn(last, serverNow, checks)
    return { checks, unreadable: last.list.length - checks.length }
  }

  return {
    read,
    details(id) {
      // Of one that is in it twice the last one counts, as on the board.
      const place = kept?.checks.findLastIndex((check) => check?.id === id) ?? -1
      return kept === null || place < 0 ? null : readCheckDetails(kept.wireAt(place), uniqueKeyOf)
    },
  }
}

/**
 * Some MiB of a body of its own. Waiting for the garbage collector they would make it go over the whole
 * heap every other poll.
 */
function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

function keptOf({ body, list, starts }: Items): Kept {
  return {
    checks: list.map(({ check }) => check),
    wireAt(place) {
      const start = starts[place] ?? 0
      const end = start + (list[place]?.length ?? 0)
      const wire: unknown = JSON.parse(body.toString('utf8', start, end))
      return wire
    },
  }
}

/** The same list as before where it has the same checks. */
function checksIn(
  { list }: Items,
  serverNow: number | null,
  before: readonly Check[],
): readonly Check[] {
  const checks: Check[] = []
  let isSame = true
  for (const item of list) {
    if (item.check === null) continue
    // Since when it is down is held against the time, which has moved on.
    item.check = withSince(item.check, serverNow)
    isSame &&= item.check === before[checks.length]
    checks.push(item.check)
  }
  return isSame && checks.length === before.length ? before : checks
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
): Promise<Kept> {
  const checks: (Check | null)[] = []
  for (const item of items) {
    if (turns.isOver()) await turns.next()
    checks.push(readOneCheck(item, uniqueKeyOf, serverNow))
  }
  return { checks, wireAt: (place) => items[place] }
}

/** Null for anything but an object with one list of objects, within the limits. */
async function readItems(
  body: Buffer,
  before: Items | null,
  serverNow: number | null,
  turns: Turns,
): Promise<Items | null> {
  if (before !== null && isSameBody(before.body, body)) return before
  const known = before === null ? null : createKnown(before)
  const list: Item[] = []
  const starts: number[] = []
  let commas = 0
  let at = startOfItems(body)
  while (body[at] === brace) {
    if (list.length % itemsALook === 0 && turns.isOver()) await turns.next()
    const same = known?.at(body, at) ?? null
    const item = same ?? readItem(body, at, serverNow)
    if (item === null) return null
    if (same === null) known?.pass(item)
    list.push(item)
    starts.push(at)
    commas += item.commas
    const next = afterSpace(body, at + item.length)
    if (body[next] !== comma) {
      const isWhole = isEnd(body, next) && !hasTooMany(commas) && list.length <= defaultMaxItems
      return isWhole ? { body, list, starts } : null
    }
    commas += 1
    at = afterSpace(body, next + 1)
  }
  return null
}
/** The very same bytes are no copy of themselves that must be compared. */
function isSameBody(one: Buffer, other: Buffer): boolean {
  const isOne = one.buffer === other.buffer && one.byteOffset === other.byteOffset
  return (isOne && one.length === other.length) || one.equals(other)
}

/** Items of the last answer, found again in a new one by their bytes. */
interface Known {
  /** The item that begins at `start`, if it was known to the last byte. */
  at(body: Buffer, start: number): Item | null
  /** Another item came, one that is new or changed. */
  pass(item: Item): void
}

function createKnown({ body: old, list, starts }: Items): Known {
  let expected = 0
  /** Behind the old place of a row that was not expected: the list may go on there. */
  let elsewhere = 0
  /** Made when the first row is not where it was. */
  let places: ReadonlyMap<CheckId, number> | null = null

  function take(place: number, body: Buffer, start: number): Item | null {
    const item = list[place]
    const from = starts[place]
    if (item === undefined || from === undefined) return null
    const end = start + item.length
    // An object's text ends where it does, whatever comes after it. Most others end elsewhere.
    if (body[end - 1] !== closingBrace) return null
    if (body.compare(old, from, from + item.length, start, end) !== 0) return null
    expected = place + 1
    return item
  }

  return {
    at(body, start) {
      const end = expected + neighbours
      for (let place = expected; place < end; place += 1) {
        const item = take(place, body, start)
        if (item !== null) return item
      }
      return elsewhere === 0 ? null : take(elsewhere, body, start)
    },
    pass({ check }) {
      elsewhere = 0
      // Nothing is left to come: rows that changed stand at the end.
      if (check === null || expected >= list.length) return
      if (list[expected]?.check?.id === check.id) expected += 1
      else {
        places ??= placesOf(list)
        elsewhere = (places.get(check.id) ?? -1) + 1
      }
    },
  }
}

function placesOf(list: readonly Item[]): ReadonlyMap<CheckId, number> {
  const places = new Map<CheckId, number>()
  for (const [place, { check }] of list.entries()) if (check !== null) places.set(check.id, place)
  return places
}

function readItem(body: Buffer, start: number, serverNow: number | null): Item | null {
  const item = itemAt(body, start)
  if (item === null) return null
  let wire: unknown
  try {
    wire = JSON.parse(body.toString('utf8', start, item.end))
  } catch {
    // The whole answer is refused then, in words that the ordinary way has.
    return null
  }
  const check = readOneCheck(wire, uniqueKeyOf, serverNow)
  return { length: item.end - start, commas: item.commas, check }
}

const comma = 0x2c
const brace = 0x7b
const closingBrace = 0x7d
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
  return body[end] === closingBrace && afterSpace(body, end + 1) === body.length
}
