import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import type { Failure } from '../failure.ts'
import { type Immutable, numberId } from '../schemas.ts'
import { type Conversation, conversationKey, conversationSchema } from './conversation.ts'
import type { Message } from './message.ts'
import { messageOf, noMessages } from './message-list.ts'
import type { RealmsSlice } from './realm.ts'

/**
 * A message on its way.
 *
 *   queued ──► sending ──► (gone: its event came, or a response came and no event will)
 *     ▲           │
 *     │           ├──► queued        certainly not processed: retried with back-off
 *     │           ├──► rejected      certainly refused: text back to the composer
 *     │           └──► unconfirmed   unknown: never resent automatically
 *     │                    │
 *     └── the user: send again ◄────┘──► (gone: event, history, or the user discards)
 *
 * A message event with our `localId` overrides everything that comes later, even a failed response.
 */
export const outboxSchema = v.object({
  localId: v.string(),
  accountId: v.string(),
  conversation: conversationSchema,
  text: v.string(),
  queuedAt: v.number(),
  /** Epoch ms until which sending can be undone; absent if it is sent at once. */
  heldUntil: v.fallback(v.optional(v.nullable(v.number())), undefined),
  state: v.picklist(['queued', 'sending', 'sent', 'rejected', 'unconfirmed']),
  /** The id from the response, while its event is awaited. */
  messageId: v.nullable(numberId),
  attempts: v.number(),
  /**
   * The newest message known when this one was queued; once it is being sent, the newest of the
   * whole realm. Ids increase, so only later messages can be this one.
   */
  afterMessageId: v.fallback(numberId, 0),
  /** Ids of own messages known not to be this one, even if their text is the same. */
  notMessageIds: v.fallback(v.optional(v.array(numberId)), []),
  /**
   * The history was read back to before this message, which wasn't there: `since` (epoch ms) is
   * when that was first found, `isSure` whether a second, sufficiently later read confirmed it.
   * Even then it is never resent automatically.
   */
  missing: v.fallback(
    v.optional(v.nullable(v.object({ since: v.number(), isSure: v.boolean() }))),
    undefined,
  ),
  /** Typed into a notification: the user isn't looking at the conversation when it fails. */
  fromNotification: v.fallback(v.boolean(), false),
})
export interface OutboxMessage extends Immutable<v.InferOutput<typeof outboxSchema>> {
  readonly failure: Failure | null
}

/** What is on its way, as a part of the app's state. */
export interface OutboxSlice {
  readonly outbox: readonly OutboxMessage[]
}

/** Only the user can decide what happens to it. */
export function needsUser({ state }: Pick<OutboxMessage, 'state'>): boolean {
  return state === 'rejected' || state === 'unconfirmed'
}

/** A new message at the end of the outbox. */
export function withQueued<State extends OutboxSlice>(state: State, message: OutboxMessage): State {
  return { ...state, outbox: [...state.outbox, message] }
}

/** Does nothing if the entry is gone: its event came first, and overrides every response. */
export function withOutboxChange<State extends OutboxSlice>(
  state: State,
  localId: string,
  change: Partial<
    Pick<
      OutboxMessage,
      'state' | 'messageId' | 'attempts' | 'failure' | 'afterMessageId' | 'missing' | 'heldUntil'
    >
  >,
): State {
  if (!state.outbox.some((message) => message.localId === localId)) return state
  return {
    ...state,
    outbox: state.outbox.map((message) =>
      message.localId === localId ? { ...message, ...change } : message,
    ),
  }
}

export function withoutOutbox<State extends OutboxSlice>(state: State, localId: string): State {
  const outbox = state.outbox.filter((message) => message.localId !== localId)
  return outbox.length === state.outbox.length ? state : { ...state, outbox }
}

/**
 * To be called just before the request. Its message can't be one of those known by now: an equal
 * text sent earlier must not be taken for it, and after a restart only the id tells them apart.
 */
export function withSending<State extends OutboxSlice>(
  state: State,
  localId: string,
  change: Pick<OutboxMessage, 'state' | 'messageId' | 'attempts' | 'failure'>,
  newestId: number,
): State {
  const before = state.outbox.find((message) => message.localId === localId)?.afterMessageId ?? 0
  return withOutboxChange(state, localId, {
    ...change,
    afterMessageId: Math.max(before, newestId),
  })
}

/**
 * Applies a 200 response. The local echo stays until the message is in the state (through its
 * event, or because it already is), so that it doesn't disappear for a moment.
 */
