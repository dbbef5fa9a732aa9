import * as v from 'valibot'
import { conversationKey } from '../../core/chat/conversation.ts'
import type { Emoji } from '../../core/chat/message.ts'
import {
  type Allowed,
  type Channel,
  type ChatSettings,
  type CustomEmoji,
  type OtherChannel,
  type RealmRules,
  type TopicPolicy,
  type TopicRule,
  type User,
  usualChatSettings,
} from '../../core/chat/realm.ts'
import { defined } from '../../core/schemas.ts'
import { reader, readOr } from '../schema-field.ts'
import { id, lenient, nameText, shortText, topicText } from './chat-fields.ts'
import { ids } from './read-message.ts'

export const readUser = reader(
  v.object({
    user_id: id,
    full_name: lenient(nameText),
    is_bot: lenient(v.boolean()),
    is_system_bot: lenient(v.boolean()),
    is_active: lenient(v.boolean()),
  }),
  (user): User => ({
    id: user.user_id,
    name: user.full_name ?? `user ${user.user_id}`,
    isBot: user.is_bot ?? false,
    ...(user.is_system_bot === true ? { isSystem: true } : {}),
    ...(user.is_active === false ? { isFormer: true } : {}),
  }),
)

const groupSetting = v.union([
  id,
  v.object({ direct_members: v.array(id), direct_subgroups: v.array(id) }),
])

/** API, "Group-setting values"; null if it isn't one. */
export function readAllowed(wire: unknown): Allowed {
  const value = readOr(groupSetting, wire)
  return typeof value === 'object' && value !== null
    ? { users: value.direct_members, groups: value.direct_subgroups }
    : value
}

const topicRules: ReadonlyMap<unknown, TopicRule> = new Map([
  ['allow_empty_topic', 'allowed'],
  ['disable_empty_topic', 'refused'],
  ['empty_topic_only', 'only'],
])

/** Null if the realm's rule applies. */
function readTopicRule(wire: unknown): TopicRule | null {
  return topicRules.get(wire) ?? null
}

/** Roles that may mention many, before feature level 352. */
const mentionRoles: ReadonlyMap<unknown, Allowed> = new Map([
  [2, 'role:members'],
  [3, 'role:fullmembers'],
  [5, 'role:administrators'],
  [6, 'role:nobody'],
  [7, 'role:moderators'],
])

/** Roles that may post in a channel, before feature level 333; 1 is everybody. */
const postRoles: ReadonlyMap<unknown, Allowed> = new Map([
  [2, 'role:administrators'],
  [3, 'role:fullmembers'],
  [4, 'role:moderators'],
])

/** Before feature levels 270, 352 and 392, realms had numbers or a boolean instead. */
export function readRules(data: Readonly<Record<string, unknown>>): RealmRules {
  const isDirectOff = data['realm_private_message_policy'] === 2
  const usual = data['realm_mandatory_topics'] === true ? 'refused' : 'allowed'
  return {
    mentionMany:
      readAllowed(data['realm_can_mention_many_users_group']) ??
      mentionRoles.get(data['realm_wildcard_mention_policy']) ??
      null,
    direct:
      readAllowed(data['realm_direct_message_permission_group']) ??
      (isDirectOff ? 'role:nobody' : null),
    startDirect: readAllowed(data['realm_direct_message_initiator_group']),
    emptyTopic: readTopicRule(data['realm_topics_policy']) ?? usual,
  }
}

/** The changes to these rules in an event; null if there are none that we use. */
export function readRulesChange(
  data: Readonly<Record<string, unknown>>,
): Partial<RealmRules> | null {
  const allowedBy = (name: string): Allowed | undefined =>
    name in data ? readAllowed(data[name]) : undefined
  const change = defined({
    mentionMany: allowedBy('can_mention_many_users_group'),
    direct: allowedBy('direct_message_permission_group'),
    startDirect: allowedBy('direct_message_initiator_group'),
    emptyTopic: topicRuleIn(data),
  })
  return Object.keys(change).length === 0 ? null : change
}

