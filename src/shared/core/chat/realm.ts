import { type AccountId, type Freshness, neverRead } from '../account.ts'
import type { Failure } from '../failure.ts'
import { memoized } from '../identity.ts'
import type { ChatLimits } from '../text-length.ts'
import type { Conversation, ConversationKey } from './conversation.ts'
import { type KeptForLater, nothingKept } from './kept-for-later.ts'
import { type MessageList, noMessages } from './message-list.ts'
import { noStatus, type OwnStatus } from './own-status.ts'
import type { ServerLevel } from './server-level.ts'

export interface User {
  readonly id: number
  readonly name: string
  readonly isBot: boolean
  /** The server itself, such as its Notification Bot. */
  readonly isSystem?: boolean
  /** The account was deactivated: nothing can be sent to it. */
  readonly isFormer?: boolean
}

/** A channel we are subscribed to. `null` settings are inherited from `ChatSettings`. */
export interface Channel {
  readonly id: number
  readonly name: string
  readonly muted: boolean
  readonly desktopNotifications: boolean | null
  readonly audibleNotifications: boolean | null
  readonly wildcardMentionsNotify: boolean | null
  /** Who may post in it. */
  readonly maySend?: Allowed
  /** The same, before feature level 333; later servers still send it, rounded to a role. */
  readonly postPolicy?: Allowed
  /** Absent: the realm's rule applies. */
  readonly emptyTopic?: TopicRule | null
}

/**
 * Who may do something: a user group by id, a system group by name, or certain users and groups;
 * null: everybody, or unknown.
 */
export type Allowed =
  | number
  | `role:${string}`
  | { readonly users: readonly number[]; readonly groups: readonly number[] }
  | null

/** Whether messages may or must have an empty topic. */
export type TopicRule = 'allowed' | 'refused' | 'only'

/** Permissions set by the realm's administrators. */
export interface RealmRules {
  /** Who may notify more than 15 people with one mention. */
  readonly mentionMany: Allowed
  /** One of these must take part in a direct conversation. */
  readonly direct: Allowed
  /** Who may start a direct conversation. */
  readonly startDirect: Allowed
  readonly emptyTopic: TopicRule
}

/** A channel that we aren't subscribed to, or that is archived: its old messages still name it. */
export interface OtherChannel {
  readonly id: number
  readonly name: string
  readonly archived: boolean
  /** Kept for an archived channel, which gets it back when restored. */
  readonly subscription?: Channel
}

export type TopicPolicy = 'muted' | 'unmuted' | 'followed'

/** The user's own chat settings that decide what may interrupt. */
export interface ChatSettings {
  readonly desktopNotifications: boolean
  readonly channelDesktopNotifications: boolean
  readonly followedTopicDesktopNotifications: boolean
  readonly wildcardMentionsNotify: boolean
  readonly followedTopicWildcardMentionsNotify: boolean
  readonly sounds: boolean
  readonly channelSounds: boolean
  readonly followedTopicSounds: boolean
  readonly showDirectMessageText: boolean
  /** Off: messages are marked as read by hand only. */
  readonly markReadWhenSeen: boolean
  /** Off: drafts aren't kept on the server. */
  readonly syncsDrafts: boolean
}

/** What is known of a conversation. Kept for those with unread messages and those seen recently. */
export interface ConversationInfo {
  readonly conversation: Conversation
  /** Ids, ascending. */
  readonly unread: readonly number[]
  /** The unread ones that mention me by name, ascending: they count wherever they are. */
  readonly mentions: readonly number[]
  /** The other unread ones for me (@all, @topic, alert words), ascending: they count unless muted. */
  readonly calls: readonly number[]
  readonly lastMessageId: number | null
  /** `recent`: `messages` has the newest ones without a gap. */
  readonly history: 'none' | 'loading' | 'recent'
  /** The first message of the conversation is loaded. */
  readonly complete: boolean
  /**
   * Messages between these two are not loaded: those up to the first were loaded around an older
   * message, those from the second on are the newest ones. Absent or null: there is no such gap.
   */
  readonly gap?: { readonly after: number; readonly before: number } | null
  readonly failure: Failure | null
}

/**
 * Messages notified of (or baseline): all up to `floor`, and those in `ids`, ascending. Survives
 * restarts.
 */
export interface NotifiedMessages {
  readonly floor: number
  readonly ids: readonly number[]
}

export interface CustomEmoji {
  readonly name: string
  /** Its picture's address as sent, on any host; a still image for an animation. Null: none. */
  readonly source: string | null
  /** Old messages still show it; it can no longer be used. */
  readonly isRetired?: boolean
}

/** What is needed of a user group: whether I am in it, and how many people a mention reaches. */
export interface UserGroup {
  readonly name?: string
  readonly hasMe: boolean
  /** Number of members at the last registration, without those of its subgroups. */
  readonly size?: number
  readonly canMention?: Allowed
  /** It was deactivated. */
  readonly isOff?: boolean
  readonly subgroups: readonly number[]
}

