import * as v from 'valibot'
import { monitoringOperations } from '../../shared/api/monitoring/monitoring-operations.ts'
import { operation } from '../../shared/api/operation.ts'
import type { BadgeFault, ListWire } from '../../shared/core/checks/board.ts'
import { countStatuses } from '../../shared/core/checks/status-counts.ts'
import { type Failure, malformed, RequestFailed } from '../../shared/core/failure.ts'
import { isSameList } from '../../shared/core/identity.ts'
import { isRecord } from '../../shared/core/schemas.ts'
import type { Clock } from '../base/ports.ts'
import type { Client } from '../http/client.ts'
import { withinTime } from '../http/wait.ts'
import { isKeptLong, longestAgeMs } from './check-list.ts'
import type { ListedChecks } from './check-poller.ts'

/** How often in a row the badge may fail, or say something else than the list, before it is given up. */
const mostFaults = 3
/** After so many polls in a row at which the counts had changed, the list is read anyway. */
const mostChanges = 5
/** For the badge and, the first time, its address. */
const longestAskMs = 5_000
/** Where other requests make it wait for longer, the list is read instead. */
const longestBudgetMs = 1_000
const givenUpMs = 60 * 60_000
const clockGrainMs = 5_000

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const addressPart = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/))

/**
 * The counts behind the project's badge. Its address is a secret and no operation of the API: it is
 * put together below the account's own address, and the key is not sent there.
 */
const readCounts = operation({
  service: 'monitoring',
  title: 'Read the counts in the project’s badge',
  method: 'GET',
  path: '/badge/{badgeKey}/{signature}.json',
  params: v.object({ badgeKey: addressPart, signature: addressPart }),
  reply: v.object({ total: count, grace: count, down: count }),
  effect: 'read',
  anonymous: true,
  maxBytes: 4_096,
  deadlineMs: longestAskMs,
})

type Address = v.InferOutput<typeof readCounts.params>
type Counts = v.InferOutput<typeof readCounts.reply>

/**
 * `cached`: what came can't be what it says now. `late`: it took too long. `crowded`: it was not
 * asked, as it would have had to wait for other requests.
 */
type Said = Counts | Failure | 'cached' | 'late' | 'crowded'

