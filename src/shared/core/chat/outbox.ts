import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import type { Failure } from '../failure.ts'
import { type Immutable, numberId } from '../schemas.ts'
import type { AppState } from '../state.ts'
import { type Conversation, conversationKey, conversationSchema } from './conversation.ts'
import type { Message } from './message.ts'
import { messageOf, noMessages } from './message-list.ts'

/**
 * A message on its way.
 *
 *   queued ──► sending ──► (gone: its event came, or the answer and no event will)
 *     ▲           │
 *     │           ├──► queued        surely not processed: tried again with back-off
 *     │           ├──► rejected      surely refused: text back to the composer
 *     │           └──► unconfirmed   unknown: never resent by the program
 *     │                    │
 *     └── the user: send again ◄────┘──► (gone: event, history, or the user discards)
 *
 * A message event with our `localId` beats everything that comes later, a failed answer included.
 */
export const outboxSchema = v.object({
  localId: v.string(),
  accountId: v.string(),
  conversation: conversationSchema,
  text: v.string(),
  queuedAt: v.number(),
  /** Epoch ms up to which its sending can be undone; absent: it goes at once. */
  heldUntil: v.fallback(v.optional(v.nullable(v.number())), undefined),
  state: v.picklist(['queued', 'sending', 'sent', 'rejected', 'unconfirmed']),
  /** The id the answer gave, while its event is awaited. */
  messageId: v.nullable(numberId),
  attempts: v.number(),
  /**
   * The newest message known when this one was queued; once it is being sent, the newest of the whole realm.
   * Ids increase, so only later messages can be this one.
   */
  afterMessageId: v.fallback(numberId, 0),
  /** Own messages of this conversation that are known to be other ones: the same text twice is two. */
  notMessageIds: v.fallback(v.optional(v.array(numberId)), []),
  /**
   * The history was read back to before it, and it was not there: when that was found first (epoch ms),
   * and whether a second read, long enough after, agrees. Still never sent again by the program.
   */
  missing: v.fallback(
    v.optional(v.nullable(v.object({ since: v.number(), isSure: v.boolean() }))),
    undefined,
  ),
  /** Typed into a notification: nobody is looking at the conversation when it goes wrong. */
  fromNotification: v.fallback(v.boolean(), false),
})
export interface OutboxMessage extends Immutable<v.InferOutput<typeof outboxSchema>> {
  readonly failure: Failure | null
}

/** Only the user can decide what happens to it. */
export function needsUser({ state }: Pick<OutboxMessage, 'state'>): boolean {
  return state === 'rejected' || state === 'unconfirmed'
}

/** A new message at the end of the outbox. */
export function withQueued(state: AppState, message: OutboxMessage): AppState {
  return { ...state, outbox: [...state.outbox, message] }
}

/** Does nothing when the entry is gone: its event came first, and the event beats every answer. */
export function withOutboxChange(
  state: AppState,
  localId: string,
  change: Partial<
    Pick<
      OutboxMessage,
      'state' | 'messageId' | 'attempts' | 'failure' | 'afterMessageId' | 'missing' | 'heldUntil'
    >
  >,
): AppState {
  if (!state.outbox.some((message) => message.localId === localId)) return state
  return {
    ...state,
    outbox: state.outbox.map((message) =>
      message.localId === localId ? { ...message, ...change } : message,
    ),
  }
}

export function withoutOutbox(state: AppState, localId: string): AppState {
  const outbox = state.outbox.filter((message) => message.localId !== localId)
  return outbox.length === state.outbox.length ? state : { ...state, outbox }
}

/**
 * Its request leaves now, so that its message will be none of those known: an equal text of before
 * must not prove this one, which a program that was restarted has nothing else to tell by.
 */
export function withSending(
  state: AppState,
  localId: string,
  change: Pick<OutboxMessage, 'state' | 'messageId' | 'attempts' | 'failure'>,
  newestId: number,
): AppState {
  const before = state.outbox.find((message) => message.localId === localId)?.afterMessageId ?? 0
  return withOutboxChange(state, localId, {
    ...change,
    afterMessageId: Math.max(before, newestId),
  })
}

/**
 * What an answer of 200 leads to. The echo stays until its message is in the state (by its event, or
 * because it is there already), so that nothing flickers away and comes back.
 */
export function withSendAnswered(state: AppState, localId: string, messageId: number): AppState {
  const entry = state.outbox.find((message) => message.localId === localId)
  if (entry === undefined) return state
  const realm = state.realms.get(entry.accountId)
  // It was taken for an equal one's, which is gone: there is one message for two texts.
  if (isOthers(entry, messageId)) return withOutboxChange(state, localId, { state: 'unconfirmed' })
  const message = messageOf(realm?.messages ?? noMessages, messageId)
  if (message !== undefined) return withoutSettled(state, entry.accountId, [{ message, localId }])
  return withOutboxChange(state, localId, { state: 'sent', messageId, failure: null })
}

/**
 * Echoes whose messages are in the state now, whichever way these came. Those that stay in the
 * outbox remember the ids: one message must not prove a second one with its text, not after a restart
 * and not when its own event comes after the history in which it was taken for the other's.
 */
export function withoutSettled(
  state: AppState,
  accountId: string,
  arrived: readonly { readonly message: Message; readonly localId: string | null }[],
): AppState {
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

/** The outbox without some, whose message ids are known to the others from then on. */
function remaining(
  { outbox }: AppState,
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

/** Where a message may be found again: anywhere in its channel, since topics are renamed. */
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
 * Echoes of an account that the server took, up to an id: whatever was to be read up to there has been
 * read. Without it the echo of a message that was deleted meanwhile, or that is behind a gap too large
 * to fill, would wait for its message for ever.
 */
export function withoutAnswered(state: AppState, accountId: AccountId, upTo: number): AppState {
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
 * The outbox of an account (null: of all) when its connection begins anew, such as at the start of the
 * program. What was being sent when the last one ended may have arrived: it is unconfirmed, and never
 * sent again by the program.
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
