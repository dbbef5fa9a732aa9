import type { Commands } from '../../shared/contract.ts'
import { type AccountId, known } from '../../shared/core/account.ts'
import { conversationKey } from '../../shared/core/chat/conversation.ts'
import { draftOf, joinTexts, withDraft, withDraftOver } from '../../shared/core/chat/drafts.ts'
import { lackOf, type ScheduledMessage } from '../../shared/core/chat/kept-for-later.ts'
import { followed, type Place } from '../../shared/core/chat/places.ts'
import {
  isBeingSent,
  type Scheduling,
  scheduledOf,
  surelyOverMs,
  withoutScheduling,
} from '../../shared/core/chat/scheduled.ts'
import { invalid, mayHaveHappened, RequestFailed } from '../../shared/core/failure.ts'
import { fieldsOf } from '../../shared/core/schemas.ts'
import type { AppState } from '../../shared/core/state.ts'
import { serverText } from '../../shared/core/text-length.ts'
import { atClockWords } from '../../shared/core/time.ts'
import type { Clock } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'
import { newMessage, persistOr, refuseUnsaved } from './chat-commands.ts'
import type { RealmLink } from './realm-session.ts'

/** A server's clock may be ahead of this computer's. */
const clockSlackMs = 60_000

interface ScheduledCommandsParts {
  live: LiveState
  clock: Clock
  /** Returns the running connection of an account, or throws why there is none. */
  link: (accountId: AccountId) => RealmLink
  /** Through the outbox, so that it is sent only once. */
  send: (place: Place, text: string) => Promise<void>
}

/** Commands for messages that the server sends later. */
export class ScheduledCommands {
  readonly #parts: ScheduledCommandsParts

  constructor(parts: ScheduledCommandsParts) {
    this.#parts = parts
  }

  readonly scheduleMessage: Commands['scheduleMessage'] = async ({ text, at, ...given }) => {
    const { live, clock } = this.#parts
    const place = followed(live.get(), given)
    newMessage(live.get(), place, text, clock)
    if (at <= clock.now()) throw invalid('at', 'Choose a time in the future.')
    const { scheduled } = this.#parts.link(place.accountId)
    const before = await this.#earlier(place, text)
    if (before !== null) return before
    known(live.get(), place.accountId)
    const realm = live.get().realms.get(place.accountId)
    const lack = realm === undefined ? null : lackOf(realm, 'scheduled')
    if (lack !== null) throw invalid('at', lack)
    const entry: Scheduling = {
      id: crypto.randomUUID(),
      ...place,
      text,
      at: Math.ceil(at / 1_000) * 1_000,
      triedAt: clock.now(),
      known: (realm?.later.scheduled ?? []).map(({ id }) => id),
    }
    live.update((state) => ({ ...state, scheduling: [...state.scheduling, entry] }))
    // Before the request, so that the attempt is known even if the program ends right after it.
    await persistOr(live, 'scheduling', (state) => withoutScheduling(state, entry.id))
    const { id } = await scheduled.schedule(entry)
    return { id, at: entry.at }
  }

  readonly cancelScheduled: Commands['cancelScheduled'] = async ({
    accountId,
    id,
    text: changed,
    send: isSent = false,
  }) => {
    const { live, clock } = this.#parts
    const { scheduled } = this.#parts.link(accountId)
    const message = live
      .get()
      .realms.get(accountId)
      ?.later.scheduled?.find((one) => one.id === id)
    if (message === undefined)
      throw invalid('message', 'This message has been sent or cancelled in the meantime.')
    const place = followed(live.get(), { accountId, conversation: message.conversation })
    const text = changed ?? message.content
    if (isSent) {
      if (isBeingSent(message, clock.now()))
        throw invalid('message', 'It will be sent within a minute. To change it, cancel it first.')
      newMessage(live.get(), place, text, clock)
    }
    const typed = draftOf(live.get(), place)
    const both = joinTexts(text, typed)
    scheduled.cancelling(id, true)
    live.update((state) => withDraft(state, place, both))
    const undo = (): void => {
      scheduled.cancelling(id, false)
      live.update((state) => withDraftOver(state, place, both, typed))
    }
    await live.persist('drafts').catch(() => {
      undo()
      refuseUnsaved()
    })
    await this.#deleteScheduled(accountId, id, undo)
    await this.#refuseSent(accountId, message, undo)
    if (!isSent) return
    // The draft keeps the text until the outbox has it on disk.
    await this.#parts.send(place, text)
    // Nor is it to stay where an earlier attempt, which was not known to succeed, has left it.
    const rest =
      both === text ? '' : both.startsWith(`${text}\n\n`) ? both.slice(text.length + 2) : typed
    live.update((state) => withDraftOver(state, place, both, rest))
    await live.persist('drafts').catch(() => undefined)
  }

