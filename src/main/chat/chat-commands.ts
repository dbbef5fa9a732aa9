import type { Commands, Place } from '../../shared/contract.ts'
import { conversationKey } from '../../shared/core/chat/conversation.ts'
import { draftKey } from '../../shared/core/chat/conversation-title.ts'
import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import {
  withOutboxChange,
  withoutOutbox,
  withQueued,
} from '../../shared/core/chat/outbox-update.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import { type AppState, accountById } from '../../shared/core/state.ts'
import { codePointLength, sentText } from '../../shared/core/text-length.ts'
import type { Clock } from '../ports.ts'
import type { LiveState } from '../store.ts'
import type { RealmLink } from './realm-session.ts'

type ChatCommands = Pick<
  Commands,
  | 'loadConversation'
  | 'saveDraft'
  | 'sendMessage'
  | 'resendMessage'
  | 'discardMessage'
  | 'markRead'
  | 'setReaction'
>

/** What the chat windows can ask. `link` finds the running connection of an account, or throws why there is none. */
export function createChatCommands(parts: {
  live: LiveState
  clock: Clock
  link: (accountId: string) => RealmLink
}): {
  commands: ChatCommands
  /** Sends what was typed elsewhere, such as into a notification: the composer keeps its own text. */
  reply: (place: Place, text: string) => Promise<void>
} {
  const { live, clock, link } = parts

  async function send(place: Place, text: string, fromComposer: boolean): Promise<void> {
    const message = {
      ...newMessage(live.get(), place, text, clock),
      fromNotification: !fromComposer,
    }
    const typed = draftOf(live.get(), place)
    live.update((state) => withQueued(state, message))
    try {
      // On disk before the composer lets go of it, and before the first byte leaves: whenever the
      // program ends, the text is in the one place or the other.
      await live.keep('outbox')
    } catch (error) {
      // A connection that came meanwhile may have it on the disk and on its way.
      if (waiting(message) !== null) {
        linkOrNone(link, place.accountId)?.forget(message.localId)
        live.update((state) => withoutOutbox(state, message.localId))
        refuseUnsaved(error)
      }
    }
    if (fromComposer) {
      // What another window typed meanwhile stays.
      live.update((state) =>
        draftOf(state, place) === typed ? withDraft(state, place, '') : state,
      )
      // A draft that stays on the disk costs a second look; what can't be written is told as trouble.
      await live.keep('drafts').catch(() => undefined)
    }
    sendWaiting(message)
  }

  /**
   * The account may be offline or without a key: the outbox keeps it until there is a connection. One
   * that came while the disk was waited for has sent it by then, and the user may have discarded it.
   */
  function sendWaiting(message: OutboxMessage): void {
    const still = waiting(message)
    if (still !== null) linkOrNone(link, still.accountId)?.send(still)
  }

  function waiting({ localId }: OutboxMessage): OutboxMessage | null {
    const still = live.get().outbox.find((one) => one.localId === localId)
    return still?.state === 'queued' ? still : null
  }

  /** The text is on disk as a draft before the outbox lets go of it. */
  async function giveBack(message: OutboxMessage): Promise<void> {
    const typed = draftOf(live.get(), message)
    const both = typed === '' ? message.text : `${message.text}\n\n${typed}`
    live.update((state) => withDraft(state, message, both))
    try {
      await live.keep('drafts')
    } catch (error) {
      live.update((state) =>
        draftOf(state, message) === both ? withDraft(state, message, typed) : state,
      )
      refuseUnsaved(error)
    }
  }

  const commands: ChatCommands = {
    async loadConversation({ accountId, conversation, older }) {
      await link(accountId).loadConversation(conversation, older)
    },

    async saveDraft({ accountId, conversation, text }) {
      // The last letters of a composer may come after its account was removed.
      if (accountById(live.get(), accountId) === null) return
      live.update((state) => withDraft(state, { accountId, conversation }, text))
      await live.keep('drafts').catch(refuseUnsaved)
    },

    sendMessage: ({ text, ...place }) => send(place, text, true),

    async resendMessage({ localId }) {
      const message = entry(live.get(), localId)
      if (!isSettled(message)) throw invalid('message', 'It is on its way already.')
      const again = { ...message, state: 'queued' as const, failure: null, messageId: null }
      live.update((state) => withOutboxChange(state, localId, again))
      try {
        await live.keep('outbox')
      } catch (error) {
        const { state, failure, messageId } = message
        live.update((now) => withOutboxChange(now, localId, { state, failure, messageId }))
        refuseUnsaved(error)
      }
      // Its event may have come meanwhile, which settles it.
      sendWaiting(message)
    },

    async discardMessage({ localId, keepText }) {
      const message = entry(live.get(), localId)
      if (message.state === 'sending' || message.state === 'sent')
        throw invalid('message', 'It is on its way already.')
      linkOrNone(link, message.accountId)?.forget(localId)
      if (keepText) await giveBack(message)
      live.update((state) => withoutOutbox(state, localId))
      await live.keep('outbox').catch(refuseUnsaved)
    },

    async markRead({ accountId, conversation }) {
      await link(accountId).markRead(conversation)
    },

    async setReaction({ accountId, present, ...reaction }) {
      await link(accountId).setReaction(reaction, present)
    },
  }
  return { commands, reply: (place, text) => send(place, text, false) }
}

