import * as v from 'valibot'
import type { ChatEvent, UnreadMessage } from '../../core/chat/chat-event.ts'
import { conversationKey, directConversation } from '../../core/chat/conversation.ts'
import { defined, fieldsOf, isFields } from '../../core/schemas.ts'
import { reader, readOr } from '../schema-field.ts'
import { htmlText, id, lenient, nameText, seconds, topicText } from './chat-fields.ts'
import {
  readDraftEvent,
  readReminderEvent,
  readScheduledEvent,
  readSnippetEvent,
  readStatusEvent,
} from './read-later.ts'
import {
  ids,
  placeOf,
  type ReadContext,
  readEach,
  readFlag,
  readFlags,
  readMessage,
  readReaction,
  readSubmessage,
  readText,
} from './read-message.ts'
import {
  readAllowed,
  readChannel,
  readChannelChange,
  readEmoji,
  readFeatureLevel,
  readGroup,
  readMutedUser,
  readOtherChannel,
  readRulesChange,
  readSetting,
  readTopicPolicy,
  readUser,
} from './read-realm.ts'

const readUserChange = reader(
  v.object({
    user_id: id,
    full_name: lenient(nameText),
    /** Sent when somebody is deactivated or reactivated. */
    is_active: lenient(v.boolean()),
  }),
  ({ user_id: userId, full_name: name, is_active: isActive }): ChatEvent | null => {
    const change = defined({ name, isFormer: isActive === undefined ? undefined : !isActive })
    return Object.keys(change).length === 0 ? null : { type: 'userChanged', userId, change }
  },
)

/** Never removes a user: their messages stay. */
const readUserEvent = reader(
  v.object({ op: v.string(), person: v.unknown() }),
  ({ op, person }): ChatEvent | null => {
    if (op === 'update') return readUserChange(person)
    const user = op === 'add' ? readUser(person) : null
    return user && { type: 'users', users: [user] }
  },
)

const wireChannelEvent = v.object({
  op: v.string(),
  stream_id: lenient(id),
  property: lenient(v.string()),
  value: v.optional(v.unknown()),
  subscriptions: v.optional(v.unknown()),
  /** Since feature level 343, in addition to `streams`. */
  stream_ids: ids,
  streams: v.optional(v.unknown()),
})

/** `peer_add` and `peer_remove` are about other people. */
const readSubscriptionEvent = reader(wireChannelEvent, (event): ChatEvent | null => {
  if (event.op === 'update') return channelChanged(event)
  if (event.op === 'remove')
    return channelsGone(readEach(event.subscriptions, readChannelId), false)
  const channels = event.op === 'add' ? readEach(event.subscriptions, readChannel) : []
  return channels.length === 0 ? null : { type: 'channels', channels }
})

const streamProperties: ReadonlySet<string> = new Set([
  'name',
  'can_send_message_group',
  'stream_post_policy',
  'topics_policy',
])

const readStreamEvent = reader(wireChannelEvent, (event): ChatEvent | null => {
  if (event.op === 'update' && event.property === 'is_archived')
    return event.stream_id === undefined || typeof event.value !== 'boolean'
      ? null
      : { type: 'archived', channelId: event.stream_id, archived: event.value }
  if (event.op === 'update') {
    const isOurs = streamProperties.has(event.property ?? '')
    return isOurs ? channelChanged(event) : null
  }
  if (event.op === 'create')
    return { type: 'channelsMade', channels: readEach(event.streams, readOtherChannel) }
  if (event.op !== 'delete') return null
  return channelsGone(event.stream_ids ?? readEach(event.streams, readChannelId), true)
})

const readChannelId = reader(v.object({ stream_id: id }), (channel) => channel.stream_id)

function channelsGone(channelIds: readonly number[], deleted: boolean): ChatEvent | null {
  return channelIds.length === 0 ? null : { type: 'channelsGone', channelIds, deleted }
}

function channelChanged(event: v.InferOutput<typeof wireChannelEvent>): ChatEvent | null {
  if (event.stream_id === undefined || event.property === undefined) return null
  const change = readChannelChange(event.property, event.value)
  return change && { type: 'channelChanged', channelId: event.stream_id, change }
}

const readMutedUsers = reader(
  v.object({ muted_users: v.array(v.unknown()) }),
  (event): ChatEvent => ({
    type: 'mutedUsers',
    userIds: readEach(event.muted_users, readMutedUser),
  }),
)

const readTyping = reader(
  v.object({
    op: v.picklist(['start', 'stop']),
    /** `private` before feature level 178. */
    message_type: v.picklist(['direct', 'private']),
    sender: v.object({ user_id: id }),
    recipients: v.array(v.object({ user_id: id })),
  }),
  ({ op, sender, recipients }, { me, at = 0 }: ReadContext): ChatEvent | null => {
    // The user's own typing comes back too.
    if (sender.user_id === me) return null
    const people = recipients.map(({ user_id: userId }) => userId)
    return {
      type: 'typing',
      key: conversationKey(directConversation(people, me)),
      userId: sender.user_id,
      at: op === 'start' ? at : null,
    }
  },
)