  readonly forgetScheduling: Commands['forgetScheduling'] = async ({ id }) => {
    this.#without(id)
  }

  #without(id: string): void {
    this.#parts.live.update((state) => withoutScheduling(state, id))
  }

  /** An earlier attempt's message: no text is scheduled twice. Throws if its fate is uncertain. */
  async #earlier(place: Place, text: string) {
    const { clock } = this.#parts
    const entry = attemptOf(this.#parts.live.get(), place, text)
    if (entry === undefined) return null
    const found = scheduledOf(entry, await this.#parts.link(place.accountId).scheduled.read())
    if (found === undefined && entry.at <= clock.now())
      throw invalid(
        'at',
        `It may have been sent ${atClockWords(entry.at, clock.now())}: look at the conversation, then dismiss the question under “Drafts & scheduled”.`,
      )
    if (found === undefined && clock.now() - entry.triedAt <= surelyOverMs)
      throw invalid('at', 'The first attempt may still arrive: try again in a minute.')
    this.#without(entry.id)
    return found ?? null
  }

  /** Throws if it was sent: servers delete even such messages, and only the conversation tells. */
  async #refuseSent(
    accountId: AccountId,
    { conversation, content, at }: ScheduledMessage,
    undo: () => void,
  ): Promise<void> {
    if (at > this.#parts.clock.now() + clockSlackMs) return
    const { messageOperations } = await import('../../shared/api/chat/message-operations.ts')
    const { ownNarrowOf, pageBefore } = await import('./realm-pages.ts')
    const narrow = ownNarrowOf(
      conversation,
      this.#parts.live.get().realms.get(accountId)?.me?.id ?? -1,
    )
    const page = { ...pageBefore(null, 100), narrow }
    const { messages } = await this.#parts
      .link(accountId)
      .client.call(messageOperations.getMessages, { ...page, apply_markdown: false })
      .catch((error: unknown) => {
        if (!(error instanceof RequestFailed)) throw error
        throw invalid(
          'message',
          'It may have been sent: look at the conversation before you send it again.',
        )
      })
    const isIt = (one: ReturnType<typeof fieldsOf>) =>
      one['content'] === content && Number(one['timestamp']) * 1_000 >= at
    if (!messages.map(fieldsOf).some(isIt)) return
    undo()
    throw invalid('message', 'It was sent before it could be cancelled.')
  }

  /** Rejects if the message is still there, or if that can't be determined. */
  async #deleteScheduled(accountId: AccountId, id: number, undo: () => void): Promise<void> {
    const { client, scheduled } = this.#parts.link(accountId)
    const { scheduledOperations } = await import('../../shared/api/chat/message-operations.ts')
    try {
      await client.call(scheduledOperations.deleteScheduledMessage, { scheduled_message_id: id })
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      const isMaybe = mayHaveHappened(error.failure)
      const list = isMaybe ? await scheduled.read().catch(() => null) : null
      if (list?.every((one) => one.id !== id) === true) return
      // If in doubt, better to have the text in two places than in none: what is still on the list
      // may be deleted after it was read.
      if (!isMaybe) undo()
      throw error
    }
    // Its event may come much later, and until then it could be sent again.
    scheduled.forget(id)
  }
}

function attemptOf(state: AppState, place: Place, text: string): Scheduling | undefined {
  const key = conversationKey(place.conversation)
  return state.scheduling.find(
    (entry) =>
      entry.accountId === place.accountId &&
      conversationKey(entry.conversation) === key &&
      serverText(entry.text) === serverText(text),
  )
}
