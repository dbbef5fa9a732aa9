import { type AccountId, neverRead, withFailure } from '../account.ts'
import type { Failure } from '../failure.ts'
import { ascending, hasId, withId } from '../id-list.ts'
import { withEntry } from '../identity.ts'
import type { ChatEvent, RealmSnapshot, UnreadMessage } from './chat-event.ts'
import {
  type Conversation,
  type ConversationKey,
  conversationKey,
  topicKey,
} from './conversation.ts'
import type { KeptForLater } from './kept-for-later.ts'
import type { Message } from './message.ts'
import {
  allMessages,
  firstMessages,
  hasMessage,
  type MessageList,
  messageList,
  messagesWithin,
  withoutIds,
  withPut,
} from './message-list.ts'
import { withServerPlaces } from './moved-places.ts'
import type { Channel, ConversationInfo, Realm, RealmsSlice } from './realm.ts'

/** Messages kept per realm. A tray client needs a day's, not an archive. */
const maxMessages = 3_000
/** Ids of notified messages kept above the floor; see `withNotified`. */
const maxNotifiedIds = 500

export function withRealm<State extends RealmsSlice>(state: State, realm: Realm): State {
  return { ...state, realms: new Map(state.realms).set(realm.accountId, realm) }
}

/** Applies a change to a realm, if it (still) exists. */
export function changeRealm<State extends RealmsSlice>(
  state: State,
  accountId: AccountId,
  change: (realm: Realm) => Realm,
): State {
  const before = state.realms.get(accountId)
  if (before === undefined) return state
  const after = change(before)
  return after === before ? state : withRealm(state, after)
}

/** Changes what a realm keeps for later, as the server said it. */
export function withKept<State extends RealmsSlice>(
  state: State,
  accountId: AccountId,
  change: (kept: KeptForLater) => Partial<KeptForLater>,
): State {
  return changeRealm(state, accountId, (realm) => ({
    ...realm,
    later: withServerPlaces(realm, { ...realm.later, ...change(realm.later) }),
  }))
}

/** Shared: a realm may have fifty thousand conversations. */
const noIds: readonly number[] = []

export function emptyConversation(conversation: Conversation): ConversationInfo {
  return {
    conversation,
    unread: noIds,
    mentions: noIds,
    calls: noIds,
    lastMessageId: null,
    history: 'none',
    complete: false,
    failure: null,
  }
}

/**
 * A new registration: the snapshot replaces the previous state, since events in the gap are lost.
 * Held messages stay on the screen, but no conversation counts as complete up to now until its
 * newest messages are fetched again.
 */
export function withSnapshot(realm: Realm, snapshot: RealmSnapshot): Realm {
  const { unread: listed, recentDirect, ...others } = snapshot
  const { maxMessageId: _newest, longpollTimeoutMs: _longest, ...known } = others
  const conversations = new Map<ConversationKey, ConversationInfo>()
  for (const [key, info] of realm.conversations)
    if (info.lastMessageId !== null)
      conversations.set(key, {
        ...info,
        unread: [],
        mentions: [],
        calls: [],
        history: 'none',
        // Older messages may have been moved here during the gap.
        complete: false,
      })
  for (const { conversation, lastMessageId } of recentDirect) {
    const key = conversationKey(conversation)
    const info = conversations.get(key) ?? emptyConversation(conversation)
    conversations.set(key, {
      ...info,
      lastMessageId: Math.max(lastMessageId, info.lastMessageId ?? 0),
    })
  }
  addUnread(conversations, listed)
  const unread = new Set(listed.map(({ messageId }) => messageId))
  const next = { ...realm, ...known }
  return {
    ...next,
    later: withServerPlaces(next, known.later),
    phase: 'live',
    // Not live until the gap in the events is filled, which may wait for the request budget.
    freshness: { ...realm.freshness, intervalMs: 0 },
    typing: new Map(),
    messages: messageList(allMessages(realm.messages).map((m) => asRead(m, !unread.has(m.id)))),
    conversations,
    notified: realm.notified ?? { floor: newestId(snapshot), ids: [] },
  }
}

