import type { AccountId } from '../account.ts'
import { silenceOnConversation } from '../attention/silence.ts'
import { conversationTitle, userName } from '../chat/chat-names.ts'
import {
  type Conversation,
  type ConversationKey,
  conversationKey,
  conversationOf,
} from '../chat/conversation.ts'
import { draftConversation, draftKey } from '../chat/drafts.ts'
import { isMuted, mutedWords } from '../chat/interruption.ts'
import { allMessages, messageOf } from '../chat/message-list.ts'
import type { OutboxMessage } from '../chat/outbox.ts'
import type { ConversationInfo, Realm } from '../chat/realm.ts'
import { emptyConversation } from '../chat/realm-update.ts'
import type { AppState } from '../state.ts'
import { withoutPiles } from '../visible-text.ts'
import { compareNames } from '../wording.ts'

/** `you`: direct messages and mentions for me; `unread`: other unread; `recent`: read, or muted. */
export type ChatGroup = 'you' | 'unread' | 'recent'

/** One line of the chat list. */
export interface ChatRow {
  /** Unique over all realms: the conversation's `draftKey`. */
  readonly id: string
  readonly accountId: AccountId
  readonly conversation: Conversation
  readonly title: string
  readonly group: ChatGroup
  /** `sender` is '' for someone muted. */
  readonly preview: { readonly sender: string; readonly text: string } | null
  /** When the newest message we hold was sent; null if we hold none. */
  readonly at: number | null
  /** Unread messages that count: in a muted topic only mentions. */
  readonly unread: number
  readonly mention: boolean
  readonly muted: boolean
  readonly followed: boolean
  /** Unsent text typed here; null if there is none. */
  readonly draft: string | null
  /** One of our messages is waiting for the network. */
  readonly waiting: boolean
  /** One of our messages needs a decision: it was refused or lost, or it may have arrived. */
  readonly problem: 'rejected' | 'unconfirmed' | null
}

export interface UnreadTotals {
  /** All that aren't muted, and direct mentions even if muted. */
  readonly unread: number
  /** Those for me: mentions and alert words. Direct messages count as unread only. */
  readonly mentions: number
}

/**
 * Counts by the web app's rules: in muted topics, only direct mentions. The list, the tabs and the
 * tray all use this, so they can't disagree.
 */
export function unreadTotals(realm: Realm): UnreadTotals {
  let unread = 0
  let mentions = 0
  for (const [key, info] of realm.conversations) {
    unread += countedUnread(realm, key, info)
    mentions += countedForMe(realm, key, info)
  }
  return { unread, mentions }
}

function countedUnread(realm: Realm, key: ConversationKey, info: ConversationInfo): number {
  if (info.unread.length === 0) return 0
  const { conversation } = info
  if (!isMuted(realm, { conversation, key })) return info.unread.length
  // A muted topic lets mentions through, a muted person nothing.
  return conversation.kind === 'direct' ? 0 : info.mentions.length
}

/** The same for live messages and for those of a registration, which doesn't list alert words. */
function countedForMe(realm: Realm, key: ConversationKey, info: ConversationInfo): number {
  const { conversation, mentions, calls } = info
  if (mentions.length + calls.length === 0) return 0
  if (!isMuted(realm, { conversation, key })) return mentions.length + calls.length
  return conversation.kind === 'direct' ? 0 : mentions.length
}

/** Ranks in the list, first to last: see `chatRows`. */
const ranks = { you: 0, followed: 1, unread: 2, recent: 3, mutedPerson: 4 } as const

interface Ranked extends Pick<ChatRow, 'group' | 'unread' | 'mention' | 'followed'> {
  readonly realm: Realm
  readonly key: ConversationKey
  readonly info: ConversationInfo
  /** Our own messages not yet confirmed there. */
  readonly outbox: readonly OutboxMessage[]
  readonly rank: number
  readonly sortAt: number
}

/**
 * The conversations of all realms: mentions and unread direct messages first, then unread topics
 * (followed ones before the others), then recent ones and muted topics, then those with a muted
 * person; newest first within each. Includes conversations that have only a draft or a message in
 * trouble.
 */
export function chatRows(state: AppState): readonly ChatRow[] {
  return ranked(state).map((one) => row(state, one))
}

