import { ascending } from '../id-list.ts'
import { withEntry } from '../identity.ts'
import { defined } from '../schemas.ts'
import type { ChatEvent } from './chat-event.ts'
import { type Conversation, type ConversationKey, conversationKey } from './conversation.ts'
import type { KeptForLater } from './kept-for-later.ts'

import type { Message } from './message.ts'
import { answered, edit, flagged, reacted, targetOf } from './message-after.ts'
import {
  allMessages,
  hasMessage,
  type MessageList,
  messageOf,
  withChanged,
  withoutIds,
} from './message-list.ts'
import { withServerPlaces } from './moved-places.ts'
import {
  type Channel,
  type ConversationInfo,
  isWhole,
  type OtherChannel,
  type Realm,
  type User,
} from './realm.ts'
import {
  addUnread,
  emptyConversation,
  newestKnown,
  withDoubtAfterMove,
  withDoubtAfterSubscribing,
  withFlagsOf,
  withGroup,
  withMessages,
  withNotified,
  withTyping,
  withUnreadIds,
} from './realm-update.ts'

/**
 * Applies a batch of events in order. Consecutive messages are applied in one step: after a long
 * sleep a batch holds thousands, and each step copies the maps that it changes.
 */
export function withEvents(realm: Realm, events: readonly ChatEvent[]): Realm {
  let next = realm
  let run: Message[] = []
  for (const event of events) {
    if (event.type === 'message') {
      run.push(event.message)
      continue
    }
    next = withEvent(withLiveMessages(next, run), event)
    run = []
  }
  return withLiveMessages(next, run)
}

/** Applies one event. Applying the same event again changes nothing. */
export function withEvent(realm: Realm, event: ChatEvent): Realm {
  switch (event.type) {
    case 'message':
      return withLiveMessages(realm, [event.message])
    case 'edited':
      return withEdit(realm, event)
    case 'moved':
      return withMove(realm, event)
    case 'deleted':
      return withDeleted(withoutMessages(realm, event.messageIds), event.messageIds)
    case 'flag':
      return withFlag(realm, event)
    case 'reaction':
      return changeMessage(realm, event.messageId, (message) => reacted(message, event))
    case 'submessage':
      return changeMessage(realm, event.messageId, (message) => answered(message, event.submessage))
    case 'users':
      return { ...realm, users: withEntries(realm.users, event.users) }
    case 'userChanged':
      return withUserChange(realm, event.userId, event.change)
    case 'channels':
      return withSubscriptions(withDoubtAfterSubscribing(realm, event.channels), event.channels)
    case 'channelsMade':
      return withChannelsMade(realm, event.channels)
    case 'channelsGone':
      return withoutChannels(realm, event.channelIds, event.deleted)
    case 'channelChanged':
      return withChannelChange(realm, event.channelId, event.change)
    case 'emoji':
      return { ...realm, emoji: event.emoji }
    case 'group':
      return withGroup(realm, event)
    case 'archived':
      return withArchived(realm, event.channelId, event.archived)
    case 'topicPolicy':
      return withTopicPolicy(realm, event)
    case 'typing':
      return withTyping(realm, event.key, event.userId, event.at)
    case 'mutedUsers':
      return { ...realm, mutedUsers: event.userIds }
    case 'settings':
      return { ...realm, settings: { ...realm.settings, ...event.change } }
    case 'rules':
      return { ...realm, rules: { ...realm.rules, ...event.change } }
    case 'scheduled':
    case 'snippets':
    case 'reminders':
      return { ...realm, later: withServerPlaces(realm, keptAfter(realm.later, event)) }
    case 'ownStatus':
      return { ...realm, ownStatus: { ...realm.ownStatus, ...event.change } }
    // The session handles these.
    case 'unreadable':
    case 'serverDrafts':
    case 'restarted':
      return realm
  }
}

/** Adds to `notified`: `events-between.ts` notifies of what is new there, so of each only once. */
function withLiveMessages(realm: Realm, messages: readonly Message[]): Realm {
  if (messages.length === 0) return realm
  const unknown = messages.filter(({ id }) => !hasMessage(realm.messages, id))
  const next = withMessages(realm, unknown)
  return withNotified(
    withoutMoves(next, unknown),
    messages.map(({ id }) => id),
  )
}

