import type { Conversation, ConversationKey } from './conversation.ts'
import type { KeptForLater, ScheduledMessage, Snippet, Unreadable } from './later.ts'
import type { Message, MessageFlag, Reaction } from './message.ts'
import type {
  Channel,
  ChatLimits,
  ChatSettings,
  CustomEmoji,
  OtherChannel,
  RealmRules,
  TopicPolicy,
  User,
  UserGroup,
} from './realm.ts'
import type { ServerLevel } from './server-level.ts'
import type { Submessage } from './widget.ts'

/**
 * What a server's event means to us. `read-events.ts` reads one wire event into any number of
 * these (an edit that also moves is two; an unknown type is none); `chat-apply.ts` applies them.
 */
export type ChatEvent =
  /** `localId` is ours when this queue sent it. */
  | { readonly type: 'message'; readonly message: Message; readonly localId: string | null }
  | {
      readonly type: 'edited'
      readonly messageId: number
      readonly html: string
      readonly text: string
      /** Null for a rendering-only update (a link preview arrived): not an edit, never notifies. */
      readonly editedAt: number | null
      /** Null: not said, they stay. */
      readonly flags: readonly MessageFlag[] | null
      /** Null: not said, it stays. */
      readonly isAction: boolean | null
    }
  /** `toTopic` or `toChannelId` is null when that part stays. */
  | {
      readonly type: 'moved'
      readonly messageIds: readonly number[]
      readonly toChannelId: number | null
      readonly toTopic: string | null
      /** These are all messages of a topic; else it may have others, which we do not hold. */
      readonly isWhole: boolean
    }
  | { readonly type: 'deleted'; readonly messageIds: readonly number[] }
  /** `all` with no ids: every message (as after "mark all as read"). */
  | {
      readonly type: 'flag'
      readonly present: boolean
      readonly flag: MessageFlag
      readonly messageIds: readonly number[]
      readonly all: boolean
      /** For messages marked unread that we may not hold. */
      readonly unread: readonly UnreadMessage[]
    }
  | {
      readonly type: 'reaction'
      readonly present: boolean
      readonly messageId: number
      readonly reaction: Reaction
    }
  | { readonly type: 'submessage'; readonly messageId: number; readonly submessage: Submessage }
  | { readonly type: 'users'; readonly users: readonly User[] }
  | {
      readonly type: 'userChanged'
      readonly userId: number
      readonly change: Partial<Omit<User, 'id'>>
    }
  | { readonly type: 'channels'; readonly channels: readonly Channel[] }
  /** Made, or restored from the archive: of the latter one may have a subscription. */
  | { readonly type: 'channelsMade'; readonly channels: readonly OtherChannel[] }
  /** `deleted`: so the server says of channels that were archived, before level 378, or are hidden from us now. */
  | {
      readonly type: 'channelsGone'
      readonly channelIds: readonly number[]
      readonly deleted: boolean
    }
  | {
      readonly type: 'channelChanged'
      readonly channelId: number
      readonly change: Partial<Omit<Channel, 'id'>>
    }
  | { readonly type: 'emoji'; readonly emoji: ReadonlyMap<string, CustomEmoji> }
  /** Each part is absent where it stays. */
  | {
      readonly type: 'group'
      readonly groupId: number
      readonly change?: Partial<UserGroup>
      readonly added?: readonly number[]
      readonly removed?: readonly number[]
    }
  | { readonly type: 'archived'; readonly channelId: number; readonly archived: boolean }
  | {
      readonly type: 'topicPolicy'
      readonly key: ConversationKey
      /** As it is spelled. */
      readonly topic: string
      /** Null: the topic has no policy of its own any more. */
      readonly policy: TopicPolicy | null
    }
  /** In a direct conversation; `at` null: no more. */
  | {
      readonly type: 'typing'
      readonly key: ConversationKey
      readonly userId: number
      readonly at: number | null
    }
  | { readonly type: 'mutedUsers'; readonly userIds: readonly number[] }
  | { readonly type: 'settings'; readonly change: Partial<ChatSettings> }
  | { readonly type: 'rules'; readonly change: Partial<RealmRules> }
  /** `text` null: deleted. */
  | {
      readonly type: 'serverDrafts'
      readonly drafts: readonly { readonly id: number; readonly text: string | null }[]
    }
  | {
      readonly type: 'scheduled'
      readonly put: readonly ScheduledMessage[]
      readonly removed: readonly number[]
      readonly unreadable: Unreadable
    }
  | {
      readonly type: 'snippets'
      readonly put: readonly Snippet[]
      readonly removed: readonly number[]
      readonly unreadable: Unreadable
    }
  /** One's own was changed, here or elsewhere. */
  | { readonly type: 'ownStatus' }
  /** The server came back with another feature level: register anew at leisure. */
  | { readonly type: 'restarted'; readonly featureLevel: number | null }

