import { monitoringOperations } from '../../shared/api/monitoring/monitoring-operations.ts'
import { readFlips, readPings } from '../../shared/api/monitoring/read-history.ts'
import type { Operation } from '../../shared/api/operation.ts'
import type { AccountId } from '../../shared/core/account.ts'
import { checkSubject } from '../../shared/core/attention/event.ts'
import type { CheckId } from '../../shared/core/checks/check.ts'
import type { Flip } from '../../shared/core/checks/history.ts'
import { keptMs, pastKinds, pastToRecord } from '../../shared/core/checks/past.ts'
import type { Ping } from '../../shared/core/checks/ping.ts'
import type { Clock } from '../base/ports.ts'
import { isUniqueKey, uniqueKeyOf } from '../base/unique-key.ts'
import type { HistoryRecord } from '../state/history-record.ts'
import type { LiveState } from '../state/store.ts'

/** Checks of which the last replies are kept, as a page asks for flips and log at once. */
const mostCached = 20
/** Entries of one check that are compared with what was read. */
const mostEntries = 5_000

interface PastCache {
  readonly flips: readonly Flip[]
  readonly pings: readonly Ping[]
  /** When the flips were read, epoch ms. */
  readonly at: number
}

export type PastReader = ReturnType<typeof createPastReader>

/**
 * Records what flips and logs that a window asked for tell of a check's past and the history does
 * not: so the list of outages needs no request, and what a log showed is known when it is gone.
 */
export function createPastReader(parts: {
  live: Pick<LiveState, 'get'>
  record: Pick<HistoryRecord, 'entries' | 'read'>
  clock: Clock
}) {
  const { live, record, clock } = parts
  const cached = new Map<string, PastCache>()

  function note(accountId: AccountId, checkId: CheckId, news: Partial<PastCache>): void {
    const subject = checkSubject(accountId, checkId)
    const before = cached.get(subject)
    const flips = news.flips ?? before?.flips
    const board = live.get().boards.get(accountId)
    const check = board?.checks.get(checkId)
    if (check === undefined || board === undefined) return
    const at = news.flips === undefined ? (before?.at ?? 0) : clock.now()
    const pings = news.pings ?? before?.pings ?? []
    cached.delete(subject)
    cached.set(subject, { flips: flips ?? [], pings, at })
    for (const [oldest] of cached) if (cached.size > mostCached) cached.delete(oldest)
    if (flips === undefined || at === 0) return
    const data = pastToRecord({
      check,
      flips,
      pings,
      entries: record.entries({
        accountId,
        subject,
        kinds: pastKinds,
        from: 0,
        limit: mostEntries,
      }),
      offsetMs: board.serverOffsetMs,
      now: at,
      from: at - keptMs,
      knownUntil: at,
      watchedFrom: at,
    })
    if (data !== null) record.read(accountId, checkId, data)
  }

  return {
    /** A reply to an operation that a window ran. */
    onReply(
      accountId: AccountId,
      operation: Operation,
      params: Readonly<Record<string, unknown>>,
      reply: unknown,
    ): void {
      const { id, uuid, ...narrowed } = params
      // Only a part of the past.
      if (Object.keys(narrowed).length > 0) return
      // The reply was validated against the schema of its operation.
      if (operation === monitoringOperations.listFlips)
        note(accountId, idOf(id), { flips: readFlips(reply as never).items })
      else if (operation === monitoringOperations.listPings)
        note(accountId, idOf(uuid), { pings: readPings(reply as never).items })
    },
  }
}

/** An operation takes a uuid or, with a read-only key, the id. */
function idOf(given: unknown): CheckId {
  const id = String(given)
  return isUniqueKey(id) ? id : uniqueKeyOf(id)
}
