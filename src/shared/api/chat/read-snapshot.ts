import * as v from 'valibot'
import type { RealmSnapshot, UnreadMessage } from '../../core/chat/chat-event.ts'
import { type ConversationKey, directConversation } from '../../core/chat/conversation.ts'
import { noStatus } from '../../core/chat/own-status.ts'
import type { TopicPolicy, User } from '../../core/chat/realm.ts'
import { malformed } from '../../core/failure.ts'
import { fieldsOf } from '../../core/schemas.ts'
import { reader, readOr } from '../schema-field.ts'
import { id, lenient, nameText, shortText, topicText, whole } from './chat-fields.ts'
import { readableEvents } from './read-events.ts'
import { readLater, readStatus } from './read-later.ts'
import { ids, placeOf, readEach } from './read-message.ts'
import {
  readChannel,
  readEmoji,
  readFeatureLevel,
  readGroup,
  readMutedUser,
  readOtherChannel,
  readRules,
  readSettings,
  readTopicPolicy,
  readUser,
} from './read-realm.ts'

/** Requests only what `readEvent` and `readSnapshot` use. */
export const registerParams = {
  apply_markdown: true,
  client_gravatar: false,
  client_ext_avatar: false,
  event_types: [...readableEvents],
  fetch_event_types: [
    // `unread_msgs` is only sent if both are requested.
    'message',
    'update_message_flags',
    'realm',
    'realm_user',
    'realm_emoji',
    'realm_user_groups',
    'subscription',
    'user_topic',
    'muted_users',
    'user_settings',
    'recent_private_conversations',
    'drafts',
    'scheduled_messages',
    'saved_snippets',
    'reminders',
    'user_status',
  ],
  client_capabilities: {
    /** Real servers refuse capabilities without this key. */
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: true,
    user_settings_object: true,
    user_list_incomplete: true,
    archived_channels: true,
    linkifier_url_template: true,
    /** Empty topics are sent as `''`; we show them by the realm's name for it. */
    empty_topic_name: true,
  },
}

function orDefault<const Schema extends v.GenericSchema<number | string>>(
  schema: Schema,
  usual: v.InferOutput<Schema>,
) {
  return v.fallback(v.optional(schema, usual), usual)
}

const positive = v.pipe(v.number(), v.integer(), v.minValue(1))

/**
 * With the server's defaults (chat API, "Register"). Lists are kept raw, to be read item by item.
 */
const wireSnapshot = v.looseObject({
  /** Null only for requests without a key, which get no queue. */
  queue_id: v.pipe(v.string(), v.minLength(1), v.maxLength(1_000)),
  last_event_id: whole,
  user_id: id,
  full_name: lenient(nameText),
  zulip_version: lenient(shortText),
  max_message_length: orDefault(positive, 10_000),
  max_topic_length: orDefault(positive, 60),
  /** 0: uploads are disabled. */
  max_file_upload_size_mib: lenient(v.pipe(v.number(), v.minValue(0))),
  event_queue_longpoll_timeout_seconds: orDefault(v.pipe(positive, v.maxValue(3_600)), 90),
  server_emoji_data_url: lenient(v.pipe(v.string(), v.maxLength(2_048))),
  realm_empty_topic_display_name: orDefault(nameText, 'general chat'),
  /** -1: there are no messages. */
  max_message_id: orDefault(whole, -1),
})

/**
 * Reads the response of `registerQueue`; one unreadable user or channel doesn't spoil the others.
 * In steps, since a large realm has a hundred thousand of each.
 */
export function* readSnapshot(
  wire: unknown,
): Generator<
  undefined,
  RealmSnapshot & { readonly queueId: string; readonly lastEventId: number }
> {
  const parsed = v.safeParse(wireSnapshot, wire)
  if (!parsed.success) {
    const where = parsed.issues[0].path?.map((item) => String(item.key)).join('.') ?? ''
    throw malformed('shape', where)
  }
  const data = parsed.output
  return {
    queueId: data.queue_id,
    lastEventId: data.last_event_id,
    me: { id: data.user_id, name: data.full_name ?? '' },
    ownStatus: {
      ...noStatus,
      ...readStatus(fieldsOf(data['user_status'])[data.user_id]),
    },
    limits: {
      messageLength: data.max_message_length,
      topicLength: data.max_topic_length,
      ...(data.max_file_upload_size_mib === undefined
        ? {}
        : { uploadMib: data.max_file_upload_size_mib }),
    },
    emptyTopicName: data.realm_empty_topic_display_name,
    users: new Map([
      ...(yield* byId(data['realm_non_active_users'], readFormerUser)),
      ...(yield* byId(data['cross_realm_bots'], readUser)),
      ...(yield* byId(data['realm_users'], readUser)),
    ]),
    ...(yield* readChannels(data)),
    ...(yield* readTopicPolicies(data['user_topics'])),
    mutedUsers: readEach(data['muted_users'], readMutedUser),
    settings: readSettings(data['user_settings']),
    unread: yield* readUnread(data['unread_msgs'], data.user_id),
    recentDirect: readRecentDirect(data['recent_private_conversations'], data.user_id),
    emoji: new Map(yield* eachOf(Object.entries(data['realm_emoji'] ?? {}), readEmoji)),
    emojiNamesUrl: data.server_emoji_data_url ?? null,
    groups: yield* byId(data['realm_user_groups'], (group) => readGroup(group, data.user_id)),
    rules: readRules(data),
    later: readLater(data, data.user_id),
    maxMessageId: data.max_message_id < 0 ? null : data.max_message_id,
    server: { version: data.zulip_version ?? null, featureLevel: readFeatureLevel(wire) },
    longpollTimeoutMs: data.event_queue_longpoll_timeout_seconds * 1000,
  }
}

