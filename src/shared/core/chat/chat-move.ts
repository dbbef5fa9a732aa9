import { withId } from '../id-list.ts'
import type { ChatEvent } from './chat-event.ts'
import { type Conversation, type ConversationKey, conversationKey } from './conversation.ts'
import type { Message } from './message.ts'
import { allMessages, type MessageList, messageOf, withChanged } from './message-list.ts'
import type { ConversationInfo, Realm } from './realm.ts'
import { emptyConversation } from './realm-update.ts'

/** Moves that are remembered: a window or a draft that is still at the old place is from today. */
const maxMoves = 500

/** Messages moved to another topic or channel, with their unread counts. */
export function withMove(realm: Realm, event: Extract<ChatEvent, { type: 'moved' }>): Realm {
  let next = realm
  for (const id of event.messageIds) {
    const message = messageOf(next.messages, id)
    const from = message?.conversation ?? holder(next, id)
    const to = from && targetOf(from, event)
    if (from && to) next = moveOne(next, id, from, to)
  }
  return next
}

function targetOf(
  from: Conversation,
  { toChannelId, toTopic }: Extract<ChatEvent, { type: 'moved' }>,
): Conversation | null {
  if (from.kind !== 'topic') return null
  return { kind: 'topic', channelId: toChannelId ?? from.channelId, topic: toTopic ?? from.topic }
}

/** One message at the place that it was moved to. */
export function moved(message: Message, event: Extract<ChatEvent, { type: 'moved' }>): Message {
  const conversation = targetOf(message.conversation, event)
  if (conversation === null) return message
  return { ...message, conversation, key: conversationKey(conversation) }
}

function moveOne(realm: Realm, id: number, from: Conversation, to: Conversation): Realm {
  const fromKey = conversationKey(from)
  const toKey = conversationKey(to)
  const messages = withChanged(realm.messages, id, (message) => ({
    ...message,
    conversation: to,
    key: toKey,
  }))
  const conversations = new Map(realm.conversations)
  const old = conversations.get(fromKey)
  const unread = old?.unread.includes(id) ?? false
  const mention = old?.mentions.includes(id) ?? false
  if (old !== undefined && fromKey !== toKey)
    conversations.set(fromKey, withoutId(old, id, lastIn(messages, fromKey)))
  const info = conversations.get(toKey) ?? emptyConversation(to)
  conversations.set(toKey, {
    ...info,
    conversation: to,
    unread: withId(info.unread, id, unread),
    mentions: withId(info.mentions, id, mention),
    lastMessageId: Math.max(info.lastMessageId ?? 0, id),
  })
  const movedTo = new Map(realm.movedTo)
  // All that we know of it went: who is there, or writes there, goes with it.
  if (fromKey !== toKey && lastIn(messages, fromKey) === null) movedTo.set(fromKey, to)
  movedTo.delete(toKey)
  for (const oldest of movedTo.keys()) {
    if (movedTo.size <= maxMoves) break
    movedTo.delete(oldest)
  }
  return { ...realm, messages, conversations: withoutEmpty(conversations), movedTo }
}

/** Where a message is that we hold only as an unread id. */
function holder(realm: Realm, id: number): Conversation | null {
  for (const info of realm.conversations.values())
    if (info.unread.includes(id)) return info.conversation
  return null
}

/** The newest message held of a conversation. */
export function lastIn(messages: MessageList, key: ConversationKey): number | null {
  let last: number | null = null
  for (const message of allMessages(messages))
    if (message.key === key && message.id > (last ?? 0)) last = message.id
  return last
}

function withoutId(info: ConversationInfo, id: number, last: number | null): ConversationInfo {
  return {
    ...info,
    unread: withId(info.unread, id, false),
    mentions: withId(info.mentions, id, false),
    lastMessageId: info.lastMessageId === id ? last : info.lastMessageId,
  }
}

/** A conversation whose last message moved away or was deleted leaves the list. */
export function withoutEmpty(
  conversations: Map<ConversationKey, ConversationInfo>,
): ReadonlyMap<ConversationKey, ConversationInfo> {
  for (const [key, info] of conversations)
    if (info.lastMessageId === null && info.unread.length === 0 && info.history === 'none')
      conversations.delete(key)
  return conversations
}
