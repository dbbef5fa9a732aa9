import {
  array,
  boolean,
  nullable,
  number,
  object,
  optional,
  picklist,
  string,
  union,
  unknown,
} from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import {
  answer,
  avatarAddresses,
  channelId,
  done,
  emojiFields,
  flagField,
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
  recipientKind,
  textField,
  topicField,
  whole,
} from './chat-fields.ts'

/** A message id, or one of the words that the server resolves itself. */
const anchor = field(
  union([id, picklist(['newest', 'oldest', 'first_unread'])]),
  'Around',
  'A message id, newest, oldest or first_unread.',
)
const numBefore = field(id, 'Before', 'How many messages before it.')
const numAfter = field(id, 'After', 'How many messages after it.')
const includeAnchor = optional(flagField('With it', 'Off only when one of the two counts is 0.'))
const flagChange = {
  op: field(picklist(['add', 'remove']), 'Change', 'Add the flag or remove it.'),
  flag: textField('Flag', 'Editable are read, starred and collapsed.'),
}
const startStop = field(picklist(['start', 'stop']), 'Change', 'Whether typing starts or stops.')
const rendered = optional(flagField('Rendered', 'Contents as HTML, not Markdown.'), true)
const emptyTopicAllowed = optional(
  flagField('Empty topic as such', 'Else it comes under the name shown for it.'),
  true,
)

/** Half an hour of history is a few hundred kB; 5,000 rendered messages with code can be 30 MB, 100 of the longest 60. */
const messagesMaxBytes = 64 * 1024 * 1024

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
      to: field(
        union([string(), id, array(id), array(string())]),
        'To',
        'A channel’s id or name; for direct messages a list of user ids or e-mails.',
      ),
      content: markdownContent,
      topic: optional(topicField),
      queue_id: optional(textField('Queue', 'The queue for the local echo.', { hidden: true })),
      local_id: optional(textField('Local id', 'Comes back in that queue.', { hidden: true })),
      read_by_sender: optional(readBySender),
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
      num_before: optional(numBefore),
      num_after: optional(numAfter),
      include_anchor: includeAnchor,
      narrow: optional(narrowField),
      message_ids: optional(idsField('Messages', 'These alone, in place of those around one.')),
      apply_markdown: rendered,
      allow_empty_topic_name: emptyTopicAllowed,
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
      message_id: messageId,
      apply_markdown: rendered,
      allow_empty_topic_name: emptyTopicAllowed,
    }),
    reply: answer({ message: unknown(), raw_content: lenient(string()) }),
    effect: 'read',
  }),
  updateMessageFlags: operation({
    service: 'chat',
    title: 'Update personal message flags',
    method: 'POST',
    path: '/api/v1/messages/flags',
    params: object({
      messages: idsField('Messages', 'By their ids.', { picker: 'message' }),
      ...flagChange,
    }),
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
      num_before: numBefore,
      num_after: numAfter,
      include_anchor: includeAnchor,
      narrow: narrowField,
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
      message_id: messageId,
      emoji_name: nameField('Emoji', 'Its name, such as thumbs_up.'),
      emoji_code: optional(emojiFields.emoji_code),
      reaction_type: optional(emojiFields.reaction_type),
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
      message_id: messageId,
      emoji_name: optional(emojiFields.emoji_name),
      emoji_code: optional(emojiFields.emoji_code),
      reaction_type: optional(emojiFields.reaction_type),
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
      op: startStop,
      type: optional(
        field(picklist(['direct', 'channel', 'stream']), 'Kind', 'Where; direct when not given.'),
      ),
      to: optional(idsField('To', 'Direct: the people.', { picker: 'users' })),
      stream_id: optional(channelId),
      topic: optional(topicField),
    }),
    reply: done,
    effect: 'write',
  }),
  setTypingForEdit: operation({
    service: 'chat',
    title: 'Set typing status for message editing',
    method: 'POST',
    path: '/api/v1/messages/{message_id}/typing',
    params: object({ message_id: messageId, op: startStop }),
    reply: done,
    effect: 'write',
  }),
  /** Content, topic and channel can change in one go; the move takes as many messages as `propagate_mode` says. */
  editMessage: operation({
    service: 'chat',
    title: 'Edit a message',
    method: 'PATCH',
    path: '/api/v1/messages/{message_id}',
    params: object({
      message_id: messageId,
      content: optional(markdownContent),
      topic: optional(textField('Move to topic', 'The new topic; for channel messages only.')),
      stream_id: optional(idField('Move to channel', 'The new channel.', { picker: 'channel' })),
      propagate_mode: optional(
        field(
          picklist(['change_one', 'change_later', 'change_all']),
          'Moves',
          'This message, this and all later ones, or the whole topic.',
        ),
      ),
      send_notification_to_old_thread: optional(
        flagField('Tell the old topic', 'A message there says where they went.'),
      ),
      send_notification_to_new_thread: optional(
        flagField('Tell the new topic', 'A message there says where they came from.'),
      ),
      prev_content_sha256: optional(
        textField('Hash of the old text', 'Refused when the message was edited meanwhile.'),
      ),
    }),
    reply: answer({ detached_uploads: lenient(items) }),
    effect: 'write',
  }),
  deleteMessage: operation({
    service: 'chat',
    title: 'Delete a message',
    method: 'DELETE',
    path: '/api/v1/messages/{message_id}',
    params: object({ message_id: messageId }),
    reply: done,
    effect: 'destroy',
    destroys: 'message {message_id}, for everyone and for good',
  }),
  /** Older than flags for a narrow, and still there. */
  markChannelAsRead: operation({
    service: 'chat',
    title: 'Mark messages in a channel as read',
    method: 'POST',
    path: '/api/v1/mark_stream_as_read',
    params: object({ stream_id: channelId }),
    reply: done,
    effect: 'write',
  }),
  markTopicAsRead: operation({
    service: 'chat',
    title: 'Mark messages in a topic as read',
    method: 'POST',
    path: '/api/v1/mark_topic_as_read',
    params: object({ stream_id: channelId, topic_name: textField('Topic', 'Its name.') }),
    reply: done,
    effect: 'write',
  }),
}
