import * as v from 'valibot'
import type { ChatEvent, UnreadMessage } from '../../core/chat/chat-event.ts'
import {
  type Conversation,
  conversationKey,
  directConversation,
} from '../../core/chat/conversation.ts'
import { readOr } from '../schema-field.ts'
import { htmlText, id, lenient, nameText, seconds, topicText } from './chat-fields.ts'
import {
  ids,
  type ReadContext,
  readEach,
  readFlag,
  readFlags,
  readMessage,
  readReaction,
  readText,
} from './read-message.ts'
import {
  readChannel,
  readChannelChange,
  readFeatureLevel,
  readMutedUser,
  readSetting,
  readTopicPolicy,
  readUser,
} from './read-realm.ts'

const wirePerson = v.looseObject({ op: v.string(), person: v.unknown() })
const wireRename = v.looseObject({ user_id: id, full_name: nameText })

function readUserEvent(wire: unknown): readonly ChatEvent[] {
  const event = readOr(wirePerson, wire)
  if (event?.op === 'add') {
    const user = readUser(event.person)
    return user ? [{ type: 'users', users: [user] }] : []
  }
  // Nobody is ever removed: their messages stay.
  const rename = event?.op === 'update' ? readOr(wireRename, event.person) : null
  return rename ? [{ type: 'userRenamed', userId: rename.user_id, name: rename.full_name }] : []
}

const wireSubscriptionEvent = v.looseObject({
  op: v.string(),
  subscriptions: v.optional(v.unknown()),
  stream_id: lenient(id),
  property: lenient(v.string()),
  value: v.optional(v.unknown()),
})

const wireChannelId = v.looseObject({ stream_id: id })

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

function channelChanged(event: v.InferOutput<typeof wireSubscriptionEvent>): readonly ChatEvent[] {
  if (event.stream_id === undefined || event.property === undefined) return []
  const changed = readChannelChange(event.property, event.value)
  return changed ? [{ type: 'channelChanged', channelId: event.stream_id, change: changed }] : []
}