/** If the server doesn't report its newest message, everything it lists is the baseline. */
function newestId(snapshot: RealmSnapshot): number {
  const listed = [
    ...snapshot.unread.map(({ messageId }) => messageId),
    ...snapshot.recentDirect.map(({ lastMessageId }) => lastMessageId),
  ]
  return snapshot.maxMessageId ?? listed.reduce((most, id) => Math.max(most, id), 0)
}

export function addUnread(
  conversations: Map<ConversationKey, ConversationInfo>,
  unread: readonly UnreadMessage[],
): void {
  const byKey = Map.groupBy(unread, ({ conversation }) => conversationKey(conversation))
  for (const [key, items] of byKey) {
    const info = conversations.get(key) ?? emptyConversation(items[0]?.conversation ?? nowhere)
    const ids = items.map(({ messageId }) => messageId)
    const mentioned = items.filter((item) => item.mentioned).map(({ messageId }) => messageId)
    conversations.set(key, {
      ...info,
      unread: withMore(info.unread, ids),
      mentions: withMore(info.mentions, mentioned),
      lastMessageId: ids.reduce((most, id) => Math.max(most, id), info.lastMessageId ?? 0),
    })
  }
}

function withMore(known: readonly number[], ids: readonly number[]): readonly number[] {
  if (ids.length === 0) return known
  return ascending(known.length === 0 ? ids : known.concat(ids))
}

const nowhere: Conversation = { kind: 'direct', userIds: [] }

export function asRead(message: Message, read: boolean): Message {
  if (message.flags.includes('read') === read) return message
  const others = message.flags.filter((flag) => flag !== 'read')
  return { ...message, flags: read ? [...others, 'read'] : others }
}

/**
 * Adds or replaces messages, and updates unread ids, last message and order. Doesn't decide what is
 * notified: see `withNotified`.
 */
export function withMessages(realm: Realm, incoming: readonly Message[]): Realm {
  if (incoming.length === 0) return realm
  const conversations = new Map(realm.conversations)
  for (const [key, messages] of Map.groupBy(incoming, (message) => message.key))
    conversations.set(key, withMessagesIn(conversations.get(key), messages))
  const all = withPut(realm.messages, incoming)
  const dropped = surplusOf(all)
  const messages = withoutIds(all, new Set(dropped.map(({ id }) => id)))
  return { ...realm, messages, conversations: withoutForgotten(conversations, messages, dropped) }
}

/** In one step: a conversation may have fifty thousand unread messages, copied at each step. */
function withMessagesIn(
  known: ConversationInfo | undefined,
  messages: readonly Message[],
): ConversationInfo {
  const newest = messages.reduce((one, other) => (other.id >= one.id ? other : one))
  const info = known ?? emptyConversation(newest.conversation)
  const isNewest = newest.id >= (info.lastMessageId ?? 0)
  const ids = messages.map(({ id }) => id)
  const unread = messages.filter(({ flags }) => !flags.includes('read'))
  return {
    ...info,
    // The newest spelling of a topic wins, as on the server.
    conversation: isNewest ? newest.conversation : info.conversation,
    unread: withIds(info.unread, ids, unread),
    mentions: withIds(info.mentions, ids, unread.filter(isMention)),
    calls: withIds(info.calls, ids, unread.filter(isCall)),
    lastMessageId: isNewest ? newest.id : info.lastMessageId,
  }
}

/** Removes `ids` from the known ones, then adds those of `present`. */
function withIds(
  known: readonly number[],
  ids: readonly number[],
  present: readonly Message[],
): readonly number[] {
  const changed = new Set(ids)
  const others = known.some((id) => changed.has(id))
    ? known.filter((id) => !changed.has(id))
    : known
  return present.length === 0 ? others : ascending(others.concat(present.map(({ id }) => id)))
}

type Flagged = Pick<Message, 'id' | 'key' | 'flags'>

function isMention({ flags }: Flagged): boolean {
  return flags.includes('mentioned')
}

/** What else is for me: @all, @topic and alert words. */
function isCall(message: Flagged): boolean {
  const { flags } = message
  return !isMention(message) && (flags.includes('wildcardMentioned') || flags.includes('alerted'))
}

