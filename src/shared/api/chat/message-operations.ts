import * as v from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import {
  answer,
  avatarAddresses,
  channelId,
  deletes,
  emojiFields,
  emptyTopicAllowed,
  flag,
  id,
  idField,
  idsField,
  items,
  lenient,
  markdownContent,
  messageId,
  nameField,
  narrowField,
  readBySender,
  reads,
  recipientKind,
  rendered,
  textField,
  topicField,
  whole,
  writes,
} from './chat-fields.ts'

const anchor = field(
  v.union([id, v.picklist(['newest', 'oldest', 'first_unread'])]),
  'Around',
  'A message id, newest, oldest or first_unread.',
)
const numBefore = field(id, 'Before', 'How many messages before it.')
const numAfter = field(id, 'After', 'How many messages after it.')
const includeAnchor = flag(
  'Include that message',
  'Can be off only when one of the two counts is 0.',
)
const flagChange = {
  op: field(v.picklist(['add', 'remove']), 'Change', 'Add the flag or remove it.'),
  flag: textField('Flag', 'One of read, starred and collapsed.'),
}
const startStop = field(v.picklist(['start', 'stop']), 'Change', 'Whether typing starts or stops.')

/** 5,000 rendered messages with code can be 30 MB, 100 of the longest ones 60 MB. */
const messagesMaxBytes = 64 * 1024 * 1024

