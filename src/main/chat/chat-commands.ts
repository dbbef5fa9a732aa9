import type { Commands } from '../../shared/contract.ts'
import { known } from '../../shared/core/account.ts'
import { conversationKey } from '../../shared/core/chat/conversation.ts'
import { draftOf, joinTexts, withDraft, withDraftOver } from '../../shared/core/chat/drafts.ts'
import {
  needsUser,
  type OutboxMessage,
  withOutboxChange,
  withoutOutbox,
  withQueued,
} from '../../shared/core/chat/outbox.ts'
import { followed, type Place } from '../../shared/core/chat/places.ts'
import { addedLinks, withLink } from '../../shared/core/chat/upload.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import { codePointLength, sentText } from '../../shared/core/text-length.ts'
import type { Clock } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'
import type { RealmLink } from './realm-session.ts'

interface ChatCommandsParts {
  live: LiveState
  clock: Clock
  link: (accountId: string) => RealmLink
}

/** The chat commands. `link` returns an account's running connection, or throws why it has none. */
export class ChatCommands {
  readonly #parts: ChatCommandsParts

  constructor(parts: ChatCommandsParts) {
    this.#parts = parts
  }

  /** Sends what was typed elsewhere, such as in a notification; the composer keeps its own text. */
  readonly reply = (place: Place, text: string) => this.#send(place, text, false)