/**
 * Adds what a registration doesn't tell about unread messages: which have an alert word, and which
 * mention everybody in a muted place. Takes only the flags of these messages, since they may be in
 * the middle of a history that isn't loaded.
 */
export function withFlagsOf(realm: Realm, messages: readonly Flagged[]): Realm {
  const conversations = new Map(realm.conversations)
  for (const message of messages) {
    const info = conversations.get(message.key)
    if (info === undefined || !hasId(info.unread, message.id)) continue
    conversations.set(message.key, {
      ...info,
      mentions: withId(info.mentions, message.id, isMention(message)),
      calls: withId(info.calls, message.id, isCall(message)),
    })
  }
  return { ...realm, conversations }
}

/** Applies a change to all lists of unread ids. */
export function withUnreadIds(
  info: ConversationInfo,
  change: (ids: readonly number[]) => readonly number[],
): ConversationInfo {
  const { unread, mentions, calls } = info
  return { ...info, unread: change(unread), mentions: change(mentions), calls: change(calls) }
}

/**
 * Messages above the limit: those inserted first, not those with the lowest ids, since what was
 * just fetched of an old conversation is being read. If a conversation loses some, all its older
 * ones go too, so that no gap is left.
 */
function surplusOf(messages: MessageList): readonly Message[] {
  const surplus = messages.size - maxMessages
  if (surplus <= 0) return []
  const first = firstMessages(messages, surplus)
  const newest = new Map<ConversationKey, number>()
  for (const { id, key } of first) newest.set(key, Math.max(id, newest.get(key) ?? 0))
  // Most messages are newer than all of these: skips them.
  const older = messagesWithin(messages, 0, Math.max(...newest.values()))
  return [...first, ...older.filter(({ id, key }) => id < (newest.get(key) ?? 0))]
}

/**
 * Updates conversations that lost messages. A topic with nothing left and nothing unread leaves the
 * list: over weeks a realm gets thousands. Direct conversations stay, as the server lists them too.
 */
function withoutForgotten(
  conversations: Map<ConversationKey, ConversationInfo>,
  messages: MessageList,
  dropped: readonly Message[],
): ReadonlyMap<ConversationKey, ConversationInfo> {
  const touched = new Set(dropped.map(({ key }) => key))
  if (touched.size === 0) return conversations
  const loaded = loadedOf(touched, messages)
  for (const key of touched) {
    const info = conversations.get(key)
    if (info === undefined) continue
    const isForgotten = !loaded.has(key) && info.conversation.kind === 'topic'
    if (isForgotten && info.unread.length === 0) conversations.delete(key)
    else
      conversations.set(key, {
        ...info,
        complete: false,
        history: loaded.has(key) || info.history === 'loading' ? info.history : 'none',
      })
  }
  return conversations
}

/** Which conversations still have a message; usually the first chunks have one of each. */
function loadedOf(
  keys: ReadonlySet<ConversationKey>,
  messages: MessageList,
): ReadonlySet<ConversationKey> {
  const loaded = new Set<ConversationKey>()
  for (const chunk of messages.chunks) {
    for (const { key } of chunk.messages) if (keys.has(key)) loaded.add(key)
    if (loaded.size === keys.size) break
  }
  return loaded
}

/**
 * Marks messages as notified. Ids above the floor are kept individually, since the server may
 * commit a lower id after a higher one; the floor rises only far behind.
 */
export function withNotified(realm: Realm, ids: readonly number[]): Realm {
  const notified = realm.notified ?? { floor: 0, ids: [] }
  const fresh = ids.filter((id) => id > notified.floor && !hasId(notified.ids, id))
  if (fresh.length === 0) return realm
  const all = ascending(notified.ids.concat(fresh))
  const surplus = all.length - maxNotifiedIds
  const floor = surplus > 0 ? (all[surplus - 1] ?? notified.floor) : notified.floor
  return { ...realm, notified: { floor, ids: surplus > 0 ? all.slice(surplus) : all } }
}

/** Messages sent to a channel before we subscribed came without events. */
export function withDoubtAfterSubscribing(realm: Realm, subscribed: readonly Channel[]): Realm {
  const ids = new Set(subscribed.map(({ id }) => id).filter((id) => !realm.channels.has(id)))
  return withDoubt(realm, ids.size > 0, ({ channelId }) => ids.has(channelId))
}