/** Before feature level 392 a boolean. */
function topicRuleIn(data: Readonly<Record<string, unknown>>): TopicRule | undefined {
  const { mandatory_topics: isMandatory } = data
  const rule = readTopicRule(data['topics_policy'])
  if (rule !== null || typeof isMandatory !== 'boolean') return rule ?? undefined
  return isMandatory ? 'refused' : 'allowed'
}

/** Anything but a boolean means inherited. */
const inherited = lenient(v.nullable(v.boolean()))

export const readChannel = reader(
  v.object({
    stream_id: id,
    name: nameText,
    is_muted: lenient(v.boolean()),
    /** The opposite of `is_muted`, and older. */
    in_home_view: lenient(v.boolean()),
    desktop_notifications: inherited,
    audible_notifications: inherited,
    wildcard_mentions_notify: inherited,
    can_send_message_group: v.optional(v.unknown()),
    stream_post_policy: v.optional(v.unknown()),
    topics_policy: v.optional(v.unknown()),
  }),
  (channel): Channel => ({
    id: channel.stream_id,
    name: channel.name,
    muted: channel.is_muted ?? !(channel.in_home_view ?? true),
    desktopNotifications: channel.desktop_notifications ?? null,
    audibleNotifications: channel.audible_notifications ?? null,
    wildcardMentionsNotify: channel.wildcard_mentions_notify ?? null,
    maySend: readAllowed(channel.can_send_message_group),
    postPolicy: postRoles.get(channel.stream_post_policy) ?? null,
    emptyTopic: readTopicRule(channel.topics_policy),
  }),
)

export const readOtherChannel = reader(
  v.object({ stream_id: id, name: nameText, is_archived: lenient(v.boolean()) }),
  (channel): OtherChannel => ({
    id: channel.stream_id,
    name: channel.name,
    archived: channel.is_archived ?? false,
  }),
)

type ChannelChange = Partial<Omit<Channel, 'id'>>

/** A changed property of a channel, or of our subscription to it; null if we don't use it. */
export function readChannelChange(property: string, value: unknown): ChannelChange | null {
  if (property === 'name') {
    const name = readOr(nameText, value)
    return name === null ? null : { name }
  }
  if (property === 'can_send_message_group') return { maySend: readAllowed(value) }
  if (property === 'stream_post_policy') return { postPolicy: postRoles.get(value) ?? null }
  if (property === 'topics_policy') return { emptyTopic: readTopicRule(value) }
  if (typeof value !== 'boolean' && value !== null) return null
  switch (property) {
    case 'is_muted':
      return value === null ? null : { muted: value }
    case 'in_home_view':
      return value === null ? null : { muted: !value }
    case 'desktop_notifications':
      return { desktopNotifications: value }
    case 'audible_notifications':
      return { audibleNotifications: value }
    case 'wildcard_mentions_notify':
      return { wildcardMentionsNotify: value }
    default:
      return null
  }
}

const policies: ReadonlyMap<number, TopicPolicy> = new Map([
  [1, 'muted'],
  [2, 'unmuted'],
  [3, 'followed'],
])

/** `policy` is null if the topic has none of its own. */
export const readTopicPolicy = reader(
  v.object({
    stream_id: id,
    topic_name: topicText,
    visibility_policy: v.picklist([0, 1, 2, 3]),
  }),
  (row) => ({
    key: conversationKey({ kind: 'topic', channelId: row.stream_id, topic: row.topic_name }),
    topic: row.topic_name,
    policy: policies.get(row.visibility_policy) ?? null,
  }),
)

export const readMutedUser = reader(v.object({ id }), (user) => user.id)

const settingNames: ReadonlyMap<string, keyof ChatSettings> = new Map([
  ['enable_desktop_notifications', 'desktopNotifications'],
  ['enable_stream_desktop_notifications', 'channelDesktopNotifications'],
  ['enable_followed_topic_desktop_notifications', 'followedTopicDesktopNotifications'],
  ['wildcard_mentions_notify', 'wildcardMentionsNotify'],
  ['enable_followed_topic_wildcard_mentions_notify', 'followedTopicWildcardMentionsNotify'],
  ['enable_sounds', 'sounds'],
  ['enable_stream_audible_notifications', 'channelSounds'],
  ['enable_followed_topic_audible_notifications', 'followedTopicSounds'],
  ['pm_content_in_desktop_notifications', 'showDirectMessageText'],
  ['enable_drafts_synchronization', 'syncsDrafts'],
])