/** Waits for the user's word, and for nothing else. */
function isSettled({ state }: OutboxMessage): boolean {
  return state === 'rejected' || state === 'unconfirmed'
}

function draftOf(state: AppState, { accountId, conversation }: Place): string {
  return state.drafts.get(draftKey(accountId, conversation)) ?? ''
}

function linkOrNone(link: (accountId: string) => RealmLink, accountId: string): RealmLink | null {
  try {
    return link(accountId)
  } catch (error) {
    if (error instanceof RequestFailed) return null
    throw error
  }
}

export function withDraft(state: AppState, place: Place, text: string): AppState {
  if (draftOf(state, place) === text) return state
  const key = draftKey(place.accountId, place.conversation)
  const drafts = new Map(state.drafts)
  if (text === '') drafts.delete(key)
  else drafts.set(key, text)
  return { ...state, drafts }
}

/** Refuses what the server would refuse or, worse, cut silently (chat API, "Send a message"). */
function newMessage(
  state: AppState,
  place: Place,
  text: string,
  clock: Clock,
): Omit<OutboxMessage, 'fromNotification'> {
  const realm = state.realms.get(place.accountId)
  if (realm === undefined) throw invalid('account', 'This account is gone.')
  if (sentText(text).trim() === '') throw invalid('text', 'There is nothing to send yet.')
  if (text.includes('\0'))
    throw invalid('text', 'The text holds a NUL character, which the server refuses.')
  const length = codePointLength(sentText(text))
  if (length > realm.limits.messageLength)
    throw invalid(
      'text',
      `${length} characters are too many: this server takes ${realm.limits.messageLength}.`,
    )
  const { conversation } = place
  if (
    conversation.kind === 'topic' &&
    codePointLength(conversation.topic) > realm.limits.topicLength
  )
    throw invalid(
      'topic',
      `The topic is longer than the ${realm.limits.topicLength} characters this server takes.`,
    )
  return {
    localId: crypto.randomUUID(),
    accountId: place.accountId,
    conversation,
    text,
    queuedAt: clock.now(),
    state: 'queued',
    messageId: null,
    attempts: 0,
    afterMessageId: realm.conversations.get(conversationKey(conversation))?.lastMessageId ?? 0,
    failure: null,
  }
}

function entry(state: AppState, localId: string): OutboxMessage {
  const message = state.outbox.find((one) => one.localId === localId)
  if (message === undefined) throw invalid('message', 'This message was settled meanwhile.')
  return message
}

function refuseUnsaved(_error: unknown): never {
  throw invalid(
    'disk',
    'The text could not be saved on this computer (disk full or read-only), so it stays here unsent.',
  )
}