/** About every message there is, as "mark all as read". */
export function isForAll(event: ChatEvent): boolean {
  return event.type === 'flag' && event.all
}

/** The messages that an event is about; with `all`, a flag's list is empty. */
export function messageIdsOf(event: ChatEvent): readonly number[] {
  switch (event.type) {
    case 'message':
      return [event.message.id]
    case 'moved':
    case 'deleted':
    case 'flag':
      return event.messageIds
    case 'edited':
    case 'reaction':
    case 'submessage':
      return [event.messageId]
    case 'users':
    case 'userChanged':
    case 'channels':
    case 'channelsMade':
    case 'channelsGone':
    case 'channelChanged':
    case 'archived':
    case 'group':
    case 'emoji':
    case 'topicPolicy':
    case 'mutedUsers':
    case 'typing':
    case 'settings':
    case 'rules':
    case 'serverDrafts':
    case 'scheduled':
    case 'snippets':
    case 'ownStatus':
    case 'restarted':
      return []
  }
}

/**
 * Whether a flag of some message was both set and cleared by these events, of one answer. Their order says
 * nothing then: the service merges flag events that wait, and puts the earlier ones behind what came between.
 */
export function isFlagInDoubt(events: readonly ChatEvent[]): boolean {
  const states = new Map<string, boolean>()
  return events.some(
    (event) =>
      event.type === 'flag' &&
      event.messageIds.some((id) => {
        const before = states.get(`${event.flag}/${id}`)
        states.set(`${event.flag}/${id}`, event.present)
        return before !== undefined && before !== event.present
      }),
  )
}

export interface UnreadMessage {
  readonly messageId: number
  readonly conversation: Conversation
  readonly mentioned: boolean
}

/** The state of a realm at the moment an event queue was registered: replaces, never merges. */
export interface RealmSnapshot {
  readonly me: { readonly id: number; readonly name: string }
  readonly limits: ChatLimits
  readonly emptyTopicName: string
  readonly users: ReadonlyMap<number, User>
  readonly channels: ReadonlyMap<number, Channel>
  readonly otherChannels: ReadonlyMap<number, OtherChannel>
  readonly topicPolicies: ReadonlyMap<ConversationKey, TopicPolicy>
  readonly topicNames: ReadonlyMap<ConversationKey, string>
  readonly mutedUsers: readonly number[]
  readonly settings: ChatSettings
  readonly unread: readonly UnreadMessage[]
  /** Direct conversations of late, newest first. */
  readonly recentDirect: readonly {
    readonly conversation: Conversation
    readonly lastMessageId: number
  }[]
  readonly emoji: ReadonlyMap<string, CustomEmoji>
  readonly emojiNamesUrl: string | null
  readonly groups: ReadonlyMap<number, UserGroup>
  readonly rules: RealmRules
  readonly later: KeptForLater
  /** The newest message id of all, or null when the server did not say. */
  readonly maxMessageId: number | null
  readonly server: ServerLevel
  /** How long a poll may stay open, in ms (90,000 where not said). */
  readonly longpollTimeoutMs: number
}
