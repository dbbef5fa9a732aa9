import type { ChatLimits } from '../text-length.ts'
import type { Conversation, ConversationKey } from './conversation.ts'
import type {
  KeptForLater,
  ScheduledMessage,
  ServerReminder,
  Snippet,
  Unreadable,
} from './kept-for-later.ts'
import type { Message, MessageFlag, Reaction } from './message.ts'
import type { OwnStatus } from './own-status.ts'
import type {
  Channel,
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
 * A server's event in our terms. `read-events.ts` reads one wire event into any number of these (an
 * edit that also moves is two; an unknown type is none); `chat-apply.ts` applies them.
 */
export type ChatEvent =
  /** `localId` is set when this queue sent the message. */
  | { readonly type: 'message'; readonly message: Message; readonly localId: string | null }
  /** A message that can't be read as the event has it: fetched instead. `id` is null if even that can't be read. */
  | { readonly type: 'unreadable'; readonly id: number | null; readonly localId: string | null }
  | {
      readonly type: 'edited'
      readonly messageId: number
      readonly html: string
      readonly text: string
      /** Null for a rendering-only update (a link preview arrived): not an edit, never notifies. */
      readonly editedAt: number | null
      /** Null if not sent: they stay. */
      readonly flags: readonly MessageFlag[] | null
      /** Null if not sent: it stays. */
      readonly isAction: boolean | null
    }
  /** `toTopic` or `toChannelId` is null if that part stays. */
  | {
      readonly type: 'moved'
      readonly messageIds: readonly number[]
      readonly toChannelId: number | null
      readonly toTopic: string | null
      /** These are all messages of the topic; otherwise it may have others that we don't hold. */
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
  /** Created, or restored from the archive: we may be subscribed to the latter. */
  | { readonly type: 'channelsMade'; readonly channels: readonly OtherChannel[] }
  /** `deleted`: hidden from us now; or, before level 378, archived. */
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
  /** Absent parts stay. */
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
      /** In its original case. */
      readonly topic: string
      /** Null: the topic has no policy of its own any more. */
      readonly policy: TopicPolicy | null
    }
  /** In a direct conversation; `at` is null when the user stopped typing. */
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
  | {
      readonly type: 'reminders'
      readonly put: readonly ServerReminder[]
      readonly removed: readonly number[]
      readonly unreadable: Unreadable
    }
  /** The user's own status was changed, here or elsewhere. */
  | { readonly type: 'ownStatus'; readonly change: Partial<OwnStatus> }
  /** The server came back with another feature level: register again, without urgency. */
  | { readonly type: 'restarted'; readonly featureLevel: number | null }

/** Whether the event is about all messages, such as "mark all as read". */
export function isForAll(event: ChatEvent): boolean {
  return event.type === 'flag' && event.all
}

/** The ids of the messages that an event is about; a flag event with `all` lists none. */
export function messageIdsOf(event: ChatEvent): readonly number[] {
  if (event.type === 'message') return [event.message.id]
  if ('messageIds' in event) return event.messageIds
  return 'messageId' in event ? [event.messageId] : []
}

/**
 * Whether these events, of one response, both set and cleared a flag of one message. Their order
 * then says nothing: the server merges pending flag events, and puts the earlier ones behind what
 * came between.
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

/** The state of a realm when an event queue was registered: replaces the old one, never merges. */
export interface RealmSnapshot {
  readonly me: { readonly id: number; readonly name: string }
  readonly ownStatus: OwnStatus
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
  /** Recent direct conversations, newest first. */
  readonly recentDirect: readonly {
    readonly conversation: Conversation
    readonly lastMessageId: number
  }[]
  readonly emoji: ReadonlyMap<string, CustomEmoji>
  readonly emojiNamesUrl: string | null
  readonly groups: ReadonlyMap<number, UserGroup>
  readonly rules: RealmRules
  readonly later: KeptForLater
  /** The newest message id in the realm; null if the server doesn't say. */
  readonly maxMessageId: number | null
  readonly server: ServerLevel
  /** How long a poll may stay open, in ms (90,000 if the server doesn't say). */
  readonly longpollTimeoutMs: number
}