/** The state of one chat account, rebuilt at each registration and kept up to date by events. */
export interface Realm {
  readonly accountId: AccountId
  readonly phase: 'connecting' | 'live' | 'stopped'
  readonly freshness: Freshness
  readonly me: { readonly id: number; readonly name: string } | null
  readonly ownStatus: OwnStatus
  /** As of the last registration; null before the first. */
  readonly server: ServerLevel | null
  readonly limits: ChatLimits
  /** The realm's name for an empty topic. */
  readonly emptyTopicName: string
  readonly users: ReadonlyMap<number, User>
  readonly channels: ReadonlyMap<number, Channel>
  readonly otherChannels: ReadonlyMap<number, OtherChannel>
  readonly topicPolicies: ReadonlyMap<ConversationKey, TopicPolicy>
  /** The original case of topics with a policy, since no message of theirs need be loaded. */
  readonly topicNames: ReadonlyMap<ConversationKey, string>
  readonly mutedUsers: readonly number[]
  readonly settings: ChatSettings
  readonly messages: MessageList
  /** Ids of messages deleted while connected, newest first: windows may list some not here. */
  readonly deleted: readonly number[]
  readonly conversations: ReadonlyMap<ConversationKey, ConversationInfo>
  /** Where a whole conversation was moved, by its old key: a topic was renamed or resolved. */
  readonly movedTo: ReadonlyMap<ConversationKey, Conversation>
  /** Null until the first registration of a new account, whose backlog is only a baseline. */
  readonly notified: NotifiedMessages | null
  /** Custom emoji by code. */
  readonly emoji: ReadonlyMap<string, CustomEmoji>
  /** Where the server lists the Unicode emoji's names; null before feature level 140. */
  readonly emojiNamesUrl: string | null
  readonly groups: ReadonlyMap<number, UserGroup>
  readonly rules: RealmRules
  /** Drafts, scheduled messages, snippets and reminders on the server. */
  readonly later: KeptForLater
  /** Who is typing to me, and since when (epoch ms), by direct conversation. */
  readonly typing: ReadonlyMap<ConversationKey, ReadonlyMap<number, number>>
}

/** The realms as a part of the app's state. */
export interface RealmsSlice {
  readonly realms: ReadonlyMap<AccountId, Realm>
}

/** The server's defaults for a new user (zerver/models/users.py), for settings it doesn't send. */
export const usualChatSettings: ChatSettings = {
  desktopNotifications: true,
  channelDesktopNotifications: false,
  followedTopicDesktopNotifications: true,
  wildcardMentionsNotify: true,
  followedTopicWildcardMentionsNotify: true,
  sounds: true,
  channelSounds: false,
  followedTopicSounds: true,
  showDirectMessageText: true,
  markReadWhenSeen: true,
  syncsDrafts: true,
}

export const usualRules: RealmRules = {
  mentionMany: null,
  direct: null,
  startDirect: null,
  emptyTopic: 'allowed',
}

/** A chat account before its first registration. `notified` is from disk; null if it has none. */
export function emptyRealm(accountId: AccountId, notified: NotifiedMessages | null): Realm {
  return {
    accountId,
    phase: 'connecting',
    freshness: { ...neverRead, intervalMs: 90_000 },
    me: null,
    ownStatus: noStatus,
    server: null,
    limits: { messageLength: 10_000, topicLength: 60 },
    emptyTopicName: 'general chat',
    users: new Map(),
    channels: new Map(),
    otherChannels: new Map(),
    topicPolicies: new Map(),
    topicNames: new Map(),
    mutedUsers: [],
    settings: usualChatSettings,
    messages: noMessages,
    deleted: [],
    conversations: new Map(),
    movedTo: new Map(),
    notified,
    emoji: new Map(),
    emojiNamesUrl: null,
    groups: new Map(),
    rules: usualRules,
    later: nothingKept,
    typing: new Map(),
  }
}

/** The groups I am in, including through subgroups. */
export const myGroups = memoized((groups: Realm['groups']): ReadonlySet<number> => {
  const mine = new Set([...groups].filter(([, { hasMe }]) => hasMe).map(([id]) => id))
  for (let before = -1; before < mine.size; ) {
    before = mine.size
    for (const [id, { subgroups }] of groups)
      if (subgroups.some((one) => mine.has(one))) mine.add(id)
  }
  return mine
})

/** All of the conversation is loaded. */
export function isWhole({ complete, gap }: ConversationInfo): boolean {
  return complete && gap == null
}

/** In a channel that we aren't subscribed to: no event tells of new or changed messages there. */
export function mustFetch({ channels, otherChannels }: Realm, conversation: Conversation): boolean {
  if (conversation.kind === 'direct' || channels.has(conversation.channelId)) return false
  return otherChannels.get(conversation.channelId)?.archived !== true
}