export const messageOperations = {
  /**
   * Always send ids in `to` (a channel named "123" would be taken for channel 123), `read_by_sender:
   * true` (otherwise our own message comes back unread), and both of `queue_id` and `local_id` or
   * neither. Servers silently truncate content and topics that are too long: check first.
   */
  sendMessage: operation({
    ...writes,
    title: 'Send a message',
    path: '/api/v1/messages',
    params: v.object({
      type: recipientKind,
      to: field(
        v.union([v.string(), id, v.array(id), v.array(v.string())]),
        'To',
        'A channel id or name; for direct messages a list of user ids or e-mail addresses.',
      ),
      content: markdownContent,
      topic: v.optional(topicField),
      queue_id: v.optional(textField('Queue', 'The queue for the local echo.', { hidden: true })),
      local_id: v.optional(textField('Local id', 'Comes back in that queue.', { hidden: true })),
      read_by_sender: v.optional(readBySender),
    }),
    reply: answer({ id, automatic_new_visibility_policy: lenient(whole) }),
  }),
  getMessages: operation({
    ...reads,
    title: 'Get messages',
    path: '/api/v1/messages',
    params: v.object({
      anchor: v.optional(anchor),
      num_before: v.optional(numBefore),
      num_after: v.optional(numAfter),
      include_anchor: includeAnchor,
      narrow: v.optional(narrowField),
      message_ids: v.optional(idsField('Messages', 'Only these, instead of those around one.')),
      apply_markdown: rendered,
      allow_empty_topic_name: emptyTopicAllowed,
      ...avatarAddresses,
    }),
    reply: answer({
      messages: items,
      found_oldest: lenient(v.boolean()),
      found_newest: lenient(v.boolean()),
      found_anchor: lenient(v.boolean()),
      history_limited: lenient(v.boolean()),
      /** Not for arithmetic: `newest` is echoed as a number above 2^53. */
      anchor: lenient(v.number()),
    }),
    maxBytes: messagesMaxBytes,
  }),
  getMessage: operation({
    ...reads,
    title: 'Fetch a single message',
    path: '/api/v1/messages/{message_id}',
    params: v.object({
      message_id: messageId,
      apply_markdown: rendered,
      allow_empty_topic_name: emptyTopicAllowed,
    }),
    reply: answer({ message: v.unknown(), raw_content: lenient(v.string()) }),
  }),
  updateMessageFlags: operation({
    ...writes,
    title: 'Update personal message flags',
    path: '/api/v1/messages/flags',
    params: v.object({
      messages: idsField('Messages', 'The ids of the messages.', { picker: 'message' }),
      ...flagChange,
    }),
    reply: answer({
      messages: lenient(v.array(id)),
      ignored_because_not_subscribed_channels: lenient(v.array(id)),
    }),
  }),
  /** At most 5,000 messages per call: continue from `last_processed_id` until `found_newest`. */
  updateMessageFlagsForNarrow: operation({
    ...writes,
    title: 'Update personal message flags for narrow',
    path: '/api/v1/messages/flags/narrow',
    params: v.object({
      anchor,
      num_before: numBefore,
      num_after: numAfter,
      include_anchor: includeAnchor,
      narrow: narrowField,
      ...flagChange,
    }),
    reply: answer({
      processed_count: whole,
      updated_count: whole,
      first_processed_id: v.nullable(id),
      last_processed_id: v.nullable(id),
      found_oldest: v.boolean(),
      found_newest: v.boolean(),
      ignored_because_not_subscribed_channels: lenient(v.array(id)),
    }),
  }),
  /** `complete` false: the server ran out of its 50 s, call again. */
  markAllAsRead: operation({
    ...writes,
    title: 'Mark all messages as read',
    path: '/api/v1/mark_all_as_read',
    params: v.object({}),
    reply: answer({ complete: lenient(v.boolean()) }),
    deadlineMs: 60_000,
  }),
  addReaction: operation({
    ...writes,
    title: 'Add an emoji reaction',
    path: '/api/v1/messages/{message_id}/reactions',
    params: v.object({
      message_id: messageId,
      emoji_name: nameField('Emoji', 'Its name, such as thumbs_up.'),
      emoji_code: v.optional(emojiFields.emoji_code),
      reaction_type: v.optional(emojiFields.reaction_type),
    }),
  }),
  /** Without `reaction_type` the server looks among Unicode emoji only. */
  removeReaction: operation({
    ...writes,
    title: 'Remove an emoji reaction',
    method: 'DELETE',
    path: '/api/v1/messages/{message_id}/reactions',
    params: v.object({
      message_id: messageId,
      emoji_name: v.optional(emojiFields.emoji_name),
      emoji_code: v.optional(emojiFields.emoji_code),
      reaction_type: v.optional(emojiFields.reaction_type),
    }),
  }),
  setTyping: operation({
    ...writes,
    title: 'Set "typing" status',
    path: '/api/v1/typing',
    params: v.object({
      op: startStop,
      type: v.optional(
        field(v.picklist(['direct', 'channel', 'stream']), 'Kind', 'Direct by default.'),
      ),
      to: v.optional(idsField('To', 'For direct messages: the recipients.', { picker: 'users' })),
      stream_id: v.optional(channelId),
      topic: v.optional(topicField),
    }),
  }),
  setTypingForEdit: operation({
    ...writes,
    title: 'Set typing status for message editing',
    path: '/api/v1/messages/{message_id}/typing',
    params: v.object({ message_id: messageId, op: startStop }),
  }),
  /** Can change content, topic and channel at once; `propagate_mode` says how many messages move. */
  editMessage: operation({
    ...writes,
    title: 'Edit a message',
    method: 'PATCH',
    path: '/api/v1/messages/{message_id}',
    params: v.object({
      message_id: messageId,
      content: v.optional(markdownContent),
      topic: v.optional(textField('Move to topic', 'The new topic; for channel messages only.')),
      stream_id: v.optional(idField('Move to channel', 'The new channel.', { picker: 'channel' })),
      propagate_mode: v.optional(
        field(
          v.picklist(['change_one', 'change_later', 'change_all']),
          'What to move',
          'This message, this and all later ones, or the whole topic.',
        ),
      ),
      send_notification_to_old_thread: flag(
        'Notify the old topic',
        'Post there where the messages went.',
      ),
      send_notification_to_new_thread: flag(
        'Notify the new topic',
        'Post there where the messages came from.',
      ),
      prev_content_sha256: v.optional(
        textField('Hash of the old text', 'The edit is refused if the message has changed since.'),
      ),
    }),
    reply: answer({ detached_uploads: lenient(items) }),
  }),
  deleteMessage: operation({
    ...deletes,
    title: 'Delete a message',
    path: '/api/v1/messages/{message_id}',
    params: v.object({ message_id: messageId }),
    destroys: 'message {message_id}, for everyone and for good',
  }),
  /** Older than flags for a narrow, and still there. */
  markChannelAsRead: operation({
    ...writes,
    title: 'Mark messages in a channel as read',
    path: '/api/v1/mark_stream_as_read',
    params: v.object({ stream_id: channelId }),
  }),
  markTopicAsRead: operation({
    ...writes,
    title: 'Mark messages in a topic as read',
    path: '/api/v1/mark_topic_as_read',
    params: v.object({
      stream_id: channelId,
      topic_name: textField('Topic', 'The name of the topic.'),
    }),
  }),
}