/** Messages that we don't hold were moved to topics whose history we may consider complete. */
export function withDoubtAfterMove(
  realm: Realm,
  { messageIds, toChannelId, toTopic }: Extract<ChatEvent, { type: 'moved' }>,
): Realm {
  return withDoubt(
    realm,
    messageIds.some((id) => !hasMessage(realm.messages, id)),
    ({ channelId, topic }) =>
      channelId === (toChannelId ?? channelId) && topicKey(topic) === topicKey(toTopic ?? topic),
  )
}

/** Has the histories of these topics fetched again when they are shown. */
function withDoubt(
  realm: Realm,
  isDoubtful: boolean,
  includes: (topic: Extract<Conversation, { kind: 'topic' }>) => boolean,
): Realm {
  if (!isDoubtful) return realm
  const conversations = new Map(realm.conversations)
  for (const [key, info] of conversations)
    if (
      info.history === 'recent' &&
      info.conversation.kind === 'topic' &&
      includes(info.conversation)
    )
      conversations.set(key, { ...info, history: 'none', complete: false })
  return { ...realm, conversations }
}

/** The newest message of a conversation that we hold, or know to be unread. */
export function newestKnown(
  messages: MessageList,
  { conversation, unread }: ConversationInfo,
): number | null {
  const key = conversationKey(conversation)
  let newest = unread.at(-1) ?? 0
  for (const message of allMessages(messages))
    if (message.key === key && message.id > newest) newest = message.id
  return newest === 0 ? null : newest
}

/** Adds older or newest messages of a conversation, as fetched from its history. */
export function withHistory(
  realm: Realm,
  conversation: Conversation,
  history: { readonly messages: readonly Message[]; newest: boolean; oldest: boolean },
): Realm {
  const key = conversationKey(conversation)
  // A message from the event stream is newer than a fetch that was in flight.
  const unknown = history.messages.filter(({ id }) => !hasMessage(realm.messages, id))
  const next = withMessages(realm, unknown)
  const info = next.conversations.get(key) ?? emptyConversation(conversation)
  const conversations = new Map(next.conversations).set(key, {
    ...info,
    ...(history.newest
      ? { history: 'recent', lastMessageId: newestKnown(next.messages, info) }
      : {}),
    complete: info.complete || history.oldest,
    failure: null,
  })
  return { ...next, conversations }
}

export function withConversation(
  realm: Realm,
  conversation: Conversation,
  change: Partial<ConversationInfo>,
): Realm {
  const key = conversationKey(conversation)
  const info = realm.conversations.get(key) ?? emptyConversation(conversation)
  return {
    ...realm,
    conversations: new Map(realm.conversations).set(key, { ...info, ...change }),
  }
}

/** The queue answered: the realm is up to date, and the next answer is due within `intervalMs`. */
export function withRealmAlive(realm: Realm, at: number, intervalMs: number): Realm {
  const { lastFailure } = realm.freshness
  return { ...realm, freshness: { ...neverRead, readAt: at, intervalMs, lastFailure } }
}

export function withRealmFailed(realm: Realm, failure: Failure, now: number): Realm {
  return { ...realm, freshness: withFailure(realm.freshness, failure, now) }
}

/** `at`: since when somebody has been typing in a direct conversation; null: stopped. */
export function withTyping(
  realm: Realm,
  key: ConversationKey,
  userId: number,
  at: number | null,
): Realm {
  const people = withEntry(realm.typing.get(key), userId, at)
  return { ...realm, typing: withEntry(realm.typing, key, people) }
}

export function withGroup(
  realm: Realm,
  { groupId, change, added = [], removed = [] }: Extract<ChatEvent, { type: 'group' }>,
): Realm {
  const group = { hasMe: false, subgroups: [], ...realm.groups.get(groupId), ...change }
  const subgroups = group.subgroups.filter((id) => !removed.includes(id) && !added.includes(id))
  const changed = { ...group, subgroups: [...subgroups, ...added] }
  return { ...realm, groups: withEntry(realm.groups, groupId, changed) }
}
