import { boolean, looseObject, nullable, number, object, picklist } from 'valibot'
import {
  type Channel,
  type ChatSettings,
  type TopicPolicy,
  type User,
  usualChatSettings,
} from '../../core/chat/realm.ts'
import { readOr } from '../schema-field.ts'
import { id, lenient, nameText, topicText } from './chat-fields.ts'

const wireUser = looseObject({
  user_id: id,
  full_name: lenient(nameText),
  is_bot: lenient(boolean()),
})

export function readUser(wire: unknown): User | null {
  const user = readOr(wireUser, wire)
  if (!user) return null
  return {
    id: user.user_id,
    name: user.full_name ?? `user ${user.user_id}`,
    isBot: user.is_bot ?? false,
  }
}

/** Null, and anything that is not a boolean, means inherited. */
const inherited = lenient(nullable(boolean()))

const wireSubscription = looseObject({
  stream_id: id,
  name: nameText,
  is_muted: lenient(boolean()),
  /** The opposite of `is_muted`, from before it. */
  in_home_view: lenient(boolean()),
  desktop_notifications: inherited,
  audible_notifications: inherited,
  wildcard_mentions_notify: inherited,
})

export function readChannel(wire: unknown): Channel | null {
  const channel = readOr(wireSubscription, wire)
  if (!channel) return null
  return {
    id: channel.stream_id,
    name: channel.name,
    muted: channel.is_muted ?? !(channel.in_home_view ?? true),
    desktopNotifications: channel.desktop_notifications ?? null,
    audibleNotifications: channel.audible_notifications ?? null,
    wildcardMentionsNotify: channel.wildcard_mentions_notify ?? null,
  }
}

type ChannelChange = Partial<Omit<Channel, 'id'>>

/** One changed property of a channel or of our subscription to it; null when it is none of ours. */
export function readChannelChange(property: string, value: unknown): ChannelChange | null {
  if (property === 'name') {
    const name = readOr(nameText, value)
    return name === null ? null : { name }
  }
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

const wireTopicPolicy = object({
  stream_id: id,
  topic_name: topicText,
  visibility_policy: picklist([0, 1, 2, 3]),
})

/** `policy` null: the topic has none of its own (any more). */
export function readTopicPolicy(
  wire: unknown,
): { channelId: number; topic: string; policy: TopicPolicy | null } | null {
  const row = readOr(wireTopicPolicy, wire)
  if (!row) return null
  const policy = policies.get(row.visibility_policy) ?? null
  return { channelId: row.stream_id, topic: row.topic_name, policy }
}

const wireMutedUser = looseObject({ id })

export function readMutedUser(wire: unknown): number | null {
  return readOr(wireMutedUser, wire)?.id ?? null
}

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
])

/** One setting of the user's, null when it does not decide anything here. */
export function readSetting(property: string, value: unknown): Partial<ChatSettings> | null {
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

const wireLevel = looseObject({
  zulip_feature_level: lenient(number()),
  service_feature_level: lenient(number()),
})

/** The server's feature level by either of its names; null when it does not say. */
export function readFeatureLevel(wire: unknown): number | null {
  const level = readOr(wireLevel, wire)
  return level?.zulip_feature_level ?? level?.service_feature_level ?? null
}