  readonly commands = {
    loadConversation: async ({ older, glance, ...place }) => {
      const { conversation } = followed(this.#parts.live.get(), place)
      const priority = glance === true ? 'glance' : 'interactive'
      await this.#parts.link(place.accountId).history.load(conversation, older, priority)
    },

    loadGap: async ({ from, ...place }) => {
      await this.#parts
        .link(place.accountId)
        .history.loadGap(followed(this.#parts.live.get(), place).conversation, from)
    },

    showMessage: async ({ accountId, conversation, messageId }) => {
      const { live, link } = this.#parts
      const expected =
        conversation && followed(live.get(), { accountId, conversation }).conversation
      return link(accountId).history.show(expected, messageId)
    },

    searchMessages: async ({ accountId, ...search }) =>
      this.#parts.link(accountId).history.search(search),

    sendMessage: ({ text, ...place }) => this.#send(place, text, true),

    resendMessage: async ({ localId }) => {
      const { live } = this.#parts
      const message = entry(live.get(), localId)
      if (!needsUser(message)) throw invalid('message', 'It is already on its way.')
      const again = {
        ...followed(live.get(), message),
        state: 'queued' as const,
        failure: null,
        messageId: null,
        missing: null,
        heldUntil: null,
      }
      live.update((state) => withOutboxChange(state, localId, again))
      await persistOr(live, 'outbox', (state) => withOutboxChange(state, localId, message))
      // Its event may have confirmed it in the meantime.
      this.#sendWaiting(message)
    },

    discardMessage: async ({ localId, keepText }) => {
      const { live } = this.#parts
      const message = entry(live.get(), localId)
      if (message.state === 'sending' || message.state === 'sent')
        throw invalid('message', 'It is already on its way.')
      linkOrNone(this.#parts.link, message.accountId)?.outbox.forget(localId)
      if (message.state === 'queued') {
        // From here on, it isn't sent even after a crash.
        live.update((state) => withOutboxChange(state, localId, { state: 'rejected' }))
        await live.persist('outbox').catch(refuseUnsaved)
      }
      if (keepText) await this.#restore(message)
      live.update((state) => withoutOutbox(state, localId))
      await live.persist('outbox').catch(refuseUnsaved)
    },

    markRead: async ({ upTo, ...place }) => {
      await this.#parts
        .link(place.accountId)
        .markRead(followed(this.#parts.live.get(), place).conversation, upTo)
    },

    setStatus: ({ accountId, text, emoji, until }) =>
      this.#parts.link(accountId).status.set({ text, emoji }, until),

    setReaction: async ({ accountId, present, ...reaction }) => {
      await this.#parts.link(accountId).setReaction(reaction, present)
    },
  } satisfies Partial<Commands>

  async #send(given: Place, text: string, fromComposer: boolean): Promise<void> {
    const { live, clock } = this.#parts
    const place = followed(live.get(), given)
    const { undoSendSeconds } = live.get().settings
    const message = {
      ...newMessage(live.get(), place, text, clock),
      fromNotification: !fromComposer,
      ...(fromComposer && undoSendSeconds > 0
        ? { heldUntil: clock.now() + undoSendSeconds * 1_000 }
        : {}),
    }
    const typed = draftOf(live.get(), place)
    live.update((state) => withQueued(state, message))
    try {
      // On disk before the composer drops it, and before the first byte leaves: whenever the
      // program ends, the text is in one place or the other.
      await live.persist('outbox')
    } catch {
      // A connection made in the meantime may already have stored and sent it.
      if (this.#waiting(message) !== null) {
        linkOrNone(this.#parts.link, place.accountId)?.outbox.forget(message.localId)
        live.update((state) => withoutOutbox(state, message.localId))
        refuseUnsaved()
      }
    }
    if (fromComposer) {
      // Keeps what was typed in another window meanwhile, and the links of uploads that ended.
      const late = addedLinks(text, typed).reduce(withLink, '')
      // Another draft may be above this one: where the topic was moved to, or of a message that was
      // undone just now.
      const isBelow = place !== given || typed.endsWith(`\n\n${text}`)
      const sent = isBelow ? text : typed
      live.update((state) => withDraftOver(state, given, sent, late))
      // A draft left on disk does no harm, and a failing disk is reported anyway.
      await live.persist('drafts').catch(() => undefined)
    }
    this.#sendWaiting(message)
  }

  /**
   * Without a connection (offline, no key), the outbox keeps the message until there is one. While
   * the disk was busy, a new connection may have sent it, or the user may have discarded it.
   */
  #sendWaiting(message: OutboxMessage): void {
    const still = this.#waiting(message)
    if (still !== null) linkOrNone(this.#parts.link, still.accountId)?.outbox.queue(still)
  }

  #waiting({ localId }: OutboxMessage): OutboxMessage | null {
    const still = this.#parts.live.get().outbox.find((one) => one.localId === localId)
    return still?.state === 'queued' ? still : null
  }

  /** Puts the text back into the draft, on disk before the outbox drops it. */
  async #restore(message: OutboxMessage): Promise<void> {
    const { live } = this.#parts
    // It may have been removed while the disk was busy.
    known(live.get(), message.accountId)
    const place = followed(live.get(), message)
    const typed = draftOf(live.get(), place)
    const both = joinTexts(message.text, typed)
    live.update((state) => withDraft(state, place, both))
    await persistOr(live, 'drafts', (state) => withDraftOver(state, place, both, typed))
  }
}

function linkOrNone(link: (accountId: string) => RealmLink, accountId: string): RealmLink | null {
  try {
    return link(accountId)
  } catch (error) {
    if (error instanceof RequestFailed) return null
    throw error
  }
}

/** Refuses what the server would refuse or, worse, cut silently (chat API, "Send a message"). */
export function newMessage(
  state: AppState,
  place: Place,
  text: string,
  clock: Clock,
): Omit<OutboxMessage, 'fromNotification'> {
  const realm = state.realms.get(place.accountId)
  if (realm === undefined) throw invalid('account', 'This account is gone.')
  if (sentText(text).trim() === '') throw invalid('text', 'There is nothing to send yet.')
  if (text.includes('\0'))
    throw invalid('text', 'The text contains a NUL character, which the server refuses.')
  const length = codePointLength(sentText(text))
  if (length > realm.limits.messageLength)
    throw invalid(
      'text',
      `${length} characters are too many: this server accepts ${realm.limits.messageLength}.`,
    )
  const { conversation } = place
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
  if (message === undefined)
    throw invalid('message', 'This message has been sent or removed in the meantime.')
  return message
}

/** Writes a document to disk. If that fails, undoes the change in the state and throws. */
export function persistOr(
  live: LiveState,
  name: Parameters<LiveState['persist']>[0],
  undo: (state: AppState) => AppState,
): Promise<void> {
  return live.persist(name).catch(() => {
    live.update(undo)
    refuseUnsaved()
  })
}

export function refuseUnsaved(): never {
  throw invalid(
    'disk',
    'The text could not be saved on this computer (disk full or read-only), so it stays here unsent.',
  )
}
