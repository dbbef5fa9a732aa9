import type { Commands } from '../../shared/contract.ts'
import { type AccountId, accountById } from '../../shared/core/account.ts'
import { conversationKey } from '../../shared/core/chat/conversation.ts'
import {
  draftKey,
  draftOf,
  joinTexts,
  withDraft,
  withDraftOver,
} from '../../shared/core/chat/drafts.ts'
import { lackOf, type ScheduledMessage } from '../../shared/core/chat/kept-for-later.ts'
import { followed, type Place } from '../../shared/core/chat/places.ts'
import {
  isBeingSent,
  type Scheduling,
  scheduledOf,
  surelyOverMs,
  withoutScheduling,
} from '../../shared/core/chat/scheduled.ts'
import { unsavedKey } from '../../shared/core/chat/unsaved-forms.ts'
import { invalid, mayHaveHappened, RequestFailed } from '../../shared/core/failure.ts'
import { fieldsOf } from '../../shared/core/schemas.ts'
import type { AppState } from '../../shared/core/state.ts'
import { serverText } from '../../shared/core/text-length.ts'
import { atClockWords } from '../../shared/core/time.ts'
import type { Clock } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'
import { newMessage, persistOr, refuseUnsaved, saveText } from './chat-commands.ts'
import type { RealmLink } from './realm-session.ts'

/** A server's clock may be ahead of this computer's. */
const clockSlackMs = 60_000

/** Commands for what is kept for later: the server's drafts, scheduled messages, a status's end. */
export function createLaterCommands(parts: {
  live: LiveState
  clock: Clock
  /** Returns the running connection of an account, or throws why there is none. */
  link: (accountId: AccountId) => RealmLink
  /** Through the outbox, so that it is sent only once. */
  send: (place: Place, text: string) => Promise<void>
}) {
  const { live, clock, link, send } = parts

  const without = (id: string): void => live.update((state) => withoutScheduling(state, id))

  /** An earlier attempt's message: no text is scheduled twice. Throws if its fate is uncertain. */
  async function earlier(place: Place, text: string) {
    const entry = attemptOf(live.get(), place, text)
    if (entry === undefined) return null
    const found = scheduledOf(entry, await link(place.accountId).later.readScheduled())
    if (found === undefined && entry.at <= clock.now())
      throw invalid(
        'at',
        `It may have been sent ${atClockWords(entry.at, clock.now())}: look at the conversation, then dismiss the question under “Drafts & scheduled”.`,
      )
    if (found === undefined && clock.now() - entry.triedAt <= surelyOverMs)
      throw invalid('at', 'The first attempt may still arrive: try again in a minute.')
    without(entry.id)
    return found ?? null
  }

  /** Throws if it was sent: servers delete even such messages, and only the conversation tells. */
  async function refuseSent(
    accountId: AccountId,
    { conversation, content, at }: ScheduledMessage,
    undo: () => void,
  ): Promise<void> {
    if (at > clock.now() + clockSlackMs) return
    const { messageOperations } = await import('../../shared/api/chat/message-operations.ts')
    const { ownNarrowOf, pageBefore } = await import('./realm-pages.ts')
    const narrow = ownNarrowOf(conversation, live.get().realms.get(accountId)?.me?.id ?? -1)
    const page = { ...pageBefore(null, 100), narrow }
    const { messages } = await link(accountId)
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
  async function deleteScheduled(
    accountId: AccountId,
    id: number,
    undo: () => void,
  ): Promise<void> {
    const { client, later } = link(accountId)
    const { scheduledOperations } = await import('../../shared/api/chat/message-operations.ts')
    try {
      await client.call(scheduledOperations.deleteScheduledMessage, { scheduled_message_id: id })
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      const isMaybe = mayHaveHappened(error.failure)
      const list = isMaybe ? await later.readScheduled().catch(() => null) : null
      if (list?.every((one) => one.id !== id) === true) return
      // If in doubt, better to have the text in two places than in none.
      if (!isMaybe || list !== null) undo()
      throw error
    }
  }

  return {
    async takeDraft({ accountId, id, to }) {
      const draft = live
        .get()
        .realms.get(accountId)
        ?.later.drafts?.find((one) => one.id === id)
      const at = draft?.conversation ?? to
      if (draft === undefined || at === undefined)
        throw invalid('draft', 'This draft has been sent or deleted in the meantime.')
      const place = followed(live.get(), { accountId, conversation: at })
      const { conversation } = place
      live.update((state) => {
        const typed = draftOf(state, place)
        const next = withDraft(state, place, joinTexts(typed, draft.content))
        // Another draft on the server that is still linked gets this text, or would come back.
        const linked = state.draftLinks.get(draftKey(accountId, conversation))?.id ?? null
        if (typed !== '' || linked !== null) return next
        const link = { conversation, id, base: draft.content, sent: null }
        return {
          ...next,
          draftLinks: new Map(next.draftLinks).set(draftKey(accountId, conversation), link),
        }
      })
      await live.persist('drafts').catch(refuseUnsaved)
    },

    async scheduleMessage({ text, at, ...given }) {
      const place = followed(live.get(), given)
      newMessage(live.get(), place, text, clock)
      if (at <= clock.now()) throw invalid('at', 'Choose a time in the future.')
      const { later } = link(place.accountId)
      const before = await earlier(place, text)
      if (before !== null) return before
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
      const { id } = await later.schedule(entry)
      return { id, at: entry.at }
    },

    async cancelScheduled({ accountId, id, text: changed, send: isSent = false }) {
      link(accountId)
      const message = live
        .get()
        .realms.get(accountId)
        ?.later.scheduled?.find((one) => one.id === id)
      if (message === undefined)
        throw invalid('message', 'This message has been sent or cancelled in the meantime.')
      const place = { accountId, conversation: message.conversation }
      const text = changed ?? message.content
      if (isSent) {
        if (isBeingSent(message, clock.now()))
          throw invalid(
            'message',
            'It will be sent within a minute. To change it, cancel it first.',
          )
        newMessage(live.get(), place, text, clock)
      }
      const typed = draftOf(live.get(), place)
      const both = joinTexts(text, typed)
      live.update((state) => withDraft(state, place, both))
      const before = (state: AppState): AppState => withDraftOver(state, place, both, typed)
      const undo = (): void => live.update(before)
      await persistOr(live, 'drafts', before)
      await deleteScheduled(accountId, id, undo)
      await refuseSent(accountId, message, undo)
      if (!isSent) return
      // The draft keeps the text until the outbox has it on disk.
      await send(place, text)
      undo()
      await live.persist('drafts').catch(() => undefined)
    },

    async saveForm({ accountId, form, text }) {
      // The last keystrokes may arrive after the account was removed.
      if (accountById(live.get(), accountId) === null) return
      await saveText(live, unsavedKey(accountId, form), text)
    },

    async forgetScheduling({ id }) {
      without(id)
    },

    setStatus: ({ accountId, text, emoji, until }) =>
      link(accountId).later.setStatus({ text, emoji }, until),
  } satisfies Partial<Commands>
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
