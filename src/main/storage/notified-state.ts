import {
  array,
  boolean,
  exactOptional,
  fallback,
  type GenericSchema,
  type InferOutput,
  literal,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  record,
  safeParse,
  string,
  transform,
  tuple,
  union,
  unknown,
  variant,
} from 'valibot'
import type { AccountId } from '../../shared/core/account.ts'
import type {
  AttentionEvent,
  CheckEvent,
  CheckFacts,
  MessageEvent,
} from '../../shared/core/attention/event.ts'
import {
  type AttentionMemory,
  emptyMemory,
  type HeldEvent,
  type Lane,
} from '../../shared/core/attention/memory.ts'
import { waySchema } from '../../shared/core/attention/rules.ts'
import type { ToldMessages } from '../../shared/core/chat/realm.ts'
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

export const checkStatus = picklist(statusOrder)

const base = {
  id: string(),
  at: number(),
  accountId: string(),
  subject: string(),
  title: string(),
  target: targetSchema,
}

const schedule: GenericSchema<unknown, Schedule> = union([
  object({ kind: literal('period'), periodSeconds: number() }),
  object({ kind: picklist(['cron', 'onCalendar']), expression: string(), zone: string() }),
])

const facts: GenericSchema<unknown, CheckFacts> = object({
  since: nullable(number()),
  lastPingAt: nullable(number()),
  wasPinged: boolean(),
  schedule,
  serverNow: number(),
})

const checkEvent: GenericSchema<unknown, CheckEvent> = object({
  ...base,
  body: union([string(), facts]),
  of: literal('check'),
  kind: picklist(['down', 'late', 'recovered', 'missed']),
  checkId: string(),
  name: string(),
  project: string(),
  tags: array(string()),
  from: checkStatus,
  isReminder: exactOptional(literal(true)),
})

const messageEvent: GenericSchema<unknown, MessageEvent> = object({
  ...base,
  of: literal('message'),
  kind: picklist(['direct', 'mention', 'alertWord', 'message']),
  body: string(),
  messageId: numberId,
  key: string(),
  channelId: nullable(numberId),
  topic: nullable(string()),
  senderId: numberId,
  senderName: string(),
  isBot: boolean(),
  text: string(),
  news: exactOptional(
    object({
      accountIds: array(string()),
      checkId: string(),
      state: picklist(['down', 'up']),
    }),
  ),
  chat: object({ notify: boolean(), sound: boolean() }),
})

const troubleEvent = object({
  ...base,
  of: literal('trouble'),
  kind: literal('trouble'),
  body: string(),
})

const event: GenericSchema<unknown, AttentionEvent> = variant('of', [
  // Each has the literal that `variant` looks for; their declared types hide it.
  checkEvent as never,
  messageEvent as never,
  troubleEvent,
])

const held: GenericSchema<unknown, HeldEvent> = object({ event, sound: boolean() })

const lane = fallback(
  object({
    popUps: fallback(array(number()), []),
    held: optional(unknown()),
    until: fallback(nullable(number()), null),
    level: fallback(number(), 0),
  }),
  { popUps: [], held: [], until: null, level: 0 },
)

/** An event deferred without a release time would be deferred for ever: it is released at once. */
function laneOf({ held: list, until, ...rest }: InferOutput<typeof lane>): Lane {
  const kept = readableItems(held, list)
  return { ...rest, held: kept, until: kept.length > 0 ? (until ?? 0) : until }
}

const span = object({
  from: number(),
  to: nullable(number()),
  why: picklist(['quiet', 'away']),
})

const toldOnce = object({ at: number(), accountId: string(), checks: array(string()) })

const toldLately = object({
  shownAt: array(number()),
  held: number(),
  last: nullable(checkEvent),
  flapping: boolean(),
})

const waiting = object({
  event: checkEvent,
  way: waySchema,
  dueAt: number(),
})

const memory = object({
  lanes: fallback(object({ checks: lane, others: lane }), {
    checks: { popUps: [], held: [], until: null, level: 0 },
    others: { popUps: [], held: [], until: null, level: 0 },
  }),
  soundAt: fallback(number(), 0),
  once: optional(unknown()),
  checks: optional(unknown()),
  waiting: optional(unknown()),
  missed: optional(unknown()),
  quiet: fallback(nullable(span), null),
  lastDigest: fallback(nullable(object({ at: number(), events: array(held), quiet: span })), null),
  recentChecks: optional(unknown()),
  recentMessages: optional(unknown()),
  changedAt: optional(unknown()),
  untold: optional(unknown()),
})

/** Events that were waiting when the program ended. Unreadable ones are left out, item by item. */
export function readMemory(document: unknown): AttentionMemory {
  const read = safeParse(memory, document)
  if (!read.success) return emptyMemory
  const { output } = read
  return {
    lanes: { checks: laneOf(output.lanes.checks), others: laneOf(output.lanes.others) },
    soundAt: output.soundAt,
    once: readableItems(toldOnce, output.once),
    checks: new Map(readableItems(tuple([string(), toldLately]), output.checks)),
    waiting: new Map(readableItems(tuple([string(), waiting]), output.waiting)),
    missed: readableItems(held, output.missed),
    quiet: output.quiet,
    lastDigest: output.lastDigest,
    recentChecks: readableItems(checkEvent, output.recentChecks),
    recentMessages: readableItems(messageEvent, output.recentMessages),
    changedAt: new Map(readableItems(tuple([string(), number()]), output.changedAt)),
    untold: new Set(readableItems(string(), output.untold)),
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
  readonly realms: ReadonlyMap<AccountId, ToldMessages>
}

/**
 * By status, or as pairs of id and status. Older versions also list the checks that were up; this
 * one takes a check without an entry to be up.
 */
const told = union([
  pipe(
    record(checkStatus, array(string())),
    transform((ids) => toldMap(ids)),
  ),
  pipe(
    array(tuple([string(), checkStatus])),
    transform((pairs) => new Map(pairs.filter(([, one]) => one !== 'up'))),
  ),
])

const document = object({
  boards: array(tuple([string(), told])),
  missed: array(
    tuple([
      string(),
      object({ since: nullable(number()), told: array(tuple([string(), number()])) }),
    ]),
  ),
  realms: array(
    tuple([
      string(),
      object({
        floor: number(),
        ids: pipe(
          array(numberId),
          transform((ids) => ascending(ids)),
        ),
      }),
    ]),
  ),
})

export function readNotifiedState(onDisk: unknown): NotifiedState {
  const parts = safeParse(
    object({
      memory: optional(unknown()),
      boards: optional(unknown()),
      missed: optional(unknown()),
      realms: optional(unknown()),
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