/** A topic that was moved away and is written in again is a conversation of its own. */
function withoutMoves(realm: Realm, arrived: readonly Message[]): Realm {
  if (!arrived.some(({ key }) => realm.movedTo.has(key))) return realm
  const movedTo = new Map(realm.movedTo)
  for (const { key } of arrived) movedTo.delete(key)
  return { ...realm, movedTo }
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
  const messages = withChanged(realm.messages, id, change)
  return messages === realm.messages ? realm : { ...realm, messages }
}

function withEdit(realm: Realm, event: Extract<ChatEvent, { type: 'edited' }>): Realm {
  const edited = changeMessage(realm, event.messageId, (message) => edit(message, event))
  const message = messageOf(edited.messages, event.messageId)
  if (message !== undefined) return withMessages(edited, [message])
  // Not loaded, but known as unread: the edit may have added a mention.
  const { messageId: id, flags } = event
  const [place] = event.editedAt === null ? [] : unreadApart(realm, [id])
  if (place === undefined || flags === null) return edited
  return withFlagsOf(edited, [{ id, flags, key: conversationKey(place.conversation) }])
}

/** Messages above this id were fetched; their own events are yet to come, after those received. */
export function newestNotified({ notified }: Pick<Realm, 'notified'>): number {
  return notified === null
    ? Number.POSITIVE_INFINITY
    : Math.max(notified.floor, notified.ids.at(-1) ?? 0)
}

export function withoutMessages(realm: Realm, ids: readonly number[]): Realm {
  const gone = new Set(ids)
  const messages = withoutIds(realm.messages, gone)
  const conversations = new Map(realm.conversations)
  for (const [key, info] of conversations) {
    const touched =
      info.unread.some((id) => gone.has(id)) ||
      (info.lastMessageId !== null && gone.has(info.lastMessageId))
    if (!touched) continue
    const left = withUnreadIds(info, (all) => all.filter((id) => !gone.has(id)))
    const lastMessageId = gone.has(info.lastMessageId ?? -1)
      ? lastLeft(messages, left)
      : info.lastMessageId
    conversations.set(key, { ...left, lastMessageId })
  }
  return { ...realm, messages, conversations: withoutEmpty(conversations) }
}

/** More than a window lists. */
const deletedKept = 1_000

function withDeleted(realm: Realm, ids: readonly number[]): Realm {
  const deleted = [...new Set([...ids, ...realm.deleted])].slice(0, deletedKept)
  return { ...realm, deleted }
}

function withFlag(realm: Realm, event: Extract<ChatEvent, { type: 'flag' }>): Realm {
  const newest = newestNotified(realm)
  const ids = event.all
    ? allMessages(realm.messages).flatMap(({ id }) => (id > newest ? [] : [id]))
    : event.messageIds
  const messages = ids.reduce(
    (list, id) => withChanged(list, id, (message) => flagged(message, event.flag, event.present)),
    realm.messages,
  )
  const next = { ...realm, messages }
  if (event.flag !== 'read') return next
  if (!event.present) return asUnread(next, event)
  const named = new Set(ids)
  return asAllRead(next, (id) => (event.all ? id > newest : !named.has(id)))
}

function asAllRead(realm: Realm, stays: (id: number) => boolean): Realm {
  const conversations = new Map(realm.conversations)
  for (const [key, info] of conversations) {
    if (info.unread.every(stays)) continue
    conversations.set(
      key,
      withUnreadIds(info, (all) => all.filter(stays)),
    )
  }
  return { ...realm, conversations }
}

function asUnread(realm: Realm, event: Extract<ChatEvent, { type: 'flag' }>): Realm {
  const conversations = new Map(realm.conversations)
  const loaded = event.messageIds.flatMap((id) => messageOf(realm.messages, id) ?? [])
  // Also those that we hold: servers before feature level 91 don't say where they are.
  addUnread(conversations, [
    ...event.unread,
    ...loaded.map(({ id, conversation }) => ({ messageId: id, conversation, mentioned: false })),
  ])
  return withFlagsOf({ ...realm, conversations }, loaded)
}

function withUserChange(realm: Realm, userId: number, change: Partial<Omit<User, 'id'>>): Realm {
  const user = realm.users.get(userId)
  if (user === undefined) return realm
  return { ...realm, users: new Map(realm.users).set(userId, { ...user, ...change }) }
}