const readSettingEvent = reader(
  v.object({ property: v.string(), value: v.unknown() }),
  ({ property, value }): ChatEvent | null => {
    const change = readSetting(property, value)
    return change && { type: 'settings', change }
  },
)

const readRealmEvent = reader(
  v.object({
    property: v.string(),
    value: v.optional(v.unknown()),
    /** For `update_dict`. */
    data: v.optional(v.unknown()),
  }),
  ({ property, value, data }): ChatEvent | null => {
    const change = readRulesChange(isFields(data) ? data : { [property]: value })
    return change && { type: 'rules', change }
  },
)

/** An event's id in its queue: even unreadable events must be acknowledged. */
export function eventId(wire: unknown): number | null {
  const number = fieldsOf(wire)['id']
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}

const change = v.picklist(['add', 'remove'])

function readMessageEvent(wire: unknown, context: ReadContext): ChatEvent {
  const { message: wireMessage, flags: beside } = fieldsOf(wire)
  const { id: wireId, flags: within } = fieldsOf(wireMessage)
  // They say whether it mentions the user.
  const flags = readOr(v.array(v.string()), beside ?? within)
  const message = flags && readMessage(wireMessage, { ...context, flags })
  const localId = localIdOf(wire) ?? localIdOf(wireMessage)
  return message === null
    ? { type: 'unreadable', id: readOr(id, wireId), localId }
    : { type: 'message', message, localId }
}

