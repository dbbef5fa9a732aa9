import {
  readCheckDetails,
  readOneCheck,
  withSince,
} from '../../shared/api/monitoring/read-check.ts'
import type { Check, CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import { malformed } from '../../shared/core/failure.ts'
import { isSameList } from '../../shared/core/identity.ts'
import { bufferOf, spareBytes } from '../http/gzip.ts'
import { hasTooMany, itemAt, spaceLimit } from '../http/json-pieces.ts'
import { defaultMaxItems } from '../http/reply-reading.ts'
import type { HttpReply } from '../http/transport.ts'
import { createYielding, type Yielding } from '../http/wait.ts'
import type { ListedChecks } from './project.ts'
import { uniqueKeyOf } from './unique-key.ts'

/** A shorter answer, some 50 checks, is read in one go within a millisecond. */
const largeBytes = 64 * 1024
/** What takes longer than this to read in one go is not read in another shape than the service's own. */
const mostAtOnceBytes = 12 * 2 ** 20

interface CheckListReader {
  /** `serverNow`: epoch ms by the server's clock, if it is known. Rejects when the signal aborts. */
  read(reply: HttpReply, serverNow: number | null, signal: AbortSignal): Promise<ListedChecks>
  /**
   * The checks that those of the last answer became: they are kept in their place, so that none is in
   * memory twice.
   */
  commit(board: ReadonlyMap<CheckId, Check>): void
  /** Everything that the last parsed response says about a check; null if the check is not in it. */
  details(id: CheckId): CheckDetails | null
}

/** The last response that could be parsed. */
interface Kept {
  /** By place; null: it can't be read. */
  readonly checks: readonly (Check | null)[]
  /** What the service said at a place, in its own words. */
  readonly wireAt: (place: number) => unknown
}

/**
 * Reads one project's lists of checks, one after the other. A large one is split into its items, in
 * turns of a few ms, and an item whose bytes are the same as in the last response is not parsed again:
 * its check stays the same object, and so does the list while all of it is the same. The result is the
 * same as that of the ordinary parser. That one (`ordinary`: a reply's items, else `RequestFailed`)
 * handles everything that does not have exactly this shape, except what would block everything else.
 *
 * The reader keeps the body of a large reply until the next one is read: it has what a check's page
 * shows beyond the board.
 */
export function createCheckListReader(
  ordinary: (reply: HttpReply) => readonly unknown[],
): CheckListReader {
  let last: Items | null = null
  let kept: Kept | null = null
  let checks: readonly Check[] = []

  async function read(reply: HttpReply, serverNow: number | null, signal: AbortSignal) {
    const yielding = createYielding(signal)
    const before = last
    last = isLarge(reply)
      ? await readItems(bufferOf(reply.body), before, serverNow, yielding)
      : null
    if (last === null) {
      if (isLarge(reply) && reply.body.length > mostAtOnceBytes) throw malformed('shape', 'checks')
      kept = await readYielding(ordinary(reply), serverNow, yielding)
      const readable = kept.checks.filter((check) => check !== null)
      return { checks: readable, unreadable: kept.checks.length - readable.length }
    }
    if (before !== null && before !== last) release(before.body)
    last = withSinces(last, serverNow)
    kept = keptOf(last)
    checks = readableIn(last.checks, checks)
    return { checks, unreadable: last.checks.length - checks.length }
  }

  return {
    read,
    commit(board) {
      // Of one that is in it twice, the board has what the last one says, and not the other.
      if (last === null || checks.length !== board.size) return
      for (const place of last.fresh) {
        const settled = board.get(last.checks[place]?.id ?? '')
        // Since when one is down follows from its record, and is compared with the time at each poll.
        if (settled !== undefined && settled.status !== 'down') last.checks[place] = settled
      }
      last = { ...last, fresh: [] }
    },
    details(id) {
      // Of one that is in it twice the last one counts, as on the board.
      const place = kept?.checks.findLastIndex((check) => check?.id === id) ?? -1
      return kept === null || place < 0 ? null : readCheckDetails(kept.wireAt(place), uniqueKeyOf)
    },
  }
}

/**
 * Frees a body at once: left to the garbage collector, such megabytes make it scan the whole heap every
 * other poll.
 */
function release({ buffer, byteLength }: Buffer): void {
  const isOwn = buffer.byteLength - byteLength <= spareBytes
  if (isOwn && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

function keptOf({ body, checks, starts, lengths }: Items): Kept {
  return {
    checks,
    wireAt(place) {
      const start = starts[place] ?? 0
      const end = start + (lengths[place] ?? 0)
      const wire: unknown = JSON.parse(body.toString('utf8', start, end))
      return wire
    },
  }
}

/** Since when a check is down is compared with the time, which has moved on. */
function withSinces(items: Items, serverNow: number | null): Items {
  const checks = items.checks.map((check) => check && withSince(check, serverNow))
  return checks.every((check, place) => check === items.checks[place])
    ? items
    : { ...items, checks }
}

/** The same list as before where it has the same checks. */
function readableIn(checks: readonly (Check | null)[], before: readonly Check[]): readonly Check[] {
  const isWhole = checks.every((check) => check !== null)
  const readable = isWhole ? checks : checks.filter((check) => check !== null)
  return isSameList(readable, before) ? before : readable
}

function isLarge({ status, body }: HttpReply): boolean {
  return status >= 200 && status < 300 && body.length >= largeBytes
}

async function readYielding(
  items: readonly unknown[],
  serverNow: number | null,
  yielding: Yielding,
): Promise<Kept> {
  const checks: (Check | null)[] = []
  for (const item of items) {
    if (yielding.isOver()) await yielding.next()
    checks.push(readOneCheck(item, uniqueKeyOf, serverNow))
  }
  return { checks, wireAt: (place) => items[place] }
}

/** Rows that changed move in some databases: so many that may be gone from a place are skipped. */
const neighbours = 16
/** Looking at the clock costs as much as finding an item again. */
const bytesALook = 16 * 1024
/** A check has some thirty. */
const mostFields = 1_000

/** One item of a large answer, and what it says. */
interface Item {
  readonly length: number
  readonly commas: number
  /** Null: it can't be read. */
  readonly check: Check | null
}

/** The items of a large answer by their places: numbers that are no objects and not on the heap. */
interface Items {
  readonly body: Buffer
  readonly checks: (Check | null)[]
  /** Places of what was read anew: the others are as they were in the answer before. */
  readonly fresh: readonly number[]
  /** Where each begins. */
  readonly starts: Uint32Array
  readonly lengths: Uint32Array
  readonly commas: Uint32Array
}

/** Null for anything but an object with one list of objects, within the limits. */
async function readItems(
  body: Buffer,
  before: Items | null,
  serverNow: number | null,
  yielding: Yielding,
): Promise<Items | null> {
  if (before?.body.equals(body)) return before
  const known = before === null ? null : createKnown(before)
  const list = createList(body)
  let at = startOfItems(body)
  let lookAt = at
  while (body[at] === brace) {
    if (at >= lookAt) {
      lookAt = at + bytesALook
      if (yielding.isOver()) await yielding.next()
    }
    const same = known?.at(body, at) ?? null
    const item = same ?? readItem(body, at, serverNow)
    if (item === null) return null
    if (same === null) known?.pass(item)
    list.add(item, at, same === null)
    const next = afterSpace(body, at + item.length)
    if (body[next] !== comma) return isEnd(body, next) ? list.items() : null
    at = afterSpace(body, next + 1)
  }
  return null
}

/** Gathers the items of an answer. */
function createList(body: Buffer) {
  const checks: (Check | null)[] = []
  const starts: number[] = []
  const lengths: number[] = []
  const commas: number[] = []
  const fresh: number[] = []
  let allCommas = 0
  return {
    add(item: Item, start: number, isFresh: boolean): void {
      if (isFresh) fresh.push(checks.length)
      checks.push(item.check)
      starts.push(start)
      lengths.push(item.length)
      commas.push(item.commas)
      allCommas += item.commas + 1
    },
    /** Null where they are more than anyone needs. */
    items(): Items | null {
      if (hasTooMany(allCommas - 1) || checks.length > defaultMaxItems) return null
      return {
        body,
        checks,
        fresh,
        starts: new Uint32Array(starts),
        lengths: new Uint32Array(lengths),
        commas: new Uint32Array(commas),
      }
    },
  }
}

/** Items of the last answer, found again in a new one by their bytes. */
interface Known {
  /** The item that begins at `start`, if it was known to the last byte. */
  at(body: Buffer, start: number): Item | null
  /** Another item came, one that is new or changed. */
  pass(item: Item): void
}

function createKnown({ body: old, checks, starts, lengths, commas }: Items): Known {
  let expected = 0
  /** Behind the old place of a row that was not expected: the list may go on there. */
  let elsewhere = 0
  /** Made when the first row is not where it was. */
  let places: ReadonlyMap<CheckId, number> | null = null

  function take(place: number, body: Buffer, start: number): Item | null {
    const from = starts[place]
    const length = lengths[place]
    if (from === undefined || length === undefined) return null
    const end = start + length
    // An object's text ends where it does, whatever comes after it. Most others end elsewhere.
    if (body[end - 1] !== closingBrace) return null
    if (body.compare(old, from, from + length, start, end) !== 0) return null
    expected = place + 1
    return { length, commas: commas[place] ?? 0, check: checks[place] ?? null }
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
      if (check === null || expected >= checks.length) return
      if (checks[expected]?.id === check.id) expected += 1
      else {
        places ??= placesOf(checks)
        elsewhere = (places.get(check.id) ?? -1) + 1
      }
    },
  }
}

function placesOf(checks: readonly (Check | null)[]): ReadonlyMap<CheckId, number> {
  const places = new Map<CheckId, number>()
  for (const [place, check] of checks.entries()) if (check !== null) places.set(check.id, place)
  return places
}

function readItem(body: Buffer, start: number, serverNow: number | null): Item | null {
  const item = itemAt(body, start)
  if (item === null) return null
  const { end, commas } = item
  const length = end - start
  if (commas >= mostFields) return { length, commas, check: null }
  let wire: unknown
  try {
    wire = JSON.parse(body.toString('utf8', start, end))
  } catch {
    // The whole answer is refused then, in words that the ordinary way has.
    return null
  }
  return { length, commas, check: readOneCheck(wire, uniqueKeyOf, serverNow) }
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

/**
 * Why a list of checks is not believed: it comes from a cache, or lacks more than a tenth of the
 * checks that were there before.
 */
type Doubt = 'cached' | 'shrunk'

/** Seconds; also by how much a Date may lag. */
const longestAge = 10

interface ListDoubt {
  /** Null: it is believed. `serverOffsetMs`: server clock minus ours by this answer. */
  judge(answer: {
    readonly headers: HttpReply['headers']
    readonly serverOffsetMs: number
    readonly checks: readonly Check[]
    /** None of an account that is new. */
    readonly believed: ReadonlyMap<CheckId, unknown> | undefined
  }): Doubt | null
  /** Belfry deleted a check: that it is missing is no reason for doubt. */
  deleted(id: CheckId): void
  /** Whether the last answer was doubted: the next one must not come from a cache. */
  isDoubting(): boolean
}

/**
 * Compares one project's lists with the last believed one. A second answer that says the same
 * confirms a shrunken list, and one with a later Date a clock that was set. What calls itself
 * older than 10 s (Age) is never confirmed.
 */
export function createListDoubt(): ListDoubt {
  let offsetMs: number | null = null
  const deleted = new Set<CheckId>()
  let doubted: { readonly date: string | undefined; readonly ids: ReadonlySet<CheckId> } | null =
    null
  return {
    judge({ headers, serverOffsetMs, checks, believed }) {
      const { age = '0', date } = headers
      const ids = new Set(checks.map(({ id }) => id))
      const before = doubted
      doubted = { date, ids }
      if (Number(age) > longestAge) return 'cached'
      const lagMs = offsetMs === null ? 0 : offsetMs - serverOffsetMs
      if (lagMs > longestAge * 1_000 && (before === null || before.date === date)) return 'cached'
      // The very same answer once more confirms nothing.
      const isNew = before !== null && (date === undefined || before.date !== date)
      if (lacksMany(ids, deleted, believed) && !(isNew && isSame(before.ids, ids))) return 'shrunk'
      offsetMs = serverOffsetMs
      doubted = null
      deleted.clear()
      return null
    },
    deleted: (id) => deleted.add(id),
    isDoubting: () => doubted !== null,
  }
}

function lacksMany(
  ids: ReadonlySet<CheckId>,
  deleted: ReadonlySet<CheckId>,
  believed: ReadonlyMap<CheckId, unknown> = new Map(),
): boolean {
  let missing = 0
  for (const id of believed.keys()) if (!ids.has(id) && !deleted.has(id)) missing += 1
  return missing * 10 > believed.size
}

function isSame(one: ReadonlySet<CheckId>, other: ReadonlySet<CheckId>): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id))
}

/** News of an outage waits so long for an answer that is believed. */
const alarmMs = 8_000

/** Takes the checks that are down in a doubted list, one by one, unless a believed answer comes first. */
export function createDoubtfulAlarm(take: (check: Check) => void, signal: AbortSignal) {
  let checks: readonly Check[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  signal.addEventListener('abort', cancel, { once: true })
  return {
    cancel,
    raise(doubted: readonly Check[]) {
      checks = doubted
      timer ??= setTimeout(() => {
        timer = undefined
        for (const check of checks) if (check.status === 'down') take(check)
      }, alarmMs)
    },
  }
}