/** Followed topics in the same order, including those without any loaded message. */
export function followedRows(state: AppState): readonly ChatRow[] {
  const all = [...state.realms.values()].flatMap((realm) => {
    const keys = [...realm.topicPolicies].filter(([, policy]) => policy === 'followed')
    const topics = keys
      .flatMap(([key]) => conversationOf(key) ?? [])
      .map((topic) => spelled(state, realm, topic))
    return rankedIn(state, realm, topics).filter(({ followed }) => followed)
  })
  return inOrder(all).map((one) => row(state, one))
}

/** The given topics of a channel and those with messages loaded here, newest first. */
export function topicRows(
  state: AppState,
  { accountId, channelId }: ChannelRow,
  topics: readonly string[],
): readonly ChatRow[] {
  const realm = state.realms.get(accountId)
  if (realm === undefined) return []
  const listed = topics.map((topic): Conversation => ({ kind: 'topic', channelId, topic }))
  const places = new Map(listed.map((topic, at) => [conversationKey(topic), at]))
  const placeOf = ({ key, info }: Ranked): number =>
    info.unread.length > 0 ? -1 : (places.get(key) ?? -1)
  return rankedIn(state, realm, listed)
    .filter(({ info: { conversation } }) => isIn(conversation, channelId))
    .sort((a, b) => placeOf(a) - placeOf(b))
    .map((one) => row(state, one))
}

function isIn(conversation: Conversation, channelId: number): boolean {
  return conversation.kind === 'topic' && conversation.channelId === channelId
}

/** A channel in the list of channels. */
export interface ChannelRow extends Pick<ChatRow, 'id' | 'accountId' | 'title' | 'muted'> {
  readonly channelId: number
  /** As in `ChatRow`, for all its topics. */
  readonly unread: number
  readonly mention: boolean
}

/** The subscribed channels of all realms by name, muted ones last. */
export function channelRows({ realms }: Pick<AppState, 'realms'>): readonly ChannelRow[] {
  const all = [...realms.values()].flatMap((realm) => {
    const counts = new Map<number, { unread: number; mention: boolean }>()
    for (const [key, info] of realm.conversations) {
      const { conversation } = info
      const unread = countedUnread(realm, key, info)
      if (conversation.kind === 'direct' || unread === 0) continue
      const known = counts.get(conversation.channelId)
      counts.set(conversation.channelId, {
        unread: unread + (known?.unread ?? 0),
        mention: known?.mention === true || countedForMe(realm, key, info) > 0,
      })
    }
    return [...realm.channels.values()].map(({ id, name, muted }) => ({
      id: `channel/${realm.accountId}/${id}`,
      accountId: realm.accountId,
      channelId: id,
      title: `# ${name}`,
      muted,
      unread: 0,
      mention: false,
      ...counts.get(id),
    }))
  })
  return all.sort((a, b) => Number(a.muted) - Number(b.muted) || compareNames(a.title, b.title))
}

/** The first rows that have unread messages and aren't silenced in Belfry; creates no others. */
export function firstUnreadRows(state: AppState, now: number, most: number): readonly ChatRow[] {
  const wanted = ranked(state).filter(({ unread, realm: { accountId }, key, info }) => {
    const { conversation } = info
    const channelId = conversation.kind === 'topic' ? conversation.channelId : null
    return (
      unread > 0 && silenceOnConversation(state.silences, accountId, key, channelId, now) === null
    )
  })
  return wanted.slice(0, most).map((one) => row(state, one))
}

function ranked(state: AppState): readonly Ranked[] {
  return inOrder([...state.realms.values()].flatMap((realm) => rankedIn(state, realm)))
}

function inOrder(all: readonly Ranked[]): readonly Ranked[] {
  return all.toSorted((a, b) => a.rank - b.rank || b.sortAt - a.sortAt)
}

