import * as v from 'valibot'
import type { AccountId } from '../../shared/core/account.ts'
import {
  type AttentionMemory,
  byKey,
  emptyMemory,
  memorySchema,
  type StoredMemory,
} from '../../shared/core/attention/memory.ts'
import { waitsOfOld } from '../../shared/core/attention/old-memory.ts'
import type { NotifiedMessages } from '../../shared/core/chat/realm.ts'
import type { MissedFlips, PendingLookup } from '../../shared/core/checks/board.ts'
import { type CheckId, type CheckStatus, statusOrder } from '../../shared/core/checks/check.ts'
import { ascending } from '../../shared/core/id-list.ts'
import {
  fieldsOf,
  inPart,
  isFields,
  isRecord,
  numberId,
  readable,
  readableItems,
} from '../../shared/core/schemas.ts'

/** The attention memory, with the events that were waiting. Leaves out unreadable items. */
export function readMemory(document: unknown, onLost?: () => void): AttentionMemory {
  const { waits, waiting } = fieldsOf(document)
  const isOld = waits === undefined && waiting !== undefined
  if (isFields(document) && waits === undefined && !isOld) onLost?.()
  const nothing = memoryDocument(emptyMemory)
  // An older version stored some of it in another form.
  const read = readable<StoredMemory>(memorySchema, document, nothing, isOld ? undefined : onLost)
  const { lanes, untold, downToldAt, ...rest } = read
  return {
    ...rest,
    waits: isOld ? waitsOfOld(document) : byKey(read.waits),
    popUpLimits: lanes,
    checks: new Map(read.checks),
    groups: new Map(read.groups),
    changedAt: new Map(read.changedAt),
    unnotified: new Set(untold),
    downNotifiedAt: new Map(downToldAt),
  }
}

/** Maps and sets as lists, which JSON can represent, under the names they always had on disk. */
export function memoryDocument(kept: AttentionMemory): StoredMemory {
  const { popUpLimits, unnotified, downNotifiedAt, ...rest } = kept
  return {
    ...rest,
    waits: [...kept.waits.values()],
    lanes: popUpLimits,
    checks: [...kept.checks],
    groups: [...kept.groups].map(([subject, of]) => [subject, [...of]]),
    changedAt: [...kept.changedAt],
    untold: [...unnotified],
    downToldAt: [...downNotifiedAt],
  }
}

/**
 * The part of `MissedFlips` that is stored with the notified state. `pending`: only those of
 * checks whose `notifiedUpTo` has passed a flip that is yet to be looked up: without them, it would
 * count as notified.
 */
type Missed = Pick<MissedFlips, 'since' | 'notifiedUpTo' | 'pending'>

/** What was notified, so that a restart neither repeats nor loses a notification. */
export interface NotifiedState {
  readonly memory: AttentionMemory
  readonly boards: ReadonlyMap<AccountId, ReadonlyMap<CheckId, CheckStatus>>
  readonly missed: ReadonlyMap<AccountId, Missed>
  /** Up to when odd runs of checks were notified. */
  readonly runs: ReadonlyMap<AccountId, ReadonlyMap<CheckId, number>>
  readonly realms: ReadonlyMap<AccountId, NotifiedMessages>
}

const checkStatus = v.picklist(statusOrder)

/**
 * Ids by status, or pairs of id and status. Older versions also list checks that are up; this one
 * takes a check without an entry to be up.
 */
const notifiedStatuses = v.union([
  inPart(
    v.pipe(
      v.record(checkStatus, inPart(v.array(v.string()))),
      v.transform((ids) => statusMap(ids)),
    ),
  ),
  inPart(
    v.pipe(
      v.array(v.tuple([v.string(), checkStatus])),
      v.transform((pairs) => new Map(pairs.filter(([, one]) => one !== 'up'))),
    ),
  ),
])

const nullable = v.nullable(v.number())
const snapshot = { at: v.number(), status: checkStatus, started: v.boolean(), pingCount: nullable }
const pendingLookup: v.GenericSchema<unknown, PendingLookup> = v.pipe(
  v.object({
    ...snapshot,
    lastPingAt: nullable,
    deadline: nullable,
    plan: v.string(),
    owedAt: v.number(),
    seenDown: v.array(v.object({ at: v.number(), lastPingAt: nullable })),
    told: nullable,
    stillDownAt: v.exactOptional(v.array(v.number())),
  }),
  v.transform(({ told, ...rest }) => ({ ...rest, notifiedUpTo: told })),
)
/** As `pendingLookup` reads it. */
const pendingRow = ([id, { notifiedUpTo: told, ...rest }]: readonly [CheckId, PendingLookup]) => [
  id,
  { ...rest, told },
]

const timesByCheck = inPart(
  v.pipe(
    v.array(v.tuple([v.string(), v.number()])),
    v.transform((pairs) => new Map(pairs)),
  ),
)

const missedFlips = v.object({
  since: v.nullable(v.number()),
  told: timesByCheck,
  // Older versions did not write it.
  owed: v.optional(
    inPart(
      v.pipe(
        v.array(v.tuple([v.string(), pendingLookup])),
        v.transform((pairs) => new Map(pairs)),
      ),
    ),
    [],
  ),
})
const missedOf = v.pipe(
  missedFlips,
  v.transform(({ since, told, owed }): Missed => ({ since, notifiedUpTo: told, pending: owed })),
)

