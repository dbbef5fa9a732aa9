import type { ChatEvent } from './chat-event.ts'
import { type Conversation, type ConversationKey, conversationKey } from './conversation.ts'
import type { Message, MessageFlag } from './message.ts'
import type { Channel, ConversationInfo, Realm } from './realm.ts'
import {
  ascending,
  asRead,
  emptyConversation,
  withId,
  withMessages,
  withTold,
} from './realm-update.ts'

/** The realm after an event. Applying the same event again changes nothing. */
export function withEvent(realm: Realm, event: ChatEvent): Realm {
  switch (event.type) {
    case 'message':
      return withLiveMessage(realm, event.message)
    case 'edited':
      return withEdit(realm, event)
    case 'moved':
      return withMove(realm, event)
    case 'deleted':
      return withoutMessages(realm, event.messageIds)
    case 'flag':
      return withFlag(realm, event)
    case 'reaction':
      return withReaction(realm, event)
    case 'users':
      return { ...realm, users: withEntries(realm.users, event.users) }
    case 'userRenamed':
      return withUserName(realm, event.userId, event.name)
    case 'channels':
      return { ...realm, channels: withEntries(realm.channels, event.channels) }
    case 'channelsGone':
      return withoutChannels(realm, event.channelIds)
    case 'channelChanged':
      return withChannelChange(realm, event.channelId, event.change)
    case 'topicPolicy':
      return withTopicPolicy(realm, event)
    case 'mutedUsers':
      return { ...realm, mutedUsers: event.userIds }
    case 'settings':
      return { ...realm, settings: { ...realm.settings, ...event.change } }
    case 'restarted':
      return realm
  }
}

/** A message from the queue is told of once; the notice itself is made from `told` in notices.ts. */
function withLiveMessage(realm: Realm, message: Message): Realm {
  const held = realm.messages.get(message.id)
  const known = held === undefined ? withMessages(realm, [message]) : realm
  return withTold(known, [message.id])
}

function withEntries<T extends { readonly id: number }>(
  map: ReadonlyMap<number, T>,
  items: readonly T[],
): ReadonlyMap<number, T> {
  const next = new Map(map)
  for (const item of items) next.set(item.id, item)
  return next
}

function changeMessage(realm: Realm, id: number, change: (message: Message) => Message): Realm {
  const before = realm.messages.get(id)
  if (before === undefined) return realm
  const after = change(before)
  if (after === before) return realm
  return { ...realm, messages: new Map(realm.messages).set(id, after) }
}

function withEdit(realm: Realm, event: Extract<ChatEvent, { type: 'edited' }>): Realm {
  const edited = changeMessage(realm, event.messageId, (message) => ({
    ...message,
    html: event.html,
    text: event.text,
    editedAt: event.editedAt ?? message.editedAt,
    // The event's flags are our own flags after the edit: a new mention can come with it.
    flags: event.editedAt === null ? message.flags : event.flags,
  }))
  const message = edited.messages.get(event.messageId)
  return message === undefined ? edited : withMessages(edited, [message])
}

function withMove(realm: Realm, event: Extract<ChatEvent, { type: 'moved' }>): Realm {
  let next = realm
  for (const id of event.messageIds) {
    const message = next.messages.get(id)
    const from = message?.conversation ?? holder(next, id)
    if (from?.kind !== 'topic') continue
    const to: Conversation = {
      kind: 'topic',
      channelId: event.toChannelId ?? from.channelId,
      topic: event.toTopic ?? from.topic,
    }
    next = moveOne(next, id, from, to)
  }
  return next
}

function moveOne(realm: Realm, id: number, from: Conversation, to: Conversation): Realm {
  const fromKey = conversationKey(from)
  const toKey = conversationKey(to)
  const messages = new Map(realm.messages)
  const message = messages.get(id)
  if (message !== undefined) messages.set(id, { ...message, conversation: to, key: toKey })
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
  return { ...realm, messages, conversations: withoutEmpty(conversations) }
}

/** Where a message is that we hold only as an unread id. */
function holder(realm: Realm, id: number): Conversation | null {
  for (const info of realm.conversations.values())
    if (info.unread.includes(id)) return info.conversation
  return null
}