function withSubscriptions(realm: Realm, subscribed: readonly Channel[]): Realm {
  const otherChannels = new Map(realm.otherChannels)
  for (const { id } of subscribed) otherChannels.delete(id)
  return { ...realm, channels: withEntries(realm.channels, subscribed), otherChannels }
}

/**
 * Keeps the names, for messages from there. Before level 378, a channel that is deleted while
 * we are subscribed was archived: from one that gets hidden, we are unsubscribed first.
 */
function withoutChannels(realm: Realm, ids: readonly number[], deleted: boolean): Realm {
  const channels = new Map(realm.channels)
  const otherChannels = new Map(realm.otherChannels)
  for (const id of ids) {
    const subscription = channels.get(id)
    const other = otherChannels.get(id)
    const known = subscription ?? other
    if (known === undefined) continue
    channels.delete(id)
    const archived = subscription === undefined ? other?.archived === true : deleted
    const kept = archived && deleted ? (subscription ?? other?.subscription) : undefined
    otherChannels.set(id, { id, name: known.name, archived, ...defined({ subscription: kept }) })
  }
  return { ...realm, channels, otherChannels }
}

/** Archiving ends no subscription, so a channel back from the archive gets its old one. */
function withChannelsMade(realm: Realm, made: readonly OtherChannel[]): Realm {
  const unknown = made.filter(({ id }) => !realm.channels.has(id))
  const back = unknown.flatMap(({ id, name, archived }) => {
    const subscription = archived ? undefined : realm.otherChannels.get(id)?.subscription
    return subscription === undefined ? [] : [{ ...subscription, name }]
  })
  const otherChannels = withEntries(realm.otherChannels, unknown)
  return withSubscriptions({ ...realm, otherChannels }, back)
}

function withArchived(realm: Realm, id: number, archived: boolean): Realm {
  const without = archived ? withoutChannels(realm, [id], true) : realm
  const other = without.otherChannels.get(id)
  if (other === undefined) return without
  if (!archived) return withChannelsMade(without, [{ id, name: other.name, archived }])
  const otherChannels = new Map(without.otherChannels).set(id, { ...other, archived })
  return { ...without, otherChannels }
}

function withChannelChange(realm: Realm, id: number, change: Partial<Omit<Channel, 'id'>>): Realm {
  const channel = realm.channels.get(id)
  const other = realm.otherChannels.get(id)
  if (channel === undefined && other !== undefined) {
    const { name = other.name } = change
    const subscription = other.subscription && { ...other.subscription, ...change }
    const changed = { ...other, name, ...defined({ subscription }) }
    return { ...realm, otherChannels: withEntry(realm.otherChannels, id, changed) }
  }
  if (channel === undefined) return realm
  return { ...realm, channels: new Map(realm.channels).set(id, { ...channel, ...change }) }
}

function withTopicPolicy(
  realm: Realm,
  { key, topic, policy }: Extract<ChatEvent, { type: 'topicPolicy' }>,
): Realm {
  const topicPolicies = withEntry(realm.topicPolicies, key, policy)
  return { ...realm, topicPolicies, topicNames: withEntry(realm.topicNames, key, topic) }
}

/** Number of moves remembered, for windows and drafts that are still at the old place. */
const maxMoves = 500

/**
 * Moves messages to another topic or channel. All of a conversation at once: one by one, each would
 * copy the maps, and a topic may have thousands of unread messages.
 */
function withMove(realm: Realm, event: Extract<ChatEvent, { type: 'moved' }>): Realm {
  let next = withDoubtAfterMove(realm, event)
  const known = event.messageIds.flatMap((id) => {
    const conversation = messageOf(next.messages, id)?.conversation
    return conversation === undefined ? [] : [{ id, conversation }]
  })
  const places = Map.groupBy(
    [...known, ...unreadApart(next, event.messageIds)],
    ({ conversation }) => conversationKey(conversation),
  )
  for (const [key, moved] of places) {
    const last = moved.at(-1)
    const to = last && targetOf(last.conversation, event)
    if (!to) continue
    next = withPlace(next, new Set(moved.map(({ id }) => id)), key, to)
    next = withLeft(next, key, to, event)
  }
  return next
}

