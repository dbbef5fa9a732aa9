import * as v from 'valibot'
import type { AccountId } from '../../shared/core/account.ts'
import type {
  AttentionEvent,
  CheckEvent,
  CheckFacts,
  MessageEvent,
} from '../../shared/core/attention/event.ts'
import {
  type AttentionMemory,
  type DeferredEvent,
  emptyMemory,
  type Lane,
} from '../../shared/core/attention/memory.ts'
import { waySchema } from '../../shared/core/attention/rules.ts'
import type { NotifiedMessages } from '../../shared/core/chat/realm.ts'
import {
  type CheckId,
  type CheckStatus,
  type Schedule,
  statusOrder,
} from '../../shared/core/checks/check.ts'
import type { MissedFlips } from '../../shared/core/checks/missed-flips.ts'
import { ascending } from '../../shared/core/id-list.ts'
import { numberId, readableItems } from '../../shared/core/schemas.ts'
import { targetSchema } from '../../shared/core/target.ts'

export const checkStatus = v.picklist(statusOrder)

const base = {
  id: v.string(),
  at: v.number(),
  accountId: v.string(),
  subject: v.string(),
  title: v.string(),
  target: targetSchema,
}

const schedule: v.GenericSchema<unknown, Schedule> = v.union([
  v.object({ kind: v.literal('period'), periodSeconds: v.number() }),
  v.object({ kind: v.picklist(['cron', 'onCalendar']), expression: v.string(), zone: v.string() }),
])

const facts: v.GenericSchema<unknown, CheckFacts> = v.object({
  since: v.nullable(v.number()),
  lastPingAt: v.nullable(v.number()),
  wasPinged: v.boolean(),
  schedule,
  serverNow: v.number(),
})

const checkEvent: v.GenericSchema<unknown, CheckEvent> = v.object({
  ...base,
  body: v.union([v.string(), facts]),
  of: v.literal('check'),
  kind: v.picklist(['down', 'late', 'recovered', 'missed']),
  checkId: v.string(),
  name: v.string(),
  project: v.string(),
  tags: v.array(v.string()),
  from: checkStatus,
  isReminder: v.exactOptional(v.literal(true)),
})

const messageEvent: v.GenericSchema<unknown, MessageEvent> = v.object({
  ...base,
  of: v.literal('message'),
  kind: v.picklist(['direct', 'mention', 'alertWord', 'message']),
  body: v.string(),
  messageId: numberId,
  key: v.string(),
  channelId: v.nullable(numberId),
  topic: v.nullable(v.string()),
  senderId: numberId,
  senderName: v.string(),
  isBot: v.boolean(),
  text: v.string(),
  news: v.exactOptional(
    v.object({
      accountIds: v.array(v.string()),
      checkId: v.string(),
      state: v.picklist(['down', 'up']),
    }),
  ),
  chat: v.object({ notify: v.boolean(), sound: v.boolean() }),
})

const troubleEvent = v.object({
  ...base,
  of: v.literal('trouble'),
  kind: v.literal('trouble'),
  body: v.string(),
})

const event: v.GenericSchema<unknown, AttentionEvent> = v.variant('of', [
  // Each has the literal that `variant` looks for; their declared types hide it.
  checkEvent as never,
  messageEvent as never,
  troubleEvent,
])

const held: v.GenericSchema<unknown, DeferredEvent> = v.object({ event, sound: v.boolean() })

const lane = v.fallback(
  v.object({
    popUps: v.fallback(v.array(v.number()), []),
    held: v.optional(v.unknown()),
    until: v.fallback(v.nullable(v.number()), null),
    level: v.fallback(v.number(), 0),
  }),
  { popUps: [], held: [], until: null, level: 0 },
)

/** An event deferred without a release time would be deferred for ever: it is released at once. */
function laneOf({ held: list, until, ...rest }: v.InferOutput<typeof lane>): Lane {
  const kept = readableItems(held, list)
  return { ...rest, held: kept, until: kept.length > 0 ? (until ?? 0) : until }
}

