import * as v from 'valibot'
import type { AccountId } from '../../shared/core/account.ts'
import {
  type AttentionMemory,
  emptyMemory,
  type Lane,
  memorySchema,
  type StoredMemory,
} from '../../shared/core/attention/memory.ts'
import type { NotifiedMessages } from '../../shared/core/chat/realm.ts'
import { type CheckId, type CheckStatus, statusOrder } from '../../shared/core/checks/check.ts'
import type { MissedFlips } from '../../shared/core/checks/missed-flips.ts'
import { ascending } from '../../shared/core/id-list.ts'
import { fieldsOf, numberId, readable, readableItems } from '../../shared/core/schemas.ts'

/** An event deferred without a release time would be deferred for ever: it is released at once. */
function released(lane: Lane): Lane {
  return lane.held.length > 0 ? { ...lane, until: lane.until ?? 0 } : lane
}

/** Events that were waiting when the program ended. Unreadable ones are left out, item by item. */
export function readMemory(document: unknown): AttentionMemory {
  const read = readable<StoredMemory>(memorySchema, document, memoryDocument(emptyMemory))
  const { checks, others } = read.lanes
  return {
    ...read,
    lanes: { checks: released(checks), others: released(others) },
    checks: new Map(read.checks),
    waiting: new Map(read.waiting),
    changedAt: new Map(read.changedAt),
    untold: new Set(read.untold),
  }
}

/** Maps and sets as lists, which JSON can represent. */
export function memoryDocument(kept: AttentionMemory): StoredMemory {
  return {
    ...kept,
    checks: [...kept.checks],
    waiting: [...kept.waiting],
    changedAt: [...kept.changedAt],
    untold: [...kept.untold],
  }
}

/** `MissedFlips`, without what was found. */
type Missed = Pick<MissedFlips, 'since' | 'told'>

/** The notified state, so that a restart neither repeats nor forgets a notification. */
export interface NotifiedState {
  readonly memory: AttentionMemory
  readonly boards: ReadonlyMap<AccountId, ReadonlyMap<CheckId, CheckStatus>>
  readonly missed: ReadonlyMap<AccountId, Missed>
  readonly realms: ReadonlyMap<AccountId, NotifiedMessages>
}

const checkStatus = v.picklist(statusOrder)

/**
 * By status, or as pairs of id and status. Older versions also list the checks that were up; this
 * one takes a check without an entry to be up.
 */
const told = v.union([
  v.pipe(
    v.record(checkStatus, v.array(v.string())),
    v.transform((ids) => toldMap(ids)),
  ),
  v.pipe(
    v.array(v.tuple([v.string(), checkStatus])),
    v.transform((pairs) => new Map(pairs.filter(([, one]) => one !== 'up'))),
  ),
])

const missedFlips = v.object({
  since: v.nullable(v.number()),
  told: v.pipe(
    v.array(v.tuple([v.string(), v.number()])),
    v.transform((pairs) => new Map(pairs)),
  ),
})

const messages = v.object({
  floor: v.number(),
  ids: v.pipe(
    v.array(numberId),
    v.transform((ids) => ascending(ids)),
  ),
})

export function readNotifiedState(onDisk: unknown): NotifiedState {
  const { memory, boards, missed, realms } = fieldsOf(onDisk)
  return {
    memory: readMemory(memory),
    boards: new Map(readableItems(v.tuple([v.string(), told]), boards)),
    missed: new Map(readableItems(v.tuple([v.string(), missedFlips]), missed)),
    realms: new Map(readableItems(v.tuple([v.string(), messages]), realms)),
  }
}

/** Maps as lists of pairs, which JSON can represent; a project's checks grouped by their few statuses. */
export function notifiedStateDocument(all: NotifiedState): unknown {
  return {
    memory: memoryDocument(all.memory),
    boards: [...all.boards].map(([accountId, statuses]) => [accountId, idsByStatus(statuses)]),
    missed: [...all.missed].map(([accountId, mark]) => [
      accountId,
      { since: mark.since, told: [...mark.told] },
    ]),
    realms: [...all.realms],
  }
}

type IdsByStatus = Partial<Record<CheckStatus, string[]>>

/** Thousands may be paused, and are written whenever one changes: a list of ids takes a third of the time. */
function idsByStatus(statuses: ReadonlyMap<string, CheckStatus>): IdsByStatus {
  const ids: IdsByStatus = {}
  // Iterating over pairs would create an array for each.
  statuses.forEach((one, id) => {
    ids[one] ??= []
    ids[one].push(id)
  })
  return ids
}

function toldMap(ids: IdsByStatus): Map<string, CheckStatus> {
  return new Map(
    checkStatus.options
      .filter((one) => one !== 'up')
      .flatMap((one) => (ids[one] ?? []).map((id): [string, CheckStatus] => [id, one])),
  )
}
