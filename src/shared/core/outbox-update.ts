import type { AccountId } from './account.ts'
import { type ConversationKey, conversationKey } from './conversation.ts'
import type { Message } from './message.ts'
import type { OutboxMessage } from './outbox.ts'
import type { AppState } from './state.ts'

/** A new message at the end of the outbox. */
export function withQueued(state: AppState, message: OutboxMessage): AppState {
  return { ...state, outbox: [...state.outbox, message] }
}

/** Does nothing when the entry is gone: its event came first, and the event beats every answer. */
export function withOutboxChange(
  state: AppState,
  localId: string,
  change: Partial<Pick<OutboxMessage, 'state' | 'messageId' | 'attempts' | 'failure'>>,
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
 * What an answer of 200 leads to. The echo stays until its message is in the state (by its event, or
 * because it is there already), so that nothing flickers away and comes back.
 */
export function withSendAnswered(state: AppState, localId: string, messageId: number): AppState {
  const entry = state.outbox.find((message) => message.localId === localId)
  if (entry === undefined) return state
  const realm = state.realms.get(entry.accountId)
  const message = realm?.messages.get(messageId)
  if (message !== undefined) return withoutSettled(state, entry.accountId, [{ message, localId }])
  return withOutboxChange(state, localId, { state: 'sent', messageId, failure: null })
}

/**
 * Echoes whose messages are in the state now, whichever way these came. Those that stay in the
 * outbox remember the ids: after a restart, one message must not prove a second one with its text.
 */
export function withoutSettled(
  state: AppState,
  accountId: string,
  arrived: readonly { readonly message: Message; readonly localId: string | null }[],
): AppState {
  const localIds = new Set(arrived.flatMap(({ localId }) => (localId === null ? [] : [localId])))
  const ids = new Set(arrived.map(({ message }) => message.id))
  const isSettled = (entry: OutboxMessage): boolean =>
    entry.accountId === accountId &&
    (localIds.has(entry.localId) || (entry.messageId !== null && ids.has(entry.messageId)))
  const settled = state.outbox.filter(isSettled)
  if (settled.length === 0) return state
  const settledIds = new Map(
    arrived.flatMap(({ message, localId }) =>
      settled
        .filter((entry) => entry.localId === localId || entry.messageId === message.id)
        .map(({ conversation }) => [message.id, conversationKey(conversation)]),
    ),
  )
  const outbox = state.outbox
    .filter((entry) => !isSettled(entry))
    .map((entry) => (entry.accountId === accountId ? withOthers(entry, settledIds) : entry))
  return { ...state, outbox }
}

function withOthers(
  entry: OutboxMessage,
  settled: ReadonlyMap<number, ConversationKey>,
): OutboxMessage {
  const key = conversationKey(entry.conversation)
  const ids = [...settled].filter(([, place]) => place === key).map(([id]) => id)
  return ids.length === 0
    ? entry
    : { ...entry, notMessageIds: [...(entry.notMessageIds ?? []), ...ids] }
}

/**
 * Echoes of an account that the server took, up to an id: whatever was to be read up to there has been
 * read. Without it the echo of a message that was deleted meanwhile, or that is behind a gap too large
 * to fill, would wait for its message for ever.
 */
export function withoutAnswered(state: AppState, accountId: AccountId, upTo: number): AppState {
  const outbox = state.outbox.filter(
    (entry) =>
      entry.accountId !== accountId ||
      entry.state !== 'sent' ||
      entry.messageId === null ||
      entry.messageId > upTo,
  )
  return outbox.length === state.outbox.length ? state : { ...state, outbox }
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