const messages = v.object({
  floor: v.number(),
  ids: inPart(
    v.pipe(
      v.array(numberId),
      v.transform((ids) => ascending(ids)),
    ),
  ),
})

export function readNotifiedState(onDisk: unknown, onLost?: () => void): NotifiedState {
  if (onDisk !== null && !isRecord(onDisk)) onLost?.()
  const { memory, boards, missed, runs, realms } = fieldsOf(onDisk)
  // Written by every version: without one of them, its name must have been damaged.
  if (isRecord(onDisk))
    for (const one of [memory, boards, realms]) if (one === undefined) onLost?.()
  const read = <Value>(value: v.GenericSchema<unknown, Value>, list: unknown) =>
    new Map(readableItems(v.tuple([v.string(), value]), list, onLost))
  return {
    memory: readMemory(memory, onLost),
    boards: read(notifiedStatuses, boards),
    missed: read(missedOf, missed),
    // Older versions did not write it.
    runs: read(timesByCheck, runs ?? []),
    realms: read(messages, realms),
  }
}

/** Maps as lists of pairs, which JSON can represent; a project's checks grouped by their few statuses. */
export function notifiedStateDocument(all: NotifiedState): unknown {
  return {
    memory: memoryDocument(all.memory),
    boards: [...all.boards].map(([accountId, statuses]) => [accountId, idsByStatus(statuses)]),
    missed: [...all.missed].map(([accountId, { since, notifiedUpTo, pending }]) => [
      accountId,
      {
        since,
        told: [...notifiedUpTo],
        owed: [...pending]
          .filter(([id, one]) => (notifiedUpTo.get(id) ?? null) !== one.notifiedUpTo)
          .map(pendingRow),
      },
    ]),
    runs: [...all.runs].map(([accountId, notifiedUpTo]) => [accountId, [...notifiedUpTo]]),
    realms: [...all.realms],
  }
}

type IdsByStatus = Partial<Record<CheckStatus, string[]>>

/**
 * Thousands may be paused, and all are written whenever one changes: lists of ids take a third of
 * the time of pairs.
 */
function idsByStatus(statuses: ReadonlyMap<string, CheckStatus>): IdsByStatus {
  const ids: IdsByStatus = {}
  // Iterating over pairs would create an array for each.
  statuses.forEach((one, id) => {
    ids[one] ??= []
    ids[one].push(id)
  })
  return ids
}

function statusMap(ids: IdsByStatus): Map<string, CheckStatus> {
  return new Map(
    checkStatus.options
      .filter((one) => one !== 'up')
      .flatMap((one) => (ids[one] ?? []).map((id): [string, CheckStatus] => [id, one])),
  )
}

/** What was last seen of each check of a project, and the lookups still pending. */
export type SavedLookups = Pick<MissedFlips, 'snapshots' | 'pending'>

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

const lookupsOfProject = v.object({
  /** When nearly all of them were made; the others have their own time at the end of the row. */
  at: v.number(),
  /** Thousands of checks share a few plans, by their places: without one, all would be wrong. */
  plans: v.custom<readonly string[]>(isTexts),
  looks: inPart(
    v.array(
      v.tuple([
        v.string(),
        checkStatus,
        v.boolean(),
        nullable,
        nullable,
        nullable,
        v.number(),
        v.optional(v.number()),
      ]),
    ),
  ),
  owed: inPart(v.array(v.tuple([v.string(), pendingLookup]))),
})

export function readLookups(
  onDisk: unknown,
  onLost?: () => void,
): ReadonlyMap<AccountId, SavedLookups> {
  const projects = readableItems(v.tuple([v.string(), lookupsOfProject]), onDisk, onLost)
  return new Map(
    projects.map(([accountId, { at, plans, looks, owed }]) => [
      accountId,
      {
        pending: new Map(owed),
        snapshots: new Map(
          looks.map(([id, status, started, pingCount, lastPingAt, deadline, plan, own = at]) => [
            id,
            { at: own, status, started, pingCount, lastPingAt, deadline, plan: plans[plan] ?? '' },
          ]),
        ),
      },
    ]),
  )
}

/** The snapshots of one project as compact rows. Only those of missing checks are older than the rest. */
export function lookupsDocument({ snapshots, pending }: SavedLookups): unknown {
  const plans = new Map<string, number>()
  const rows: unknown[] = []
  let at = 0
  for (const one of snapshots.values()) at = Math.max(at, one.at)
  for (const [id, one] of snapshots) {
    if (pending.has(id)) continue
    if (!plans.has(one.plan)) plans.set(one.plan, plans.size)
    const { status, started, pingCount, lastPingAt, deadline, plan } = one
    const own = one.at === at ? [] : [one.at]
    rows.push([id, status, started, pingCount, lastPingAt, deadline, plans.get(plan), ...own])
  }
  return { at, plans: [...plans.keys()], looks: rows, owed: [...pending].map(pendingRow) }
}