const span = v.object({
  from: v.number(),
  to: v.nullable(v.number()),
  why: v.picklist(['quiet', 'away']),
})

const toldOnce = v.object({ at: v.number(), accountId: v.string(), checks: v.array(v.string()) })

const toldLately = v.object({
  shownAt: v.array(v.number()),
  held: v.number(),
  last: v.nullable(checkEvent),
  flapping: v.boolean(),
})

const waiting = v.object({
  event: checkEvent,
  way: waySchema,
  dueAt: v.number(),
})

const memory = v.object({
  lanes: v.fallback(v.object({ checks: lane, others: lane }), {
    checks: { popUps: [], held: [], until: null, level: 0 },
    others: { popUps: [], held: [], until: null, level: 0 },
  }),
  soundAt: v.fallback(v.number(), 0),
  once: v.optional(v.unknown()),
  checks: v.optional(v.unknown()),
  waiting: v.optional(v.unknown()),
  missed: v.optional(v.unknown()),
  quiet: v.fallback(v.nullable(span), null),
  lastDigest: v.fallback(
    v.nullable(v.object({ at: v.number(), events: v.array(held), quiet: span })),
    null,
  ),
  recentChecks: v.optional(v.unknown()),
  recentMessages: v.optional(v.unknown()),
  changedAt: v.optional(v.unknown()),
  untold: v.optional(v.unknown()),
})

/** Events that were waiting when the program ended. Unreadable ones are left out, item by item. */
export function readMemory(document: unknown): AttentionMemory {
  const read = v.safeParse(memory, document)
  if (!read.success) return emptyMemory
  const { output } = read
  return {
    lanes: { checks: laneOf(output.lanes.checks), others: laneOf(output.lanes.others) },
    soundAt: output.soundAt,
    once: readableItems(toldOnce, output.once),
    checks: new Map(readableItems(v.tuple([v.string(), toldLately]), output.checks)),
    waiting: new Map(readableItems(v.tuple([v.string(), waiting]), output.waiting)),
    missed: readableItems(held, output.missed),
    quiet: output.quiet,
    lastDigest: output.lastDigest,
    recentChecks: readableItems(checkEvent, output.recentChecks),
    recentMessages: readableItems(messageEvent, output.recentMessages),
    changedAt: new Map(readableItems(v.tuple([v.string(), v.number()]), output.changedAt)),
    untold: new Set(readableItems(v.string(), output.untold)),
  }
}

/** Maps and sets as lists, which JSON can represent. */
export function memoryDocument(kept: AttentionMemory): unknown {
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

const document = v.object({
  boards: v.array(v.tuple([v.string(), told])),
  missed: v.array(
    v.tuple([
      v.string(),
      v.object({ since: v.nullable(v.number()), told: v.array(v.tuple([v.string(), v.number()])) }),
    ]),
  ),
  realms: v.array(
    v.tuple([
      v.string(),
      v.object({
        floor: v.number(),
        ids: v.pipe(
          v.array(numberId),
          v.transform((ids) => ascending(ids)),
        ),
      }),
    ]),
  ),
})

export function readNotifiedState(onDisk: unknown): NotifiedState {
  const parts = v.safeParse(
    v.object({
      memory: v.optional(v.unknown()),
      boards: v.optional(v.unknown()),
      missed: v.optional(v.unknown()),
      realms: v.optional(v.unknown()),
    }),
    onDisk,
  )
  const { memory, boards, missed, realms } = parts.success ? parts.output : {}
  return {
    memory: readMemory(memory),
    boards: new Map(readableItems(document.entries.boards.item, boards)),
    missed: new Map(
      readableItems(document.entries.missed.item, missed).map(([accountId, { since, told }]) => [
        accountId,
        { since, told: new Map(told) },
      ]),
    ),
    realms: new Map(readableItems(document.entries.realms.item, realms)),
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
