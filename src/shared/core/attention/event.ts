import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import { causeSchema } from '../checks/cause.ts'
import { type Check, type CheckId, type Schedule, statusOrder } from '../checks/check.ts'
import { type Immutable, numberId, timeSchema } from '../schemas.ts'
import { targetSchema } from '../target.ts'

/**
 * A check's state after each kind of event; null: the event is about the past. An outage begins
 * with `down` and ends with `up`.
 */
export const stateAfter = {
  down: 'down',
  late: 'late',
  recovered: 'up',
  missed: null,
  tooShort: null,
  tooLong: null,
  noStart: null,
} as const
export const checkKinds = Object.keys(stateAfter) as (keyof typeof stateAfter)[]
/** What is said of a check after its name. */
export const oddRunWords = {
  tooShort: 'ended sooner than usual',
  tooLong: 'ran longer than usual',
  noStart: 'ended without a start signal',
} as const
export const messageKinds = ['direct', 'mention', 'alertWord', 'message'] as const
/**
 * The kinds that rules match, in the order of the rules page. `missed`: went down and came back
 * while Belfry wasn't looking. `tooShort`, `tooLong`, `noStart`: a run that wasn't as usual. `trouble`: Belfry's own problems, such as a rejected key or an
 * unsent reply.
 */
export const eventKinds = [...checkKinds, ...messageKinds, 'trouble'] as const
export type EventKind = (typeof eventKinds)[number]

/**
 * Something that may be worth a notification, with everything needed to decide on it and to word
 * it: replaying a stored event a week later gives the same result.
 */
const base = {
  /** From check, status and time, or from the message: the same thing always has the same id. */
  id: v.string(),
  /** Epoch ms, our clock. */
  at: timeSchema,
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

/** The facts behind a body, which is worded on demand: few of thousands at once are ever read. */
const facts = v.object({
  /** Epoch ms by the server's clock, as all times here; for a recovery, when it went down. */
  since: v.nullable(timeSchema),
  /** Null for a recovery, and in events that older versions stored. */
  cause: v.optional(v.nullable(causeSchema), null),
  schedule,
  /** With a read-only key the log can't be read. */
  isReadOnly: v.optional(v.boolean(), false),
  /** The time of the event. */
  serverNow: timeSchema,
  /** How far the server's clock is ahead of this computer's, in ms. */
  offsetMs: v.exactOptional(v.number()),
})
export type CheckFacts = Immutable<v.InferOutput<typeof facts>>

export function factsOf(
  { schedule: its, writable }: Check,
  known: Pick<CheckFacts, 'since' | 'cause' | 'serverNow' | 'offsetMs'>,
): CheckFacts {
  return { ...known, schedule: its, isReadOnly: !writable }
}

export const checkEventSchema = v.object({
  ...base,
  of: v.literal('check'),
  kind: v.picklist(checkKinds),
  /** A text for what is past, and in events that older versions stored. */
  body: v.union([v.string(), facts]),
  checkId: v.string(),
  name: v.string(),
  /** The account's label. */
  project: v.string(),
  tags: v.array(v.string()),
  from: v.picklist(statusOrder),
  /** `Check.hasRunbook` */
  hasRunbook: v.exactOptional(v.literal(true)),
  /** For `missed`: when the last outage ended, epoch ms, our clock. */
  endedAt: v.exactOptional(timeSchema),
  /**
   * For `missed`: how often, when the last outage began, epoch ms, our clock, and the body without
   * what the check is now; absent in events that older versions stored.
   */
  last: v.exactOptional(v.object({ what: v.string(), from: timeSchema, place: v.string() })),
  /** For `missed`: how long the longest outage lasted, ms. */
  lastedMs: v.exactOptional(v.number()),
  /** It was down before as well, and up in between for at most so long: no read has shown that. */
  upForMs: v.exactOptional(v.number()),
  /** For such a one: which read had the new outage first, though not as one; epoch ms, our clock. */
  readAt: v.exactOptional(timeSchema),
  /** For an odd run: what is usual, and what this one was. */
  why: v.exactOptional(v.string()),
  /** Not a change: a silence ended and the check is still down. */
  isReminder: v.exactOptional(v.literal(true)),
  /** Not a change: the outage is repeated, for so many times now, as nobody has seen it. */
  again: v.exactOptional(v.number()),
})
export type CheckEvent = Immutable<v.InferOutput<typeof checkEventSchema>>

/** What a bot's message says about the one check that it certainly means. */
const news = v.object({
  /** The accounts that have this check: several if a server and its copy are watched. */
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
  /** Absent if it isn't a bot's, addresses the user, or doesn't certainly mean one check. */
  news: v.exactOptional(news),
  /** The server reminds of a message, as the user wished. */
  reminds: v.exactOptional(v.literal(true)),
  /** What the user's settings in the chat itself ask for. */
  chat: v.object({ notify: v.boolean(), sound: v.boolean() }),
})
export type MessageEvent = Immutable<v.InferOutput<typeof messageEventSchema>>

const troubleEventSchema = v.object({
  ...base,
  /** What Belfry itself has to say. */
  of: v.literal('trouble'),
  kind: v.picklist(['trouble', 'reminder']),
  body: v.string(),
  /** Tags of the checks that can't be watched because of it. */
  tags: v.exactOptional(v.array(v.string())),
})
export type TroubleEvent = Immutable<v.InferOutput<typeof troubleEventSchema>>

/** `what`: tells troubles of one account apart; a new one with the same replaces the older one. */
export function troubleEvent(
  accountId: AccountId,
  what: string,
  at: number,
  words: Pick<TroubleEvent, 'title' | 'body' | 'target' | 'tags'>,
): TroubleEvent {
  const subject = `${accountId}/${what}`
  const id = `${subject}@${at}`
  return { of: 'trouble', kind: 'trouble', id, at, accountId, subject, ...words }
}

export const eventSchema = v.variant('of', [
  checkEventSchema,
  messageEventSchema,
  troubleEventSchema,
])
export type AttentionEvent = Immutable<v.InferOutput<typeof eventSchema>>

/** Whether the user wanted to be reminded by it: no rule matches it, and no mute. */
export function isWished(event: AttentionEvent): boolean {
  return event.of === 'message' ? event.reminds === true : event.kind === 'reminder'
}

/** The subject of a check's notices and history entries. */
export function checkSubject(accountId: AccountId, checkId: CheckId): string {
  return `${accountId}/check/${checkId}`
}

/** When an outage began as far as is known, else when it was read: epoch ms, our clock. */
export function beganAt({ at, body }: Pick<AttentionEvent, 'at' | 'body'>): number {
  if (typeof body === 'string') return at
  const { since, cause, serverNow } = body
  // It was down then, whenever that began.
  const began = since ?? (cause?.kind === 'failed' ? cause.at : serverNow)
  return Math.min(at, at - (serverNow - began))
}

/** Whether the event says what state its check is in now. */
export function isChange(event: AttentionEvent): event is CheckEvent {
  return event.of === 'check' && stateAfter[event.kind] !== null
}
