import { looseObject, object, optional, string, unknown } from 'valibot'
import type { ChatEvent } from '../../core/chat/chat-event.ts'
import { conversationKey } from '../../core/chat/conversation.ts'
import { id, lenient, nameText } from './chat-fields.ts'
import { ids, readEach, readOr } from './read-message.ts'
import {
  readChannel,
  readChannelChange,
  readFeatureLevel,
  readMutedUser,
  readSetting,
  readTopicPolicy,
  readUser,
} from './read-realm.ts'

type Reader = (wire: unknown) => readonly ChatEvent[]

const wirePerson = looseObject({ op: string(), person: unknown() })
const wireRename = looseObject({ user_id: id, full_name: nameText })

function readUserEvent(wire: unknown): readonly ChatEvent[] {
  const event = readOr(wirePerson, wire)
  if (event?.op === 'add') {
    const user = readUser(event.person)
    return user ? [{ type: 'users', users: [user] }] : []
  }
  // An update carries only what changed; of that we keep the name. Nobody is ever forgotten: their
  // messages stay.
  const rename = event?.op === 'update' ? readOr(wireRename, event.person) : null
  return rename ? [{ type: 'userRenamed', userId: rename.user_id, name: rename.full_name }] : []
}

const wireSubscriptionEvent = looseObject({
  op: string(),
  subscriptions: optional(unknown()),
  stream_id: lenient(id),
  property: lenient(string()),
  value: optional(unknown()),
})

const wireChannelId = looseObject({ stream_id: id })

function readSubscriptionEvent(wire: unknown): readonly ChatEvent[] {
  const event = readOr(wireSubscriptionEvent, wire)
  if (!event) return []
  switch (event.op) {
    case 'add': {
      const channels = readEach(event.subscriptions, readChannel)
      return channels.length === 0 ? [] : [{ type: 'channels', channels }]
    }
    case 'remove':
      return channelsGone(event.subscriptions)
    case 'update':
      return channelChanged(event)
    default:
      // `peer_add` and `peer_remove` are about other people.
      return []
  }
}

function channelsGone(wire: unknown): readonly ChatEvent[] {
  const channelIds = readEach(wire, (item) => readOr(wireChannelId, item)?.stream_id ?? null)
  return channelIds.length === 0 ? [] : [{ type: 'channelsGone', channelIds }]
}

function channelChanged(event: {
  stream_id?: number | undefined
  property?: string | undefined
  value?: unknown
}): readonly ChatEvent[] {
  if (event.stream_id === undefined || event.property === undefined) return []
  const changed = readChannelChange(event.property, event.value)
  return changed ? [{ type: 'channelChanged', channelId: event.stream_id, change: changed }] : []
}

const wireStreamEvent = looseObject({
  op: string(),
  stream_id: lenient(id),
  property: lenient(string()),
  value: optional(unknown()),
  /** Since feature level 343, beside `streams`. */
  stream_ids: ids,
  streams: optional(unknown()),
})

function readStreamEvent(wire: unknown): readonly ChatEvent[] {
  const event = readOr(wireStreamEvent, wire)
  if (event?.op === 'update') return event.property === 'name' ? channelChanged(event) : []
  if (event?.op !== 'delete') return []
  return event.stream_ids
    ? [{ type: 'channelsGone', channelIds: event.stream_ids }]
    : channelsGone(event.streams)
}

function readTopicPolicyEvent(wire: unknown): readonly ChatEvent[] {
  const row = readTopicPolicy(wire)
  if (!row) return []
  const { channelId, topic, policy } = row
  return [
    { type: 'topicPolicy', key: conversationKey({ kind: 'topic', channelId, topic }), policy },
  ]
}

function readMutedUsers(wire: unknown): readonly ChatEvent[] {
  const event = readOr(object({ muted_users: unknown() }), wire)
  if (!Array.isArray(event?.muted_users)) return []
  return [{ type: 'mutedUsers', userIds: readEach(event.muted_users, readMutedUser) }]
}

const wireSetting = looseObject({ property: string(), value: unknown() })

function readSettingEvent(wire: unknown): readonly ChatEvent[] {
  const event = readOr(wireSetting, wire)
  const changed = event && readSetting(event.property, event.value)
  return changed ? [{ type: 'settings', change: changed }] : []
}

/** How events about people, channels and settings are read, by their type. */
export const realmEventReaders: readonly (readonly [string, Reader])[] = [
  ['realm_user', readUserEvent],
  ['subscription', readSubscriptionEvent],
  ['stream', readStreamEvent],
  ['user_topic', readTopicPolicyEvent],
  ['muted_users', readMutedUsers],
  ['user_settings', readSettingEvent],
  ['restart', (wire) => [{ type: 'restarted', featureLevel: readFeatureLevel(wire) }]],
]
