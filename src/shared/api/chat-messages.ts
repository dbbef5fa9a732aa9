import {
  array,
  boolean,
  integer,
  minLength,
  minValue,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  string,
  union,
  unknown,
} from 'valibot'
import {
  answer,
  avatarAddresses,
  done,
  id,
  items,
  lenient,
  narrowTerm,
  reactionType,
  recipientKind,
  whole,
} from './chat-fields.ts'
import { operation } from './operation.ts'

/** A message id, or one of the words that the server resolves itself. */
const anchor = union([id, picklist(['newest', 'oldest', 'first_unread'])])
const count = pipe(number(), integer(), minValue(0))
const flagChange = { op: picklist(['add', 'remove']), flag: string() }

/** Half an hour of history is a few hundred kB; 5,000 rendered messages with code can be 30 MB. */
const messagesMaxBytes = 32 * 1024 * 1024

export const messageOperations = {
  /**
   * Always send ids in `to` (a channel named "123" would be taken for channel 123), `read_by_sender:
   * true` (else one's own message comes back unread), and both of `queue_id` and `local_id` or none.
   * Too long content and topics are cut silently by real servers: count before.
   */
  sendMessage: operation({
    service: 'chat',
    title: 'Send a message',
    method: 'POST',
    path: '/api/v1/messages',
    params: object({
      type: recipientKind,
      to: union([string(), id, array(id), array(string())]),
      content: pipe(string(), minLength(1)),
      topic: optional(string()),
      queue_id: optional(string()),
      local_id: optional(string()),
      read_by_sender: optional(boolean()),
    }),
    reply: answer({ id, automatic_new_visibility_policy: lenient(whole) }),
    effect: 'write',
  }),
  getMessages: operation({
    service: 'chat',
    title: 'Get messages',
    method: 'GET',
    path: '/api/v1/messages',
    params: object({
      anchor: optional(anchor),
      num_before: optional(count),
      num_after: optional(count),
      /** False only when one of the two counts is 0. */
      include_anchor: optional(boolean()),
      narrow: optional(array(narrowTerm)),
      message_ids: optional(array(id)),
      apply_markdown: optional(boolean(), true),
      allow_empty_topic_name: optional(boolean(), true),
      ...avatarAddresses,
    }),
    reply: answer({
      messages: items,
      found_oldest: lenient(boolean()),
      found_newest: lenient(boolean()),
      found_anchor: lenient(boolean()),
      history_limited: lenient(boolean()),
      /** Not for arithmetic: `newest` is echoed as a number above 2^53. */
      anchor: lenient(number()),
    }),
    effect: 'read',
    maxBytes: messagesMaxBytes,
  }),
  getMessage: operation({
    service: 'chat',
    title: 'Fetch a single message',
    method: 'GET',
    path: '/api/v1/messages/{message_id}',
    params: object({
      message_id: id,
      apply_markdown: optional(boolean(), true),
      allow_empty_topic_name: optional(boolean(), true),
    }),
    reply: answer({ message: unknown(), raw_content: lenient(string()) }),
    effect: 'read',
  }),
  updateMessageFlags: operation({
    service: 'chat',
    title: 'Update personal message flags',
    method: 'POST',
    path: '/api/v1/messages/flags',
    params: object({ messages: array(id), ...flagChange }),
    reply: answer({
      messages: lenient(array(id)),
      ignored_because_not_subscribed_channels: lenient(array(id)),
    }),
    effect: 'write',
  }),
  /** At most 5,000 messages a call: go on from `last_processed_id` until `found_newest`. */
  updateMessageFlagsForNarrow: operation({
    service: 'chat',
    title: 'Update personal message flags for narrow',
    method: 'POST',
    path: '/api/v1/messages/flags/narrow',
    params: object({
      anchor,
      num_before: count,
      num_after: count,
      include_anchor: optional(boolean()),
      narrow: array(narrowTerm),
      ...flagChange,
    }),
    reply: answer({
      processed_count: whole,
      updated_count: whole,
      first_processed_id: nullable(id),
      last_processed_id: nullable(id),
      found_oldest: boolean(),
      found_newest: boolean(),
      ignored_because_not_subscribed_channels: lenient(array(id)),
    }),
    effect: 'write',
  }),
  /** `complete` false: the server ran out of its 50 s, call again. */
  markAllAsRead: operation({
    service: 'chat',
    title: 'Mark all messages as read',
    method: 'POST',
    path: '/api/v1/mark_all_as_read',
    params: object({}),
    reply: answer({ complete: lenient(boolean()) }),
    effect: 'write',
    deadlineMs: 60_000,
  }),
  addReaction: operation({
    service: 'chat',
    title: 'Add an emoji reaction',
    method: 'POST',
    path: '/api/v1/messages/{message_id}/reactions',
    params: object({
      message_id: id,
      emoji_name: pipe(string(), minLength(1)),
      emoji_code: optional(string()),
      reaction_type: optional(reactionType),
    }),
    reply: done,
    effect: 'write',
  }),
  /** Without `reaction_type` the server looks among Unicode emoji only. */
  removeReaction: operation({
    service: 'chat',
    title: 'Remove an emoji reaction',
    method: 'DELETE',
    path: '/api/v1/messages/{message_id}/reactions',
    params: object({
      message_id: id,
      emoji_name: optional(string()),
      emoji_code: optional(string()),
      reaction_type: optional(reactionType),
    }),
    reply: done,
    effect: 'write',
  }),
  setTyping: operation({
    service: 'chat',
    title: 'Set "typing" status',
    method: 'POST',
    path: '/api/v1/typing',
    params: object({
      op: picklist(['start', 'stop']),
      type: optional(picklist(['direct', 'channel', 'stream'])),
      to: optional(array(id)),
      stream_id: optional(id),
      topic: optional(string()),
    }),
    reply: done,
    effect: 'write',
  }),
  setTypingForEdit: operation({
    service: 'chat',
    title: 'Set typing status for message editing',
    method: 'POST',
    path: '/api/v1/messages/{message_id}/typing',
    params: object({ message_id: id, op: picklist(['start', 'stop']) }),
    reply: done,
    effect: 'write',
  }),
  createScheduledMessage: operation({
    service: 'chat',
    title: 'Create a scheduled message',
    method: 'POST',
    path: '/api/v1/scheduled_messages',
    params: object({
      type: recipientKind,
      to: union([id, array(id)]),
      content: pipe(string(), minLength(1)),
      topic: optional(string()),
      /** Epoch seconds, in the future. */
      scheduled_delivery_timestamp: id,
      read_by_sender: optional(boolean()),
    }),
    reply: answer({ scheduled_message_id: id }),
    effect: 'write',
  }),
}
