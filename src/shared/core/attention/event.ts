import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import { causeSchema } from '../checks/cause.ts'
import { type Check, type CheckId, type Schedule, statusOrder } from '../checks/check.ts'
import { type Immutable, numberId } from '../schemas.ts'
import { targetSchema } from '../target.ts'

/** What a check is after each kind of event; null: the event is about the past. Outages begin with `down` and end with `up`. */
export const stateAfter = { down: 'down', late: 'late', recovered: 'up', missed: null } as const
const checkKinds = Object.keys(stateAfter) as (keyof typeof stateAfter)[]
export const messageKinds = ['direct', 'mention', 'alertWord', 'message'] as const
/**
 * What rules choose by, in the order of the page. `missed`: down and up again while nobody looked.
 * `trouble` is Belfry's own: a key that was rejected, a reply that did not get through.
 */
export const eventKinds = [...checkKinds, ...messageKinds, 'trouble'] as const
export type EventKind = (typeof eventKinds)[number]

/**
 * Something that may be worth a notification, with all that deciding and wording need: an event that is
 * stored can be decided anew a week later, with the same result.
 */
const base = {
  /** The same thing seen twice has the same id: check, status and time, or message. */
  id: v.string(),
  /** Epoch ms, our clock. */
  at: v.number(),
  accountId: v.string(),
  /** As in `Notice.subject`. */
  subject: v.string(),
  title: v.string(),
  target: targetSchema,
}

const schedule: v.GenericSchema<unknown, Schedule> = v.union([
  v.object({ kind: v.literal('period'), periodSeconds: v.number() }),
  v.object({ kind: v.picklist(['cron', 'onCalendar']), expression: v.string(), zone: v.string() }),
])

/** What the words of a change are made of: of thousands at once few are ever read. */
const facts = v.object({
  /** Epoch ms, the server's clock, as all times here: when it changed; of a recovery, when it went down. */
  since: v.nullable(v.number()),
  /** Null for a recovery, and in events that older versions stored. */
  cause: v.optional(v.nullable(causeSchema), null),
  schedule,
  /** With a read-only key the log can't be read. */
  isReadOnly: v.optional(v.boolean(), false),
  /** The moment of the event. */
  serverNow: v.number(),
})
export type CheckFacts = Immutable<v.InferOutput<typeof facts>>

export function factsOf(
  { schedule: its, writable }: Check,
  { since, cause, serverNow }: Pick<CheckFacts, 'since' | 'cause' | 'serverNow'>,
): CheckFacts {
  return { since, cause, schedule: its, isReadOnly: !writable, serverNow }
}

export const checkEventSchema = v.object({
  ...base,
  of: v.literal('check'),
  kind: v.picklist(checkKinds),
  /** The words themselves where they are few, and in events that older versions stored. */
  body: v.union([v.string(), facts]),
  checkId: v.string(),
  name: v.string(),
  /** The account's label. */
  project: v.string(),
  tags: v.array(v.string()),
  from: v.picklist(statusOrder),
  /** Of outages that were missed: when the last one was over, epoch ms, our clock. */
  endedAt: v.exactOptional(v.number()),
  /** No change: it was silenced, that is over, and the check is still down. */
  isReminder: v.exactOptional(v.literal(true)),
  /** No change either: nobody has seen it yet, and it is notified again for so many times. */
  again: v.exactOptional(v.number()),
})
export type CheckEvent = Immutable<v.InferOutput<typeof checkEventSchema>>

/** What a bot's message says of the one check that it surely means. */
const news = v.object({
  /** The accounts that read this check: several where one project is here through several keys. */
  accountIds: v.array(v.string()),
  checkId: v.string(),
  tags: v.exactOptional(v.array(v.string())),
  state: v.picklist(['down', 'up']),
})
export type CheckNews = Immutable<v.InferOutput<typeof news>>

export const messageEventSchema = v.object({
  ...base,
  of: v.literal('message'),
  kind: v.picklist(messageKinds),
  body: v.string(),
  messageId: numberId,
  key: v.string(),
  /** Null for a direct message. */
  channelId: v.nullable(numberId),
  topic: v.nullable(v.string()),
  senderId: numberId,
  senderName: v.string(),
  isBot: v.boolean(),
  text: v.string(),
  /** Absent where it is no bot's, speaks to the user, or may mean another check as well. */
  news: v.exactOptional(news),
  /** What the user's settings in the chat itself ask for. */
  chat: v.object({ notify: v.boolean(), sound: v.boolean() }),
})
export type MessageEvent = Immutable<v.InferOutput<typeof messageEventSchema>>

const troubleEventSchema = v.object({
  ...base,
  of: v.literal('trouble'),
  kind: v.literal('trouble'),
  body: v.string(),
  /** Tags of the checks that it hides. */
  tags: v.exactOptional(v.array(v.string())),
})
export type TroubleEvent = Immutable<v.InferOutput<typeof troubleEventSchema>>

export const eventSchema = v.variant('of', [
  checkEventSchema,
  messageEventSchema,
  troubleEventSchema,
])
export type AttentionEvent = Immutable<v.InferOutput<typeof eventSchema>>

/** What a check's notices, and its entries in the history, are filed under. */
export function checkSubject(accountId: AccountId, checkId: CheckId): string {
  return `${accountId}/check/${checkId}`
}
