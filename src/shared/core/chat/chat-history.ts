import { hasId } from '../id-list.ts'
import { withoutMessages } from './chat-apply.ts'
import { type ChatEvent, isForAll } from './chat-event.ts'
import { type Conversation, conversationKey } from './conversation.ts'
import type { Message } from './message.ts'
import { messageAfter } from './message-after.ts'
import { messageOf } from './message-list.ts'
import type { Realm } from './realm.ts'
import { withDoubtAfterMove, withHistory, withMessages } from './realm-update.ts'

/** A page of a conversation's history, as it was at some moment while it was fetched. */
export interface FetchedPage {
  readonly messages: readonly Message[]
  /** Nothing newer is in the conversation. */
  readonly newest: boolean
  /** Nothing older is. */
  readonly oldest: boolean
  /** The message before which the page ends; null: it ends with the newest. */
  readonly before: number | null
  /** Held from before a gap in the events, and not heard of since. */
  readonly stale: ReadonlySet<number>
}

/**
 * A page of history together with the events that were applied between asking for it and its
 * arrival. The answer may be from before these events or from after them, and nothing shows which.
 * Every event says what something became, so applying them (again) to the answer gives what is true
 * now, and that is at least as new as what is held: it replaces it. What the page should hold and
 * does not is left to the events, since the answer may be ahead of them; only what is from before a
 * gap in them was deleted or moved while nobody listened.
 */
export function withFetchedHistory(
  realm: Realm,
  conversation: Conversation,
  page: FetchedPage,
  since: readonly ChatEvent[],
): Realm {
  const now = messagesSince(realm, page.messages, since)
  // Those of the page as well: one may be counted as unread where it was before.
  const replaced = page.messages.map(({ id }) => id)
  const without = withoutMessages(realm, [...ghosts(realm, conversation, page), ...replaced])
  const after = withHistory(withMessages(without, now), conversation, { ...page, messages: now })
  return since.reduce(
    (last, event) => (event.type === 'moved' ? withDoubtAfterMove(last, event) : last),
    after,
  )
}

/** Fetched messages after the events that were applied meanwhile, without those deleted by them. */
export function messagesSince(
  realm: Realm,
  messages: readonly Message[],
  since: readonly ChatEvent[],
): readonly Message[] {
  const { floor, ids } = realm.notified ?? { floor: Number.POSITIVE_INFINITY, ids: [] }
  return messages
    .map((message) => {
      // What was marked as read altogether before it was sent.
      const sent =
        message.id > floor && !hasId(ids, message.id)
          ? since.length
          : since.findIndex((event) => event.type === 'message' && event.message.id === message.id)
      return since.reduce<Message | null>(
        (last, event, at) =>
          isForAll(event) && at < sent ? last : last && messageAfter(last, event),
        message,
      )
    })
    .filter((message) => message !== null)
}

function ghosts(realm: Realm, conversation: Conversation, page: FetchedPage): readonly number[] {
  const key = conversationKey(conversation)
  const ids = page.messages.map(({ id }) => id)
  const from = page.oldest ? 0 : Math.min(...ids)
  const to = page.before ?? Number.POSITIVE_INFINITY
  return [...page.stale].filter((id) => {
    const isWithin = id >= from && id < to && !ids.includes(id)
    return isWithin && messageOf(realm.messages, id)?.key === key
  })
}
