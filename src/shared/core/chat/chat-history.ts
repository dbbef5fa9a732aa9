import { hasId } from '../id-list.ts'
import { withoutMessages } from './chat-apply.ts'
import { type ChatEvent, isForAll, messageIdsOf } from './chat-event.ts'
import { type Conversation, conversationKey } from './conversation.ts'
import type { Message } from './message.ts'
import { messageAfter } from './message-after.ts'
import {
  allMessages,
  hasMessage,
  messageOf,
  messagesWithin,
  withoutIds,
  withPut,
} from './message-list.ts'
import type { Realm } from './realm.ts'
import { withConversation, withDoubtAfterMove, withHistory, withMessages } from './realm-update.ts'

/** A page of a conversation's history, as of some moment during its request. */
export interface FetchedPage {
  readonly messages: readonly Message[]
  /** The conversation has nothing newer. */
  readonly newest: boolean
  /** The conversation has nothing older. */
  readonly oldest: boolean
  /** The id of the message before which the page ends; null if it ends with the newest. */
  readonly before: number | null
  /** Ids of messages loaded since before a gap in the events, and not confirmed since. */
  readonly stale: ReadonlySet<number>
}

/**
 * Adds a page of history, given the events that were applied between its request and its arrival.
 * The page may be from before or after these events, and nothing shows which. But every event
 * states a resulting value, so applying them (again) to the page gives the current state, at least
 * as new as the messages here, which it replaces. Messages that the page should contain but doesn't
 * are left to the events, since the page may be ahead of them; only those loaded since before a gap
 * in the events were deleted or moved without our knowing.
 */
export function withFetchedHistory(
  realm: Realm,
  conversation: Conversation,
  page: FetchedPage,
  since: readonly ChatEvent[],
): Realm {
  if (isDropped(realm, page.before, since))
    return withConversation(realm, conversation, { failure: null })
  const now = messagesSince(realm, page.messages, since)
  // The page's own messages too: one may be counted as unread at its old place.
  const replaced = page.messages.map(({ id }) => id)
  const without = withoutMessages(realm, [...ghosts(realm, conversation, page), ...replaced])
  const loaded = withoutGap(
    withoutOlder(without, conversation, firstUnconnected(realm, conversation, page)),
    conversation,
    replaced,
  )
  const full = withMessages(insertedLast(loaded, conversation), now)
  // A page that was dropped again, for want of room, must not come back without what was after it.
  const oldest = page.oldest && now.every(({ id }) => hasMessage(full.messages, id))
  const after = withHistory(full, conversation, { ...page, oldest, messages: [] })
  return since.reduce(
    (last, event) => (event.type === 'moved' ? withDoubtAfterMove(last, event) : last),
    after,
  )
}

/** A page around an older message, or next to the gap that such a page left. */
export interface FetchedPart {
  readonly messages: readonly Message[]
  /** The conversation has nothing older. */
  readonly oldest: boolean
  /** The conversation has nothing newer. */
  readonly newest: boolean
  /** Where it was asked for: around a message, or into the gap after or before its edge. */
  readonly at:
    | { readonly around: number }
    | { readonly after: number }
    | { readonly before: number }
}

/**
 * Adds a page apart from the newest messages. What is not loaded between the two stays noted as a
 * gap, of which there is one at most: an earlier page that is not connected to this one is dropped.
 */