interface CountsWatchParts {
  readonly client: Client
  /** Between two reads of the whole list; null: the user wants each poll to read it. */
  readonly minutes: () => number | null
  /** Ms between polls. */
  readonly interval: () => number
  /** What makes alarms wait for another list of this project, compared by identity. */
  readonly news: () => readonly unknown[]
  /** When a list must have been read next whatever the counts are, epoch ms. */
  readonly dueAt: () => number
  /** When the list was read, by the server's clock. */
  readonly readAt: () => number
  /** How many minutes it takes to read the flips of the checks that owe them since after then. */
  readonly owedMinutes: (since: number) => number
  readonly serverOffsetMs: () => number
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** A whole read. Times are monotonic ms, and epoch ms by the wall clock. */
interface WholeRead {
  readonly counts: Counts
  readonly at: number
  readonly clockAt: number
  /** What was news when it was asked for. */
  readonly news: readonly unknown[]
}

/** The badge of a project, once its address has been found. */
function createBadge({ client, serverOffsetMs, clock }: CountsWatchParts) {
  let address: Address | null = null

  async function find(signal: AbortSignal): Promise<Address> {
    const options = { signal, priority: 'background' } as const
    const { badges } = await client.call(monitoringOperations.listBadges, {}, options)
    const ofProject = badges['*']
    const found = isRecord(ofProject) ? addressIn(ofProject['json3']) : null
    if (found === null) throw malformed('shape', 'badges')
    return found
  }

  async function read(signal: AbortSignal): Promise<Counts | 'cached'> {
    address ??= await find(signal)
    const options = { signal, priority: 'background', uncached: true, isUndated: true } as const
    const reply = await client.answer(readCounts, address, options)
    const counts = client.read(readCounts, reply)
    const { headers } = reply
    const saidAt = Date.parse(headers['date'] ?? '')
    const isOld = clock.now() + serverOffsetMs() - saidAt > longestAgeMs
    return isOld || isKeptLong(headers) ? 'cached' : counts
  }

  return {
    /** Throws `RequestFailed` if the next poll has to wait. */
    async ask(signal: AbortSignal): Promise<Said> {
      if (client.waitMs('background') > longestBudgetMs) return 'crowded'
      try {
        return await withinTime(longestAskMs, signal, read)
      } catch (error) {
        const failure = error instanceof RequestFailed ? error.failure : null
        if (failure?.kind === 'rateLimited') throw error
        if (failure !== null) return failure
        if (signal.aborted) throw error
        return 'late'
      }
    },
    forget() {
      address = null
    },
  }
}

export type CountsWatch = ReturnType<typeof createCountsWatch>

/**
 * Asks the project's badge whether the counts by status are still those of the list that was read.
 * Only one that said the same as the list right after it was read is believed, until the next one
 * is due. In any doubt the list is read.
 */
export function createCountsWatch(parts: CountsWatchParts) {
  const { clock } = parts
  const badge = createBadge(parts)
  let whole: WholeRead | null = null
  let news: readonly unknown[] = []
  /** What is owed since then is owed to asking for the counts: not a night, nor a failure. */
  let owedSince = 0
  let wasBelieved = false
  let faults = 0
  let lastFault: BadgeFault = 'unread'
  let changes = 0
  let restsUntil = Number.NEGATIVE_INFINITY
  let givenUp: NonNullable<ListWire['givenUp']> | null = null

  function fault(why: BadgeFault): void {
    faults += 1
    lastFault = why
  }

  function unread(said: Said): void {
    if (said !== 'crowded') fault('unread')
  }

  function giveUp(why: BadgeFault): void {
    restsUntil = clock.monotonic() + givenUpMs
    givenUp = { why, until: clock.now() + givenUpMs }
    whole = null
    badge.forget()
    faults = 0
    changes = 0
  }

  return {
    /**
     * Whether the counts are still those of the last list; if not, or in doubt, it has to be read.
     * Throws `RequestFailed` if that has to wait, too.
     */
    async isUnchanged(signal: AbortSignal): Promise<boolean> {
      const minutes = parts.minutes()
      if (minutes === null || whole === null || !mayWait(whole, minutes, parts)) return false
      const { counts } = whole
      const said = await badge.ask(signal)
      if (!isCounts(said)) unread(said)
      else if (isSame(said, counts)) changes = 0
      else changes += 1
      return isCounts(said) && changes === 0
    },
    /** To be called when a whole list is asked for. */
    reading() {
      if (parts.minutes() === null) restsUntil = Number.NEGATIVE_INFINITY
      wasBelieved = whole !== null
      whole = null
      news = parts.news()
    },
    /**
     * To be called when a whole list has been taken in, which came `at` this time. Throws
     * `RequestFailed` if the next poll has to wait.
     */
    async listed(
      { checks, unreadable }: ListedChecks,
      at: number,
      signal: AbortSignal,
    ): Promise<void> {
      const minutes = parts.minutes()
      if (!wasBelieved) owedSince = parts.readAt()
      if (minutes === null || clock.monotonic() < restsUntil) return
      const clockAt = clock.now() - (clock.monotonic() - at)
      const { grace, down, unknown } = countStatuses(checks)
      if (unreadable + unknown > 0) {
        giveUp('odd')
        return
      }
      const counts = { total: checks.length, grace, down }
      const said = await badge.ask(signal)
      if (!isCounts(said)) unread(said)
      else if (isSame(said, counts)) {
        faults = 0
        whole = { counts, at, clockAt, news }
      } else fault('differs')
      if (faults >= mostFaults) giveUp(lastFault)
      else if (changes >= mostChanges) giveUp('busy')
      else if (parts.owedMinutes(owedSince) > minutes) giveUp('owed')
    },
    /** Null: it isn't, or that is over. */
    givenUp: () => (clock.monotonic() < restsUntil ? givenUp : null),
  }
}

/** Whether another poll may go by before the whole list is due. */
function mayWait(
  { at, clockAt, news }: WholeRead,
  minutes: number,
  parts: CountsWatchParts,
): boolean {
  const { clock } = parts
  const passedMs = clock.monotonic() - at
  if (!isSameList(news, parts.news())) return false
  if (parts.dueAt() <= clock.now() + parts.interval()) return false
  // The computer slept, or its clock was set.
  if (Math.abs(clock.now() - clockAt - passedMs) > clockGrainMs) return false
  return passedMs + parts.interval() <= minutes * 60_000
}

/** Below the account's own address, whatever host and path the server believes to be at. */
function addressIn(url: unknown): Address | null {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  const [, badgeKey = '', signature = ''] =
    /\/badge\/([\w-]{1,64})\/([\w-]{1,64})\.json$/.exec(parsed?.pathname ?? '') ?? []
  return badgeKey === '' ? null : { badgeKey, signature }
}

function isFailure(said: Said): said is Failure {
  return typeof said !== 'string' && 'kind' in said
}

function isCounts(said: Said): said is Counts {
  return typeof said !== 'string' && !isFailure(said)
}

function isSame(one: Counts, other: Counts): boolean {
  return one.total === other.total && one.grace === other.grace && one.down === other.down
}