/** If the whole conversation moved, remembers where to, for windows and drafts to follow. */
function withLeft(
  realm: Realm,
  key: ConversationKey,
  to: Conversation,
  { messageIds, isWhole: isAll }: Extract<ChatEvent, { type: 'moved' }>,
): Realm {
  const old = realm.conversations.get(key)
  if (old === undefined || key === conversationKey(to)) return realm
  const isEmpty = (isAll || isWhole(old)) && newestKnown(realm.messages, old) === null
  const conversations = new Map(realm.conversations)
  const movedTo = new Map(realm.movedTo)
  if (isEmpty) {
    conversations.delete(key)
    movedTo.set(key, to)
  } else if (messageIds.includes(old.lastMessageId ?? -1))
    conversations.set(key, { ...old, lastMessageId: lastLeft(realm.messages, old) })
  for (const oldest of movedTo.keys()) {
    if (movedTo.size <= maxMoves) break
    movedTo.delete(oldest)
  }
  return { ...realm, conversations, movedTo }
}

/** Puts messages of one conversation into another, with their unread state. */
function withPlace(
  realm: Realm,
  ids: ReadonlySet<number>,
  fromKey: ConversationKey,
  to: Conversation,
): Realm {
  const toKey = conversationKey(to)
  let { messages } = realm
  for (const id of ids)
    messages = withChanged(messages, id, (one) => ({ ...one, conversation: to, key: toKey }))
  const conversations = new Map(realm.conversations)
  const old = conversations.get(fromKey)
  const { unread, mentions, calls } = old ?? emptyConversation(to)
  const others = (all: readonly number[]) => all.filter((id) => !ids.has(id))
  if (old !== undefined) conversations.set(fromKey, withUnreadIds(old, others))
  const info = withUnreadIds(conversations.get(toKey) ?? emptyConversation(to), others)
  const joined = (there: readonly number[], all: readonly number[]) =>
    ascending(there.concat(all.filter((id) => ids.has(id))))
  conversations.set(toKey, {
    ...info,
    conversation: to,
    unread: joined(info.unread, unread),
    mentions: joined(info.mentions, mentions),
    calls: joined(info.calls, calls),
    lastMessageId: [...ids].reduce((most, id) => Math.max(most, id), info.lastMessageId ?? 0),
  })
  return { ...realm, messages, conversations, movedTo: withEntry(realm.movedTo, toKey, null) }
}

/**
 * The conversations in which messages are unread that aren't loaded there: they may have been fetched
 * where they were moved to, before the event of that came.
 */
function unreadApart({ messages, conversations }: Realm, ids: readonly number[]) {
  const asked = new Set(ids)
  return [...conversations].flatMap(([key, { conversation, unread }]) =>
    unread.flatMap((id) =>
      asked.has(id) && messageOf(messages, id)?.key !== key ? { id, conversation } : [],
    ),
  )
}

/**
 * The last message after others were removed. If there may be messages that we don't hold, the
 * removed id stays as an upper bound: a conversation must not leave the list while it has any.
 */
function lastLeft(messages: MessageList, info: ConversationInfo): number | null {
  return newestKnown(messages, info) ?? (isWhole(info) ? null : info.lastMessageId)
}

/** Removes conversations that have no messages left. */
function withoutEmpty(
  conversations: Map<ConversationKey, ConversationInfo>,
): ReadonlyMap<ConversationKey, ConversationInfo> {
  for (const [key, info] of conversations)
    if (info.lastMessageId === null && info.unread.length === 0 && info.history === 'none')
      conversations.delete(key)
  return conversations
}

/** Applies an event that adds, changes or removes items of a list. */
function keptAfter(
  later: KeptForLater,
  event: Extract<ChatEvent, { type: 'scheduled' | 'snippets' | 'reminders' }>,
): KeptForLater {
  const { type, put, removed, unreadable } = event
  const gone = new Set<number | null>([...removed, ...unreadable, ...put.map(({ id }) => id)])
  const others = later.unreadable[type].filter((id) => !gone.has(id))
  return {
    ...later,
    [type]: later[type] && [...later[type].filter(({ id }) => !gone.has(id)), ...put],
    unreadable: { ...later.unreadable, [type]: [...others, ...unreadable] },
  }
}