/** Includes `more`, conversations that may be unknown so far. */
function rankedIn(state: AppState, realm: Realm, more: readonly Conversation[] = []): Ranked[] {
  const infos = new Map<ConversationKey, ConversationInfo>(realm.conversations)
  const add = (conversation: Conversation): void => {
    const key = conversationKey(conversation)
    if (!infos.has(key)) infos.set(key, emptyConversation(conversation))
  }
  for (const conversation of more) add(conversation)
  const ours = state.outbox.filter(({ accountId }) => accountId === realm.accountId)
  for (const message of ours) add(message.conversation)
  const outboxes = Map.groupBy(ours, ({ conversation }) => conversationKey(conversation))
  for (const key of state.drafts.keys()) {
    const conversation = draftConversation(realm.accountId, key)
    if (conversation !== null) add(spelled(state, realm, conversation))
  }
  const newestFirst = [...infos].sort(
    ([, a], [, b]) => (b.lastMessageId ?? 0) - (a.lastMessageId ?? 0),
  )
  const found: Ranked[] = []
  // Ids of different realms can't be compared, so realms are merged by time. A message that we
  // don't hold gets the time of the next newer one: ids and times increase together.
  let sortAt: number | null = null
  for (const [key, info] of newestFirst) {
    const last = messageOf(realm.messages, info.lastMessageId ?? -1)
    sortAt = last?.sentAt ?? sortAt ?? newestKnown(realm)
    const outbox = outboxes.get(key) ?? []
    const echoAt = outbox.at(-1)?.queuedAt ?? 0
    const unread = countedUnread(realm, key, info)
    const mention = countedForMe(realm, key, info) > 0
    const followed = realm.topicPolicies.get(key) === 'followed'
    const forYou = mention || (info.conversation.kind === 'direct' && unread > 0)
    const group = forYou ? 'you' : unread > 0 ? 'unread' : 'recent'
    const rank = rankOf(realm, key, info.conversation, { group, followed })
    const counted = { group, unread, mention, followed, rank } as const
    found.push({ ...counted, realm, key, info, outbox, sortAt: Math.max(sortAt, echoAt) })
  }
  return found
}

function rankOf(
  realm: Realm,
  key: ConversationKey,
  conversation: Conversation,
  { group, followed }: Pick<ChatRow, 'group' | 'followed'>,
): number {
  if (conversation.kind === 'direct' && isMuted(realm, { conversation, key }))
    return ranks.mutedPerson
  return group === 'unread' && followed ? ranks.followed : ranks[group]
}

/** Restores a topic's case, which keys lack: a message sent in lower case would rename it. */
function spelled({ draftLinks }: AppState, realm: Realm, lower: Conversation): Conversation {
  const topic = realm.topicNames.get(conversationKey(lower))
  if (lower.kind === 'topic' && topic !== undefined) return { ...lower, topic }
  return draftLinks.get(draftKey(realm.accountId, lower))?.conversation ?? lower
}

function newestKnown(realm: Realm): number {
  let newest = 0
  for (const message of allMessages(realm.messages)) newest = Math.max(newest, message.sentAt)
  return newest
}

function row(state: AppState, one: Ranked): ChatRow {
  const { realm, key, info, outbox, group, unread, mention, followed } = one
  const { conversation } = info
  const last = messageOf(realm.messages, info.lastMessageId ?? -1)
  const id = draftKey(realm.accountId, conversation)
  return {
    id,
    accountId: realm.accountId,
    conversation,
    title: conversationTitle(realm, conversation),
    group,
    preview:
      last === undefined
        ? null
        : realm.mutedUsers.includes(last.senderId)
          ? { sender: '', text: mutedWords }
          : {
              sender: last.isMe ? 'You' : userName(realm, last.senderId),
              text: withoutPiles(last.text),
            },
    at: last?.sentAt ?? null,
    unread,
    mention,
    muted: isMuted(realm, { conversation, key }),
    followed,
    draft: (state.drafts.get(id) ?? '').trim() || null,
    waiting: outbox.some(waits),
    problem: problemOf(outbox),
  }
}

/** Not during the first attempt, which usually takes only a moment. */
function waits({ state, attempts }: OutboxMessage): boolean {
  return state === 'queued' || (state === 'sending' && attempts > 1)
}

function problemOf(outbox: readonly OutboxMessage[]): ChatRow['problem'] {
  const states = outbox.map(({ state }) => state)
  if (states.includes('rejected') || outbox.some(({ missing }) => missing?.isSure === true))
    return 'rejected'
  return states.includes('unconfirmed') ? 'unconfirmed' : null
}