/** Documented as `local_id`; real servers send `local_message_id`. */
function localIdOf(wire: unknown): string | null {
  const { local_message_id: real, local_id: documented } = fieldsOf(wire)
  const written = isText(real) ? real : documented
  return isText(written) ? written : null
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

const wireUpdate = v.object({
  message_id: id,
  message_ids: ids,
  user_id: lenient(v.nullish(id)),
  flags: lenient(v.array(v.string())),
  rendering_only: lenient(v.boolean()),
  edit_timestamp: lenient(seconds),
  is_me_message: lenient(v.boolean()),
  rendered_content: lenient(htmlText),
  // `stream_id` is the channel that the messages left.
  new_stream_id: lenient(id),
  subject: lenient(topicText),
  propagate_mode: lenient(v.string()),
})

const readUpdate = reader(wireUpdate, (event, context: ReadContext) => {
  const events: ChatEvent[] = []
  if (event.rendered_content !== undefined) {
    const html = event.rendered_content
    // Before feature level 114, only the missing author shows that an update is rendering-only.
    const byUser = !(event.rendering_only ?? event.user_id === undefined)
    events.push({
      type: 'edited',
      messageId: event.message_id,
      html,
      text: readText(html, event.is_me_message ?? false, context.toText),
      editedAt: byUser && event.edit_timestamp !== undefined ? event.edit_timestamp * 1000 : null,
      flags: event.flags === undefined ? null : readFlags(event.flags),
      isAction: event.is_me_message ?? null,
    })
  }
  if (event.new_stream_id !== undefined || event.subject !== undefined) {
    events.push({
      type: 'moved',
      messageIds: event.message_ids ?? [event.message_id],
      toChannelId: event.new_stream_id ?? null,
      toTopic: event.subject ?? null,
      isWhole: event.propagate_mode === 'change_all',
    })
  }
  return events
})

const readDelete = reader(
  v.object({ message_ids: ids, message_id: lenient(id) }),
  (event): ChatEvent | null => {
    const one = event.message_id === undefined ? [] : [event.message_id]
    const messageIds = event.message_ids ?? one
    return messageIds.length === 0 ? null : { type: 'deleted', messageIds }
  },
)

const wireFlags = v.object({
  op: lenient(change),
  /** Until feature level 32; later servers send it in addition to `op`. */
  operation: lenient(change),
  flag: v.string(),
  messages: ids,
  all: lenient(v.boolean()),
  message_details: v.optional(v.unknown()),
})

const readFlagEvent = reader(wireFlags, (event, { me }: ReadContext): ChatEvent | null => {
  const op = event.op ?? event.operation
  const flag = readFlag(event.flag)
  if (!flag || op === undefined) return null
  return {
    type: 'flag',
    present: op === 'add',
    flag,
    messageIds: event.messages ?? [],
    all: event.all ?? false,
    unread: readDetails(event.message_details, me),
  }
})

const wireDetails = v.object({
  type: v.picklist(['stream', 'channel', 'private', 'direct']),
  mentioned: lenient(v.boolean()),
  user_ids: ids,
  stream_id: lenient(id),
  topic: lenient(topicText),
})

const readDetail = reader(wireDetails, (row, messageId: number, me: number) => {
  const conversation = placeOf(me, row.stream_id, row.topic, row.user_ids)
  return conversation && { messageId, conversation, mentioned: row.mentioned ?? false }
})

/** Where messages marked as unread are, so that they count even if never loaded. */
function readDetails(wire: unknown, me: number): UnreadMessage[] {
  if (typeof wire !== 'object' || wire === null) return []
  const entries: [string, unknown][] = Object.entries(wire)
  return entries.flatMap(([key, value]) => {
    const messageId = Number(key)
    return Number.isSafeInteger(messageId) ? (readDetail(value, messageId, me) ?? []) : []
  })
}

const readSubmessageEvent = reader(
  v.object({ message_id: id }),
  (event, wire: unknown): ChatEvent | null => {
    const submessage = readSubmessage(wire)
    return submessage && { type: 'submessage', messageId: event.message_id, submessage }
  },
)

const wireGroupEvent = v.object({
  op: v.string(),
  group_id: lenient(id),
  group: v.optional(v.unknown()),
  user_ids: ids,
  direct_subgroup_ids: ids,
  data: v.optional(v.unknown()),
})

const wireGroupChange = v.object({
  name: lenient(nameText),
  deactivated: lenient(v.boolean()),
  can_mention_group: v.optional(v.unknown()),
})

const readGroupEvent = reader(wireGroupEvent, (event, me: number): ChatEvent | null => {
  const added = event.op === 'add' ? readGroup(event.group, me) : null
  if (added !== null) {
    const { id: newId, ...change } = added
    return { type: 'group', groupId: newId, change }
  }
  const { op, group_id: groupId, user_ids: people = [], direct_subgroup_ids: groups = [] } = event
  if (groupId === undefined) return null
  // What clients that don't request deactivated groups get when one is deactivated.
  if (op === 'remove') return { type: 'group', groupId, change: { isOff: true, hasMe: false } }
  if (op === 'add_subgroups') return { type: 'group', groupId, added: groups }
  if (op === 'remove_subgroups') return { type: 'group', groupId, removed: groups }
  const data = readOr(wireGroupChange, event.data)
  if (op === 'update' && data !== null) {
    const { name, deactivated: isOff, can_mention_group: mention } = data
    const canMention = mention === undefined ? undefined : readAllowed(mention)
    return { type: 'group', groupId, change: defined({ name, isOff, canMention }) }
  }
  if (!people.includes(me)) return null
  return { type: 'group', groupId, change: { hasMe: op === 'add_members' } }
})

const readReactionEvent = reader(
  v.object({ op: change, message_id: id }),
  ({ op, message_id: messageId }, wire: unknown): ChatEvent | null => {
    const reaction = readReaction(wire)
    return reaction && { type: 'reaction', present: op === 'add', messageId, reaction }
  },
)

type Reader = (wire: unknown, context: ReadContext) => ChatEvent | readonly ChatEvent[] | null

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['message', readMessageEvent],
  ['update_message', readUpdate],
  ['delete_message', readDelete],
  ['update_message_flags', readFlagEvent],
  ['reaction', (wire) => readReactionEvent(wire, wire)],
  ['submessage', (wire) => readSubmessageEvent(wire, wire)],
  ['realm_user', readUserEvent],
  ['subscription', readSubscriptionEvent],
  ['stream', readStreamEvent],
  [
    'user_topic',
    (wire) => {
      const row = readTopicPolicy(wire)
      return row && { type: 'topicPolicy', ...row }
    },
  ],
  ['muted_users', readMutedUsers],
  ['typing', readTyping],
  ['user_settings', readSettingEvent],
  ['realm', readRealmEvent],
  [
    'realm_emoji',
    (wire) => {
      const { realm_emoji: all } = fieldsOf(wire)
      if (!isFields(all)) return null
      return { type: 'emoji', emoji: new Map(readEach(Object.entries(all), readEmoji)) }
    },
  ],
  ['user_group', (wire, { me }) => readGroupEvent(wire, me)],
  ['drafts', readDraftEvent],
  ['scheduled_messages', (wire, { me }) => readScheduledEvent(wire, me)],
  ['saved_snippets', readSnippetEvent],
  ['reminders', (wire, { me }) => readReminderEvent(wire, me)],
  ['user_status', (wire, { me }) => readStatusEvent(wire, me)],
  ['restart', (wire) => ({ type: 'restarted', featureLevel: readFeatureLevel(wire) })],
])

/** The event types that `readEvent` understands; queues are registered for these. */
export const readableEvents: readonly string[] = [...readers.keys()]

/**
 * Reads one event of the queue. Returns `[]` for heartbeats, unknown types and unreadable events,
 * but their id (`eventId`) must still be acknowledged.
 */
export function readEvent(wire: unknown, context: ReadContext): readonly ChatEvent[] {
  const { type } = fieldsOf(wire)
  const read = isText(type) ? readers.get(type)?.(wire, context) : null
  return [read ?? []].flat()
}