const wireStreamEvent = v.looseObject({
  op: v.string(),
  stream_id: lenient(id),
  property: lenient(v.string()),
  value: v.optional(v.unknown()),
  /** Since feature level 343, beside `streams`. */
  stream_ids: ids,
  streams: v.optional(v.unknown()),
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
  const event = readOr(v.object({ muted_users: v.unknown() }), wire)
  if (!Array.isArray(event?.muted_users)) return []
  return [{ type: 'mutedUsers', userIds: readEach(event.muted_users, readMutedUser) }]
}

const wireSetting = v.looseObject({ property: v.string(), value: v.unknown() })

function readSettingEvent(wire: unknown): readonly ChatEvent[] {
  const event = readOr(wireSetting, wire)
  const changed = event && readSetting(event.property, event.value)
  return changed ? [{ type: 'settings', change: changed }] : []
}

type Reader = (wire: unknown, context: ReadContext) => readonly ChatEvent[]

/** An event's number in its queue: even unreadable ones must be acknowledged. */
export function eventId(wire: unknown): number | null {
  const number = fieldOf(wire, 'id')
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}

/** Without a schema: asked of each of a thousand events. */
function fieldOf(wire: unknown, name: string): unknown {
  if (typeof wire !== 'object' || wire === null) return undefined
  return (wire as Readonly<Record<string, unknown>>)[name]
}

const change = v.picklist(['add', 'remove'])

function readMessageEvent(wire: unknown, context: ReadContext): readonly ChatEvent[] {
  const wireMessage = fieldOf(wire, 'message')
  const wireFlags = fieldOf(wire, 'flags')
  const flags = Array.isArray(wireFlags) ? wireFlags.filter(isText) : undefined
  const message = readMessage(wireMessage, { ...context, flags })
  if (!message) return []
  return [{ type: 'message', message, localId: localIdOf(wire) ?? localIdOf(wireMessage) }]
}

/** The document says `local_id`, real servers `local_message_id`. */
function localIdOf(wire: unknown): string | null {
  const real = fieldOf(wire, 'local_message_id')
  const written = isText(real) ? real : fieldOf(wire, 'local_id')
  return isText(written) ? written : null
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

const wireUpdate = v.object({
  message_id: id,
  message_ids: ids,
  user_id: lenient(v.nullish(id)),
  flags: v.optional(v.unknown()),
  rendering_only: lenient(v.boolean()),
  edit_timestamp: lenient(seconds),
  is_me_message: lenient(v.boolean()),
  rendered_content: lenient(htmlText),
  // `stream_id` beside these is the channel that the messages left.
  new_stream_id: lenient(id),
  subject: lenient(topicText),
})

function readUpdate(wire: unknown, context: ReadContext): readonly ChatEvent[] {
  const event = readOr(wireUpdate, wire)
  if (!event) return []
  const events: ChatEvent[] = []
  if (event.rendered_content !== undefined) {
    const html = event.rendered_content
    // Before feature level 114 a rendering-only update is known by its missing author.
    const byUser = !(event.rendering_only ?? event.user_id === undefined)
    events.push({
      type: 'edited',
      messageId: event.message_id,
      html,
      text: readText(html, event.is_me_message ?? false, context.toText),
      editedAt: byUser && event.edit_timestamp !== undefined ? event.edit_timestamp * 1000 : null,
      flags: readFlags(event.flags),
    })
  }
  if (event.new_stream_id !== undefined || event.subject !== undefined) {
    events.push({
      type: 'moved',
      messageIds: event.message_ids ?? [event.message_id],
      toChannelId: event.new_stream_id ?? null,
      toTopic: event.subject ?? null,
    })
  }
  return events
}

const wireDelete = v.object({ message_ids: ids, message_id: lenient(id) })

function readDelete(wire: unknown): readonly ChatEvent[] {
  const event = readOr(wireDelete, wire)
  const messageIds =
    event?.message_ids ?? (event?.message_id === undefined ? [] : [event.message_id])
  return messageIds.length === 0 ? [] : [{ type: 'deleted', messageIds }]
}

const wireFlags = v.object({
  op: lenient(change),
  /** Until feature level 32, and beside `op` since. */
  operation: lenient(change),
  flag: v.string(),
  messages: ids,
  all: lenient(v.boolean()),
  message_details: v.optional(v.unknown()),
})

function readFlagEvent(wire: unknown, context: ReadContext): readonly ChatEvent[] {
  const event = readOr(wireFlags, wire)
  const op = event?.op ?? event?.operation
  const flag = event && readFlag(event.flag)
  if (!event || !flag || op === undefined) return []
  return [
    {
      type: 'flag',
      present: op === 'add',
      flag,
      messageIds: event.messages ?? [],
      all: event.all ?? false,
      unread: readDetails(event.message_details, context.me),
    },
  ]
}

const wireDetails = v.object({
  type: v.picklist(['stream', 'channel', 'private', 'direct']),
  mentioned: lenient(v.boolean()),
  user_ids: ids,
  stream_id: lenient(id),
  topic: lenient(topicText),
})

/** Where messages marked as unread are, so that they count even if we never loaded them. */
function readDetails(wire: unknown, me: number): UnreadMessage[] {
  if (typeof wire !== 'object' || wire === null) return []
  const entries: [string, unknown][] = Object.entries(wire)
  return entries.flatMap(([key, value]) => {
    const messageId = Number(key)
    const details = readOr(wireDetails, value)
    if (!details || !Number.isSafeInteger(messageId)) return []
    const conversation = placeOf(details, me)
    return conversation ? [{ messageId, conversation, mentioned: details.mentioned ?? false }] : []
  })
}

function placeOf(details: v.InferOutput<typeof wireDetails>, me: number): Conversation | null {
  if (details.stream_id !== undefined) {
    return { kind: 'topic', channelId: details.stream_id, topic: details.topic ?? '' }
  }
  return details.user_ids === undefined ? null : directConversation(details.user_ids, me)
}

const wireReactionEvent = v.object({ op: change, message_id: id })

function readReactionEvent(wire: unknown): readonly ChatEvent[] {
  const event = readOr(wireReactionEvent, wire)
  const reaction = readReaction(wire)
  if (!event || !reaction) return []
  return [{ type: 'reaction', present: event.op === 'add', messageId: event.message_id, reaction }]
}

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['message', readMessageEvent],
  ['update_message', readUpdate],
  ['delete_message', readDelete],
  ['update_message_flags', readFlagEvent],
  ['reaction', readReactionEvent],
  ['realm_user', readUserEvent],
  ['subscription', readSubscriptionEvent],
  ['stream', readStreamEvent],
  ['user_topic', readTopicPolicyEvent],
  ['muted_users', readMutedUsers],
  ['user_settings', readSettingEvent],
  ['restart', (wire) => [{ type: 'restarted', featureLevel: readFeatureLevel(wire) }]],
])

/** The event types that `readEvent` understands: what a queue is registered for. */
export const readableEvents: readonly string[] = [...readers.keys()]

/**
 * What one event of the queue means to us. Heartbeats, unknown types and unreadable events are `[]`;
 * their id (`eventId`) must be acknowledged all the same.
 */
export function readEvent(wire: unknown, context: ReadContext): readonly ChatEvent[] {
  const type = fieldOf(wire, 'type')
  return (isText(type) ? readers.get(type) : undefined)?.(wire, context) ?? []
}