function lastIn(messages: ReadonlyMap<number, Message>, key: ConversationKey): number | null {
  let last: number | null = null
  for (const message of messages.values())
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
function withoutEmpty(
  conversations: Map<ConversationKey, ConversationInfo>,
): ReadonlyMap<ConversationKey, ConversationInfo> {
  for (const [key, info] of conversations)
    if (info.lastMessageId === null && info.unread.length === 0 && info.history === 'none')
      conversations.delete(key)
  return conversations
}

function withoutMessages(realm: Realm, ids: readonly number[]): Realm {
  const gone = new Set(ids)
  const messages = new Map(realm.messages)
  for (const id of gone) messages.delete(id)
  const conversations = new Map(realm.conversations)
  for (const [key, info] of conversations) {
    const touched =
      info.unread.some((id) => gone.has(id)) ||
      (info.lastMessageId !== null && gone.has(info.lastMessageId))
    if (!touched) continue
    conversations.set(key, {
      ...info,
      unread: info.unread.filter((id) => !gone.has(id)),
      mentions: info.mentions.filter((id) => !gone.has(id)),
      lastMessageId:
        info.lastMessageId !== null && gone.has(info.lastMessageId)
          ? lastIn(messages, key)
          : info.lastMessageId,
    })
  }
  return { ...realm, messages, conversations: withoutEmpty(conversations) }
}

function withFlag(realm: Realm, event: Extract<ChatEvent, { type: 'flag' }>): Realm {
  const ids = event.all ? [...realm.messages.keys()] : event.messageIds
  const messages = new Map(realm.messages)
  for (const id of ids) {
    const message = messages.get(id)
    if (message !== undefined) messages.set(id, flagged(message, event.flag, event.present))
  }
  const next = { ...realm, messages }
  if (event.flag !== 'read') return next
  return event.present ? asAllRead(next, event.all ? null : new Set(ids)) : asUnread(next, event)
}

function flagged(message: Message, flag: MessageFlag, present: boolean): Message {
  if (flag === 'read') return asRead(message, present)
  if (message.flags.includes(flag) === present) return message
  const others = message.flags.filter((other) => other !== flag)
  return { ...message, flags: present ? [...others, flag] : others }
}

/** `ids` null: everything, as the server says with `all: true` and an empty list. */
function asAllRead(realm: Realm, ids: ReadonlySet<number> | null): Realm {
  const conversations = new Map(realm.conversations)
  for (const [key, info] of conversations) {
    const stays = (id: number): boolean => ids !== null && !ids.has(id)
    if (info.unread.every(stays)) continue
    conversations.set(key, {
      ...info,
      unread: info.unread.filter(stays),
      mentions: info.mentions.filter(stays),
    })
  }
  return { ...realm, conversations }
}

function asUnread(realm: Realm, event: Extract<ChatEvent, { type: 'flag' }>): Realm {
  const conversations = new Map(realm.conversations)
  for (const { messageId, conversation, mentioned } of event.unread) {
    const key = conversationKey(conversation)
    const info = conversations.get(key) ?? emptyConversation(conversation)
    conversations.set(key, {
      ...info,
      unread: ascending([...info.unread, messageId]),
      mentions: mentioned ? ascending([...info.mentions, messageId]) : info.mentions,
      lastMessageId: Math.max(info.lastMessageId ?? 0, messageId),
    })
  }
  return { ...realm, conversations }
}

function withReaction(realm: Realm, event: Extract<ChatEvent, { type: 'reaction' }>): Realm {
  const { reaction, present } = event
  return changeMessage(realm, event.messageId, (message) => {
    const others = message.reactions.filter(
      (other) =>
        other.userId !== reaction.userId ||
        other.code !== reaction.code ||
        other.type !== reaction.type,
    )
    const had = others.length !== message.reactions.length
    if (had === present) return message
    return { ...message, reactions: present ? [...others, reaction] : others }
  })
}

function withUserName(realm: Realm, userId: number, name: string): Realm {
  const user = realm.users.get(userId)
  if (user === undefined) return realm
  return { ...realm, users: new Map(realm.users).set(userId, { ...user, name }) }
}

function withoutChannels(realm: Realm, ids: readonly number[]): Realm {
  const channels = new Map(realm.channels)
  for (const id of ids) channels.delete(id)
  return { ...realm, channels }
}

function withChannelChange(realm: Realm, id: number, change: Partial<Omit<Channel, 'id'>>): Realm {
  const channel = realm.channels.get(id)
  if (channel === undefined) return realm
  return { ...realm, channels: new Map(realm.channels).set(id, { ...channel, ...change }) }
}

function withTopicPolicy(
  realm: Realm,
  { key, policy }: Extract<ChatEvent, { type: 'topicPolicy' }>,
): Realm {
  const topicPolicies = new Map(realm.topicPolicies)
  if (policy === null) topicPolicies.delete(key)
  else topicPolicies.set(key, policy)
  return { ...realm, topicPolicies }
}
