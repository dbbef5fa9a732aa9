import { readOneCheck, withSince } from '../../shared/api/monitoring/read-check.ts'
import { readCheckDetails } from '../../shared/api/monitoring/read-check-details.ts'
import type { Check, CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import { spareBytes } from '../http/gzip.ts'
import type { HttpReply } from '../http/transport.ts'
import { createTurns, type Turns } from '../http/turns.ts'
import { type Items, readItems } from './check-items.ts'
import type { ListedChecks } from './check-poller.ts'
import { uniqueKeyOf } from './unique-key.ts'

/** A shorter answer, some 50 checks, is read in one go within a millisecond. */
const largeBytes = 64 * 1024
/** What takes longer than this to read in one go is not read in another shape than the service's own. */
const mostAtOnceBytes = 12 * 2 ** 20

export interface CheckListReader {
  /** `serverNow`: epoch ms by the server's clock, if it is known. Rejects when the signal aborts. */
  read(reply: HttpReply, serverNow: number | null, signal: AbortSignal): Promise<ListedChecks>
  /**
   * The checks that those of the last answer became: they are kept in their place, so that none is in
   * memory twice.
   */
  settle(board: ReadonlyMap<CheckId, Check>): void
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
    last = withSinces(last, serverNow)
    kept = keptOf(last)
    checks = readableIn(last.checks, checks)
    return { checks, unreadable: last.checks.length - checks.length }
  }

  return {
    read,
    settle(board) {
      // Of one that is in it twice, the board has what the last one says, and not the other.
      if (last === null || checks.length !== board.size) return
      for (const place of last.fresh) {
        const settled = board.get(last.checks[place]?.id ?? '')
        // Since when one is down is told by its record, and held against the time at each poll.
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
 * Some MiB of a body of its own. Waiting for the garbage collector they would make it go over the whole
 * heap every other poll.
 */
function giveBack({ buffer, byteLength }: Buffer): void {
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

/** Since when a check is down is held against the time, which has moved on. */
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
  const isSame =
    readable.length === before.length && readable.every((check, place) => check === before[place])
  return isSame ? before : readable
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