export function withSendAnswered<State extends OutboxSlice & RealmsSlice>(
  state: State,
  localId: string,
  messageId: number,
): State {
  const entry = state.outbox.find((message) => message.localId === localId)
  if (entry === undefined) return state
  const realm = state.realms.get(entry.accountId)
  // This message already settled another entry with the same text: there is one message for two.
  if (isOthers(entry, messageId)) return withOutboxChange(state, localId, { state: 'unconfirmed' })
  const message = messageOf(realm?.messages ?? noMessages, messageId)
  if (message !== undefined) return withoutSettled(state, entry.accountId, [{ message, localId }])
  return withOutboxChange(state, localId, { state: 'sent', messageId, failure: null })
}

/**
 * Removes entries whose messages are in the state now, however these arrived. Those that stay
 * remember the ids: one message must not confirm a second entry with the same text, even after a
 * restart, or if its own event comes after a history in which it was taken for the other's.
 */
export function withoutSettled<State extends OutboxSlice>(
  state: State,
  accountId: string,
  arrived: readonly { readonly message: Message; readonly localId: string | null }[],
): State {
  const localIds = new Map(arrived.map(({ message, localId }) => [localId, message.id]))
  const ids = new Set(arrived.map(({ message }) => message.id))
  const isSettled = (entry: OutboxMessage): boolean => {
    if (entry.accountId !== accountId) return false
    const id = localIds.get(entry.localId)
    return (
      (id !== undefined && !isOthers(entry, id)) ||
      (entry.messageId !== null && ids.has(entry.messageId))
    )
  }
  const settled = state.outbox.filter(isSettled)
  if (settled.length === 0) return state
  const settledIds = new Map(
    arrived.flatMap(({ message, localId }) =>
      settled
        .filter((entry) => entry.localId === localId || entry.messageId === message.id)
        .map(({ conversation }) => [message.id, placeOf(conversation)] as const),
    ),
  )
  return { ...state, outbox: remaining(state, accountId, isSettled, settledIds) }
}

/** The outbox without the settled entries, whose message ids the others remember from then on. */
function remaining(
  { outbox }: OutboxSlice,
  accountId: AccountId,
  isSettled: (entry: OutboxMessage) => boolean,
  settledIds: ReadonlyMap<number, string>,
): readonly OutboxMessage[] {
  return outbox
    .filter((entry) => !isSettled(entry))
    .map((entry) => (entry.accountId === accountId ? withOthers(entry, settledIds) : entry))
}

function isOthers({ notMessageIds }: OutboxMessage, messageId: number): boolean {
  return notMessageIds?.includes(messageId) ?? false
}

/** Where to look for a sent message: anywhere in its channel, since topics are renamed. */
export function placeOf(conversation: Conversation): string {
  return conversation.kind === 'topic'
    ? `channel/${conversation.channelId}`
    : conversationKey(conversation)
}

function withOthers(entry: OutboxMessage, settled: ReadonlyMap<number, string>): OutboxMessage {
  const own = placeOf(entry.conversation)
  const ids = [...settled].filter(([, place]) => place === own).map(([id]) => id)
  return ids.length === 0
    ? entry
    : { ...entry, notMessageIds: [...new Set([...(entry.notMessageIds ?? []), ...ids])] }
}

/**
 * Removes entries that the server accepted with ids up to `upTo`: everything to be read up to there
 * has been read. Otherwise the echo of a message that was deleted meanwhile, or that is in a gap
 * too large to fill, would wait for its message forever.
 */
export function withoutAnswered<State extends OutboxSlice>(
  state: State,
  accountId: AccountId,
  upTo: number,
): State {
  const settledIds = new Map<number, string>()
  for (const { accountId: account, state: at, messageId, conversation } of state.outbox)
    if (account === accountId && at === 'sent' && messageId !== null && messageId <= upTo)
      settledIds.set(messageId, placeOf(conversation))
  if (settledIds.size === 0) return state
  const isSettled = (entry: OutboxMessage): boolean =>
    entry.accountId === accountId &&
    entry.state === 'sent' &&
    entry.messageId !== null &&
    settledIds.has(entry.messageId)
  return { ...state, outbox: remaining(state, accountId, isSettled, settledIds) }
}

/**
 * The outbox of an account (null: of all) when its connection starts anew, such as at program
 * start. What was being sent may have arrived: it becomes unconfirmed, and is never resent
 * automatically.
 */
export function afterRestart(
  outbox: readonly OutboxMessage[],
  accountId: AccountId | null = null,
): readonly OutboxMessage[] {
  return outbox.map((message) =>
    message.state === 'sending' && (accountId === null || accountId === message.accountId)
      ? { ...message, state: 'unconfirmed' as const }
      : message,
  )
}