export function withFetchedPart(
  realm: Realm,
  conversation: Conversation,
  { messages, oldest, newest, at }: FetchedPart,
  since: readonly ChatEvent[],
): Realm {
  const key = conversationKey(conversation)
  const { gap = null, history } = realm.conversations.get(key) ?? {}
  const ids = messages.map(({ id }) => id)
  // Whatever the page belonged to has changed meanwhile.
  if (history !== 'recent' || ids.length === 0) return realm
  if ('after' in at && at.after !== gap?.after) return realm
  if ('before' in at && at.before !== gap?.before) return realm
  const lowest = Math.min(...ids)
  const highest = Math.max(...ids)
  const own = allMessages(realm.messages).filter((message) => message.key === key)
  const recent = own.filter(({ id }) => id > (gap?.after ?? 0))
  const first = recent.reduce((least, { id }) => Math.min(least, id), Number.POSITIVE_INFINITY)
  const apart = own.filter(({ id }) => id < first)
  const isAround = 'around' in at
  const gone = isAround ? apart.map(({ id }) => id) : []
  const without = withoutMessages(realm, [...gone, ...ids])
  const full = withMessages(
    insertedLast(without, conversation),
    messagesSince(realm, messages, since),
  )
  const after = 'before' in at ? (gap?.after ?? 0) : highest
  const before = 'before' in at ? lowest : first
  const isClosed =
    'before' in at ? oldest || lowest <= after || apart.length === 0 : newest || highest >= first
  return withConversation(full, conversation, {
    gap: isClosed ? null : { after, before },
    ...(isAround ? { complete: oldest } : {}),
    failure: null,
  })
}

/** Moves a conversation's messages to the end of the insertion order: others are dropped first. */
function insertedLast(realm: Realm, conversation: Conversation): Realm {
  const key = conversationKey(conversation)
  const own = allMessages(realm.messages).filter((message) => message.key === key)
  const others = withoutIds(realm.messages, new Set(own.map(({ id }) => id)))
  return { ...realm, messages: withPut(others, own) }
}

/** Fetched messages after the events since their request, without those that were deleted. */
export function messagesSince(
  realm: Realm,
  messages: readonly Message[],
  since: readonly ChatEvent[],
): readonly Message[] {
  const { floor, ids } = realm.notified ?? { floor: Number.POSITIVE_INFINITY, ids: [] }
  return messages
    .map((message) => {
      // "Mark all as read" doesn't apply to messages sent after it.
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

/** Whether the message that an older page ends before is no longer loaded: it would leave a gap. */
function isDropped(realm: Realm, before: number | null, since: readonly ChatEvent[]): boolean {
  return (
    before !== null &&
    !hasMessage(realm.messages, before) &&
    !since.some((event) => messageIdsOf(event).includes(before))
  )
}

/**
 * The id below which messages here don't connect to the page: those in between came without events.
 * 0 if all do.
 */
function firstUnconnected(
  realm: Realm,
  conversation: Conversation,
  { messages, newest, oldest, stale }: FetchedPage,
): number {
  const key = conversationKey(conversation)
  const isStale = ({ id }: Message) => stale.has(id) && messageOf(realm.messages, id)?.key === key
  if (!newest || oldest || messages.length === 0 || messages.some(isStale)) return 0
  const from = Math.min(...messages.map(({ id }) => id))
  return messagesWithin(realm.messages, 0, from - 1).some(isStale) ? from : 0
}

/** A page that reaches over the gap closes it, and so does one before it: nothing is apart then. */
function withoutGap(realm: Realm, conversation: Conversation, ids: readonly number[]): Realm {
  const key = conversationKey(conversation)
  const gap = realm.conversations.get(key)?.gap ?? null
  if (gap === null) return realm
  const isApart = messagesWithin(realm.messages, 0, gap.after).some((one) => one.key === key)
  const isOver = ids.some((id) => id >= gap.before) && ids.some((id) => id <= gap.after)
  return isApart && !isOver ? realm : withConversation(realm, conversation, { gap: null })
}

/** Drops messages below this id, to be fetched again when somebody scrolls back to them. */
function withoutOlder(realm: Realm, conversation: Conversation, from: number): Realm {
  if (from === 0) return realm
  const key = conversationKey(conversation)
  const older = messagesWithin(realm.messages, 0, from - 1).filter((message) => message.key === key)
  const messages = withoutIds(realm.messages, new Set(older.map(({ id }) => id)))
  return withConversation({ ...realm, messages }, conversation, { complete: false, gap: null })
}