function readFormerUser(wire: unknown): User | null {
  const user = readUser(wire)
  return user === null ? null : { ...user, isFormer: true }
}

/** The readable items of a wire list; yields every 500 items. */
function* eachOf<T>(wire: unknown, read: (item: unknown) => T | null): Generator<undefined, T[]> {
  const items: T[] = []
  for (const [at, item] of (Array.isArray(wire) ? wire : []).entries()) {
    if (at % 500 === 499) yield
    const one = read(item)
    if (one !== null) items.push(one)
  }
  return items
}

function* byId<T extends { readonly id: number }>(
  wire: unknown,
  read: (item: unknown) => T | null,
): Generator<undefined, Map<number, T>> {
  const items = new Map<number, T>()
  for (const item of yield* eachOf(wire, read)) items.set(item.id, item)
  return items
}

/** Because of our capability `archived_channels`, archived channels are among the others. */
function* readChannels(
  data: Readonly<Record<string, unknown>>,
): Generator<undefined, Pick<RealmSnapshot, 'channels' | 'otherChannels'>> {
  const channels = yield* byId(data['subscriptions'], readChannel)
  const subscribed = yield* byId(data['subscriptions'], readOtherChannel)
  const others = new Map([
    ...(yield* byId(data['never_subscribed'], readOtherChannel)),
    ...(yield* byId(data['unsubscribed'], readOtherChannel)),
  ])
  for (const [id, other] of subscribed) {
    const subscription = channels.get(id)
    if (!other.archived || subscription === undefined) continue
    channels.delete(id)
    others.set(id, { ...other, subscription })
  }
  return { channels, otherChannels: others }
}

function* readTopicPolicies(
  wire: unknown,
): Generator<undefined, Pick<RealmSnapshot, 'topicPolicies' | 'topicNames'>> {
  const topicPolicies = new Map<ConversationKey, TopicPolicy>()
  const topicNames = new Map<ConversationKey, string>()
  for (const { key, topic, policy } of yield* eachOf(wire, readTopicPolicy)) {
    if (policy) topicPolicies.set(key, policy)
    topicNames.set(key, topic)
  }
  return { topicPolicies, topicNames }
}

const wireUnread = v.looseObject({
  pms: v.optional(v.unknown()),
  streams: v.optional(v.unknown()),
  huddles: v.optional(v.unknown()),
  mentions: ids,
})

const wireUnreadPlace = v.looseObject({
  unread_message_ids: ids,
  other_user_id: lenient(id),
  /** Older name of `other_user_id`. */
  sender_id: lenient(id),
  stream_id: lenient(id),
  topic: lenient(topicText),
  user_ids_string: lenient(v.string()),
})

/** The server never lists more. */
const mostUnread = 50_000

function* readUnread(wire: unknown, me: number): Generator<undefined, UnreadMessage[]> {
  const unread = readOr(wireUnread, wire)
  if (!unread) return []
  const mentions = new Set(unread.mentions)
  const messages: UnreadMessage[] = []
  for (const list of [unread.pms, unread.streams, unread.huddles])
    for (const some of yield* eachOf(list, (row) => readUnreadPlace(row, me, mentions)))
      for (const one of some) if (messages.length < mostUnread) messages.push(one)
  return messages
}

const readUnreadPlace = reader(wireUnreadPlace, (row, me: number, mentions: Set<number>) => {
  const other = row.other_user_id ?? row.sender_id
  const people = row.user_ids_string?.split(',').map(Number) ?? [other ?? Number.NaN]
  const known = people.every(Number.isSafeInteger) ? people : undefined
  const conversation = placeOf(me, row.stream_id, row.topic, known)
  return (
    conversation &&
    (row.unread_message_ids ?? []).map((messageId) => ({
      messageId,
      conversation,
      mentioned: mentions.has(messageId),
    }))
  )
})

const readRecent = reader(
  v.object({ user_ids: v.array(id), max_message_id: id }),
  (recent, me: number) => ({
    conversation: directConversation(recent.user_ids, me),
    lastMessageId: recent.max_message_id,
  }),
)

/** Five times as many as the server lists. */
const mostRecent = 5_000

function readRecentDirect(wire: unknown, me: number): RealmSnapshot['recentDirect'] {
  const recent = readEach(wire, (item) => readRecent(item, me))
  return recent.sort((a, b) => b.lastMessageId - a.lastMessageId).slice(0, mostRecent)
}
