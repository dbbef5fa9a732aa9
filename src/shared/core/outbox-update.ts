import type { AccountId } from './account.ts'
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
  if (realm?.messages.has(messageId)) return withoutOutbox(state, localId)
  return withOutboxChange(state, localId, { state: 'sent', messageId, failure: null })
}

/** Echoes whose messages are in the state now, whichever way these came. */
export function withoutSettled(
  state: AppState,
  accountId: string,
  arrived: readonly { readonly message: Message; readonly localId: string | null }[],
): AppState {
  const localIds = new Set(arrived.flatMap(({ localId }) => (localId === null ? [] : [localId])))
  const ids = new Set(arrived.map(({ message }) => message.id))
  const outbox = state.outbox.filter(
    (entry) =>
      entry.accountId !== accountId ||
      !(localIds.has(entry.localId) || (entry.messageId !== null && ids.has(entry.messageId))),
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
