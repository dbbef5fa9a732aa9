import {
  atLaterTime,
  readCheckDetails,
  readOneCheck,
} from '../../shared/api/monitoring/read-check.ts'
import type { Check, CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import { malformed } from '../../shared/core/failure.ts'
import { isSameList } from '../../shared/core/identity.ts'
import type { HttpReply } from '../../shared/http.ts'
import { uniqueKeyOf } from '../base/unique-key.ts'
import { bufferOf, spareBytes } from '../http/gzip.ts'
import { hasTooMany, itemAt, spaceLimit } from '../http/json-pieces.ts'
import { defaultMaxItems } from '../http/reply-reading.ts'
import { createYielding, type Yielding } from '../http/wait.ts'

/** A smaller reply, of some 50 checks, is read in one go within a millisecond. */
const largeBytes = 64 * 1024
/** A larger reply is refused unless it can be read in turns: reading it in one go would block. */
const mostAtOnceBytes = 12 * 2 ** 20

/** The last response that could be parsed. */
interface Kept {
  /** In the reply's order; null: it can't be read. */
  readonly checks: readonly (Check | null)[]
  /** The item at an index, as the service sent it. */
  readonly wireAt: (place: number) => unknown
}

/**
 * Reads one project's successive lists of checks. A large one is split into its items, in turns of
 * a few ms, and an item whose bytes are the same as in the last response is not parsed again: its
 * check stays the same object, and so does the whole list if nothing changed. The result is the
 * same as that of the ordinary parser. That one (`ordinary`: a reply's items, else `RequestFailed`)
 * handles everything that isn't of exactly this shape, except what would block everything else.
 *
 * The body of a large reply is kept until the next one is read: it has what a check's page shows
 * beyond the board.
 */
export function createCheckListReader(ordinary: (reply: HttpReply) => readonly unknown[]) {
  let last: Items | null = null
  let kept: Kept | null = null
  let checks: readonly Check[] = []

  /** `serverNow`: epoch ms by the server's clock, if known. Rejects when the signal aborts. */
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
    last = atLaterTimes(last, serverNow)
    kept = keptOf(last)
    checks = readableIn(last.checks, checks)
    return { checks, unreadable: last.checks.length - checks.length }
  }

  return {
    read,
    /** Replaces the last reply's checks by the board's, so that none is in memory twice. */
    commit(board: ReadonlyMap<CheckId, Check>) {
      // If a check is listed twice, the board has its last item, which must not replace the first.
      if (last === null || checks.length !== board.size) return
      for (const place of last.fresh) {
        const settled = board.get(last.checks[place]?.id ?? '')
        // Not if it is down: each poll derives `since` from what was read and from the time.
        if (settled !== undefined && settled.status !== 'down') last.checks[place] = settled
      }
      last = { ...last, fresh: [] }
    },
    /** Everything that the last parsed response says about a check; null if it is not in it. */
    details(id: CheckId): CheckDetails | null {
      // If a check is listed twice, the last item counts, as on the board.
      const place = kept?.checks.findLastIndex((check) => check?.id === id) ?? -1
      return kept === null || place < 0 ? null : readCheckDetails(kept.wireAt(place), uniqueKeyOf)
    },
  }
}

/**
 * Frees a body at once: left to the garbage collector, these megabytes make it scan the whole heap
 * at every other poll.
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

/** Updates what depends on the time: when a check went down, and the status that a run hides. */
function atLaterTimes(items: Items, serverNow: number | null): Items {
  const checks = items.checks.map((check) => check && atLaterTime(check, serverNow))
  return checks.every((check, place) => check === items.checks[place])
    ? items
    : { ...items, checks }
}

/** Returns `before` itself if it has the same checks. */
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

/** Some databases move changed rows: up to so many old items may be missing before the next one. */
const neighbours = 16
/** How often to read the clock, which costs as much as recognising an item. */
const bytesALook = 16 * 1024
/** The most fields in a check, by commas; a real one has some thirty. */
const mostFields = 1_000

/** One item of a large reply, and its check. */
interface Item {
  readonly length: number
  readonly commas: number
  /** Null: it can't be read. */
  readonly check: Check | null
}

/** The items of a large reply by index, as typed arrays where possible: those stay off the heap. */
interface Items {
  readonly body: Buffer
  readonly checks: (Check | null)[]
  /** Indexes of the items that were parsed; the others are unchanged since the last reply. */
  readonly fresh: readonly number[]
  /** Offset of each item in `body`. */
  readonly starts: Uint32Array
  readonly lengths: Uint32Array
  readonly commas: Uint32Array
}