/** One of the user's settings; null if we don't use it. */
export function readSetting(property: string, value: unknown): Partial<ChatSettings> | null {
  // 1 always, 2 in conversation views (the only place where Belfry does), 3 never.
  if (property === 'web_mark_read_on_scroll_policy')
    return typeof value === 'number' ? { markReadWhenSeen: value !== 3 } : null
  const name = settingNames.get(property)
  return name && typeof value === 'boolean' ? { [name]: value } : null
}

export function readSettings(wire: unknown): ChatSettings {
  if (typeof wire !== 'object' || wire === null) return usualChatSettings
  const settings = { ...usualChatSettings }
  for (const [property, value] of Object.entries(wire)) {
    Object.assign(settings, readSetting(property, value))
  }
  return settings
}

const wireEmoji = v.object({
  name: shortText,
  source_url: lenient(v.pipe(v.string(), v.maxLength(2_048))),
  still_url: lenient(v.nullable(v.pipe(v.string(), v.maxLength(2_048)))),
  deactivated: lenient(v.boolean()),
})

/** A custom emoji with its code, which is the key on the wire. */
export const readEmoji = reader(
  v.tuple([v.pipe(v.string(), v.maxLength(200)), wireEmoji]),
  ([code, { name, source_url: source, still_url: still, deactivated }]): [string, CustomEmoji] => [
    code,
    { name, source: still ?? source ?? null, ...(deactivated === true ? { isRetired: true } : {}) },
  ],
)

const emojiNames = v.object({
  code_to_names: v.record(v.pipe(v.string(), v.maxLength(100)), v.array(shortText)),
})

/** Every name of every Unicode emoji in the server's list; null if it isn't one. */
export function readEmojiNames(wire: unknown): readonly Emoji[] | null {
  const { code_to_names: names } = readOr(emojiNames, wire) ?? {}
  if (names === undefined) return null
  return Object.entries(names).flatMap(([code, all]) =>
    all.map((name) => ({ name, code, type: 'unicode_emoji' })),
  )
}

export const readGroup = reader(
  v.object({
    id,
    name: lenient(nameText),
    members: v.array(id),
    direct_subgroup_ids: lenient(v.array(id)),
    can_mention_group: v.optional(v.unknown()),
    deactivated: lenient(v.boolean()),
  }),
  ({ id: groupId, ...group }, me: number) => ({
    id: groupId,
    name: group.name ?? '',
    hasMe: group.members.includes(me),
    size: group.members.length,
    subgroups: group.direct_subgroup_ids ?? [],
    canMention: readAllowed(group.can_mention_group),
    ...(group.deactivated === true ? { isOff: true } : {}),
  }),
)

/** Epoch ms; none has been below this since 1973, and no epoch seconds are above it before 5138. */
const leastMs = 100_000_000_000

/** One of the user's own files on the server. */
export const readAttachment = reader(
  v.object({
    name: v.string(),
    path_id: v.pipe(v.string(), v.regex(/^[^?#\\]+$/)),
    size: v.number(),
    /** Before feature level 443 in ms, unlike everywhere else. */
    create_time: v.number(),
    /** The messages that link to it. */
    message_ids: ids,
    /** The same before feature level 472. */
    messages: lenient(v.array(v.unknown())),
  }),
  ({ name, size, ...file }) => ({
    name,
    size,
    path: file.path_id,
    createdAt: file.create_time < leastMs ? file.create_time * 1_000 : file.create_time,
    isLinked: (file.message_ids ?? file.messages ?? []).length > 0,
  }),
)

/** The server's feature level by either of its names; null if absent. */
export const readFeatureLevel = reader(
  v.object({
    zulip_feature_level: lenient(v.number()),
    service_feature_level: lenient(v.number()),
  }),
  (level) => level.zulip_feature_level ?? level.service_feature_level ?? null,
)