/** Null unless the body is an object with just one list of objects, within the limits. */
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
    /** Null if there are too many. */
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

/** Recognises items of the last reply in a new one by their bytes. */
function createKnown({ body: old, checks, starts, lengths, commas }: Items) {
  let expected = 0
  /** After the old index of an unexpected item: the list may continue there. 0: nowhere. */
  let elsewhere = 0
  /** Built when an item first appears out of place. */
  let places: ReadonlyMap<CheckId, number> | null = null

  function take(place: number, body: Buffer, start: number): Item | null {
    const from = starts[place]
    const length = lengths[place]
    if (from === undefined || length === undefined) return null
    const end = start + length
    // A cheap test first: few other items end exactly here.
    if (body[end - 1] !== closingBrace) return null
    if (body.compare(old, from, from + length, start, end) !== 0) return null
    expected = place + 1
    return { length, commas: commas[place] ?? 0, check: checks[place] ?? null }
  }

  return {
    /** The item that begins at `start`, if all of its bytes are the same; else null. */
    at(body: Buffer, start: number): Item | null {
      const end = expected + neighbours
      for (let place = expected; place < end; place += 1) {
        const item = take(place, body, start)
        if (item !== null) return item
      }
      return elsewhere === 0 ? null : take(elsewhere, body, start)
    },
    /** Skips an item that is new or changed. */
    pass({ check }: Item): void {
      elsewhere = 0
      // No old items are left: changed rows were moved to the end.
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
    // The ordinary parser then refuses the whole reply, with its own message.
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
  // More than that is not taken for part of an item: the ordinary parser then refuses the reply.
  while (at - start <= spaceLimit && spaces.has(body[at])) at += 1
  return at
}

/** The offset after `{"checks": [`; -1 if the body does not begin with that. */
function startOfItems(body: Buffer): number {
  let at = 0
  for (const token of ['{', '"checks"', ':', '[']) {
    at = afterSpace(body, at)
    if (body.toString('latin1', at, at + token.length) !== token) return -1
    at += token.length
  }
  return afterSpace(body, at)
}

/** Whether only the ends of the list and of the object follow. */
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

/** For Age and for how far a Date may lag behind. */
export const longestAgeMs = 10_000

/** Whether a cache says that it has kept a reply for long, or in no way that can be read. */
export function isKeptLong({ age = '0' }: HttpReply['headers']): boolean {
  return !/^\d+$/.test(age) || Number(age) * 1_000 > longestAgeMs
}

/**
 * Compares one project's lists with the last believed one. A second reply with the same checks
 * confirms a shrunken list, and one with another Date confirms that a clock was set. A reply with
 * an Age of over 10 s is never believed.
 */
export function createListDoubt() {
  let offsetMs: number | null = null
  const deleted = new Set<CheckId>()
  let doubted: { readonly date: string | undefined; readonly ids: ReadonlySet<CheckId> } | null =
    null
  return {
    /** Null: it is believed. `serverOffsetMs`: server clock minus ours, according to this reply. */
    judge({
      headers,
      serverOffsetMs,
      checks,
      believed,
    }: {
      readonly headers: HttpReply['headers']
      readonly serverOffsetMs: number
      readonly checks: readonly Check[]
      /** The last believed checks; undefined for a new account. */
      readonly believed: ReadonlyMap<CheckId, unknown> | undefined
    }): Doubt | null {
      const { date } = headers
      const ids = new Set(checks.map(({ id }) => id))
      const before = doubted
      doubted = { date, ids }
      if (isKeptLong(headers)) return 'cached'
      const lagMs = offsetMs === null ? 0 : offsetMs - serverOffsetMs
      if (lagMs > longestAgeMs && (before === null || before.date === date)) return 'cached'
      // The very same reply again, as from a cache, confirms nothing.
      const isNew = before !== null && (date === undefined || before.date !== date)
      if (lacksMany(ids, deleted, believed) && !(isNew && isSame(before.ids, ids))) return 'shrunk'
      offsetMs = serverOffsetMs
      doubted = null
      deleted.clear()
      return null
    },
    /** Belfry deleted this check: its absence is no reason for doubt. */
    deleted: (id: CheckId) => deleted.add(id),
    /** Whether the last reply was doubted: the next one must not come from a cache. */
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

/** How long news of an outage waits for a reply that is believed. */
const alarmMs = 8_000

/** Takes the checks that are down in a doubted list after a while, unless cancelled before. */
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
