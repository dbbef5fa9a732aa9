import * as v from 'valibot'
import { field, flag, optionalField, textUpTo } from '../schema-field.ts'
import {
  avatarAddresses,
  channelId,
  choice,
  del,
  emojiFields,
  emptyTopicAllowed,
  get,
  id,
  idField,
  idsField,
  items,
  lenient,
  markdownContent,
  messageId,
  nameField,
  nonEmpty,
  patch,
  post,
  readBySender,
  recipientKind,
  rendered,
  textField,
  topicField,
  whole,
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
/** Prefer ids as operands: names change. */
const narrowTerm = v.object({
  operator: textField('Operator', 'Such as channel, topic, dm, sender, is, has or search.'),
  operand: field(
    v.union([v.string(), whole, v.array(v.union([v.string(), whole]))]),
    'Operand',
    'What to match; ids work too, and survive renames.',
  ),
  negated: flag('Not', 'Match all other messages instead.'),
})

const narrowField = field(
  v.array(narrowTerm),
  'Narrow',
  'Only messages that match all of these filters.',
)
const flagChange = {
  op: field(v.picklist(['add', 'remove']), 'Change', 'Add the flag or remove it.'),
  flag: textField('Flag', 'One of read, starred and collapsed.'),
}
const startStop = field(v.picklist(['start', 'stop']), 'Change', 'Whether typing starts or stops.')

/** A bare number would be an id; in JSON quotes, the server takes it for a name. */
const recipientName = v.pipe(
  v.string(),
  v.transform((name) => (/^-?\d+(?:\.\d+)?$/.test(name.trim()) ? JSON.stringify(name) : name)),
)

/** 5,000 rendered messages with code can be 30 MB, 100 of the longest 60 MB. */
const messagesMaxBytes = 64 * 1024 * 1024

export const messageOperations = {
  /**
   * Always send ids in `to`, since names change, `read_by_sender: true` (otherwise our own message
   * comes back unread), and both of `queue_id` and `local_id` or neither. Servers silently truncate
   * content and topics that are too long: check first.
   */
  sendMessage: post(
    'Send a message',
    '/messages',
    {
      type: recipientKind,
      to: field(
        v.union([recipientName, id, v.array(id), v.array(v.string())]),
        'To',
        'A channel id, or a name, in quotes if it is a number; for direct messages a list of user ids or e-mail addresses.',
      ),
      content: markdownContent,
      topic: v.optional(topicField),
      queue_id: v.optional(textField('Queue', 'The queue for the local echo.', { hidden: true })),
      local_id: v.optional(textField('Local id', 'Comes back in that queue.', { hidden: true })),
      read_by_sender: v.optional(readBySender),
    },
    { id, automatic_new_visibility_policy: lenient(whole) },
  ),
  getMessages: get(
    'Get messages',
    '/messages',
    {
      anchor: v.optional(anchor),
      num_before: v.optional(numBefore),
      num_after: v.optional(numAfter),
      include_anchor: includeAnchor,
      narrow: v.optional(narrowField),
      message_ids: v.optional(idsField('Messages', 'Only these, instead of those around one.')),
      apply_markdown: rendered,
      allow_empty_topic_name: emptyTopicAllowed,
      ...avatarAddresses,
    },
    {
      messages: items,
      found_oldest: lenient(v.boolean()),
      found_newest: lenient(v.boolean()),
      found_anchor: lenient(v.boolean()),
      history_limited: lenient(v.boolean()),
      /** Not for arithmetic: `newest` is echoed as a number above 2^53. */
      anchor: lenient(v.number()),
    },
    { maxBytes: messagesMaxBytes },
  ),
  getMessage: get(
    'Fetch a single message',
    '/messages/{message_id}',
    {
      message_id: messageId,
      apply_markdown: rendered,
      allow_empty_topic_name: emptyTopicAllowed,
    },
    { message: v.unknown(), raw_content: lenient(v.string()) },
  ),
  updateMessageFlags: post(
    'Update personal message flags',
    '/messages/flags',
    {
      messages: idsField('Messages', 'The ids of the messages.', { picker: 'message' }),
      ...flagChange,
    },
    {
      messages: lenient(v.array(id)),
      ignored_because_not_subscribed_channels: lenient(v.array(id)),
    },
  ),
  /** At most 5,000 messages per call: continue from `last_processed_id` until `found_newest`. */
  updateMessageFlagsForNarrow: post(
    'Update personal message flags for narrow',
    '/messages/flags/narrow',
    {
      anchor,
      num_before: numBefore,
      num_after: numAfter,
      include_anchor: includeAnchor,
      narrow: narrowField,
      ...flagChange,
    },
    {
      processed_count: whole,
      updated_count: whole,
      first_processed_id: v.nullable(id),
      last_processed_id: v.nullable(id),
      found_oldest: v.boolean(),
      found_newest: v.boolean(),
      ignored_because_not_subscribed_channels: lenient(v.array(id)),
    },
  ),
  /** `complete` false: the server ran out of its 50 s; call again. */
  markAllAsRead: post(
    'Mark all messages as read',
    '/mark_all_as_read',
    {},
    { complete: lenient(v.boolean()) },
    { deadlineMs: 60_000 },
  ),
  addReaction: post('Add an emoji reaction', '/messages/{message_id}/reactions', {
    message_id: messageId,
    emoji_name: nameField('Emoji', 'Its name, such as thumbs_up.'),
    ...emojiFields,
  }),
  /** Without `reaction_type`, the server searches only Unicode emoji. */
  removeReaction: del('Remove an emoji reaction', '/messages/{message_id}/reactions', {
    message_id: messageId,
    emoji_name: v.optional(textField('Emoji', 'Its name, such as thumbs_up.')),
    ...emojiFields,
  }),
  setTyping: post('Set "typing" status', '/typing', {
    op: startStop,
    type: choice(['direct', 'channel', 'stream'], 'Kind', 'Direct by default.'),
    to: v.optional(idsField('To', 'For direct messages: the recipients.', { picker: 'users' })),
    stream_id: v.optional(channelId),
    topic: v.optional(topicField),
  }),
  setTypingForEdit: post('Set typing status for message editing', '/messages/{message_id}/typing', {
    message_id: messageId,
    op: startStop,
  }),
  /**
   * Can change the topic along with content or channel; `propagate_mode`: how many messages move.
   */
  editMessage: patch(
    'Edit a message',
    '/messages/{message_id}',
    {
      message_id: messageId,
      content: v.optional(markdownContent),
      topic: v.optional(textField('Move to topic', 'The new topic; for channel messages only.')),
      stream_id: v.optional(idField('Move to channel', 'The new channel.', { picker: 'channel' })),
      propagate_mode: choice(
        ['change_one', 'change_later', 'change_all'],
        'What to move',
        'This message, this and all later ones, or the whole topic.',
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
        textField('Hash of the old text', 'The edit is refused if the message has changed since.', {
          since: 379,
        }),
      ),
    },
    { detached_uploads: lenient(items) },
  ),
  /** Sends nothing to anybody. */
  renderMessage: post(
    'Render a message',
    '/messages/render',
    { content: markdownContent },
    { rendered: v.string() },
    { effect: 'read' },
  ),
  deleteMessage: del(
    'Delete a message',
    '/messages/{message_id}',
    { message_id: messageId },
    'message {message_id}, for everyone, permanently',
  ),
  /** Superseded by flags for a narrow, but still supported. */
  markChannelAsRead: post('Mark messages in a channel as read', '/mark_stream_as_read', {
    stream_id: channelId,
  }),
  markTopicAsRead: post('Mark messages in a topic as read', '/mark_topic_as_read', {
    stream_id: channelId,
    topic_name: textField('Topic', 'The name of the topic.'),
  }),
}

const draftId = idField('Draft', 'The id of the draft.', { picker: 'draft' })
const snippetId = idField('Snippet', 'The id of the snippet.', { picker: 'snippet' })

/** Without an `id`, which the server refuses. */
const draftEntries = {
  type: field(v.picklist(['', 'stream', 'private']), 'Kind', 'Empty if there is no recipient yet.'),
  to: idsField('To', 'One channel id, or user ids; empty if there is no recipient yet.'),
  topic: textField('Topic', 'For channel drafts.'),
  content: textField('Text', 'Markdown; not blank.', { multiline: true }),
  timestamp: optionalField(id, 'Last edited', 'The time at the server by default.', {
    unit: 'unixSeconds',
  }),
}

const snippetTitle = field(
  v.pipe(textUpTo(60), v.minLength(1)),
  'Title',
  'The name to find it by.',
  {
    maxCodePoints: 60,
  },
)
const snippetContent = field(nonEmpty, 'Text', 'Markdown.', { multiline: true })

/** Servers refuse all operations on drafts while the user's draft synchronization is off. */
export const draftOperations = {
  /** Ordered by the last edit. */
  listDrafts: get('Get drafts', '/drafts', {}, { count: lenient(id), drafts: items }),
  /** The ids are in the order of the drafts. */
  createDrafts: post(
    'Create drafts',
    '/drafts',
    { drafts: field(v.array(v.object(draftEntries)), 'Drafts', 'One or several.') },
    { ids: v.array(id) },
  ),
  editDraft: patch('Edit a draft', '/drafts/{draft_id}', {
    draft_id: draftId,
    draft: field(v.object(draftEntries), 'Draft', 'Replaces the whole draft.'),
  }),
  deleteDraft: del(
    'Delete a draft',
    '/drafts/{draft_id}',
    { draft_id: draftId },
    'draft {draft_id} on the server, for all your devices',
  ),
  listSavedSnippets: get('Get saved snippets', '/saved_snippets', {}, { saved_snippets: items }),
  createSavedSnippet: post(
    'Create a saved snippet',
    '/saved_snippets',
    { title: snippetTitle, content: snippetContent },
    { saved_snippet_id: id },
  ),
  editSavedSnippet: patch('Edit a saved snippet', '/saved_snippets/{saved_snippet_id}', {
    saved_snippet_id: snippetId,
    title: v.optional(snippetTitle),
    content: v.optional(snippetContent),
  }),
  deleteSavedSnippet: del(
    'Delete a saved snippet',
    '/saved_snippets/{saved_snippet_id}',
    { saved_snippet_id: snippetId },
    'the saved snippet {saved_snippet_id}',
  ),
}

const scheduledId = idField(
  'Scheduled message',
  'Its own id; the message gets another when it is sent.',
  { picker: 'scheduledMessage' },
)
const to = field(
  v.union([id, v.array(id)]),
  'To',
  'A channel id; for direct messages a list of user ids.',
)
const deliverAt = field(id, 'Send at', 'In the future.', { unit: 'unixSeconds' })

export const scheduledOperations = {
  listScheduledMessages: get(
    'Get scheduled messages',
    '/scheduled_messages',
    {},
    { scheduled_messages: items },
  ),
  createScheduledMessage: post(
    'Create a scheduled message',
    '/scheduled_messages',
    {
      type: recipientKind,
      to,
      content: markdownContent,
      topic: v.optional(topicField),
      scheduled_delivery_timestamp: deliverAt,
      read_by_sender: v.optional(readBySender),
    },
    { scheduled_message_id: id },
  ),
  /** A new kind requires `to`, and `topic` for a channel. A failed message requires a new time. */
  editScheduledMessage: patch(
    'Edit a scheduled message',
    '/scheduled_messages/{scheduled_message_id}',
    {
      scheduled_message_id: scheduledId,
      type: v.optional(recipientKind),
      to: v.optional(to),
      content: v.optional(markdownContent),
      topic: v.optional(topicField),
      scheduled_delivery_timestamp: v.optional(deliverAt),
    },
  ),
  deleteScheduledMessage: del(
    'Delete a scheduled message',
    '/scheduled_messages/{scheduled_message_id}',
    { scheduled_message_id: scheduledId },
    'the scheduled message {scheduled_message_id}: it will not be sent',
  ),
}

const remindersSince = { since: 399 }

/** Level 381 can only create them: what can't be listed can't be removed either. */
export const reminderOperations = {
  listReminders: get('Get reminders', '/reminders', {}, { reminders: items }, remindersSince),
  /** When it is due, the server's Notification Bot sends a direct message that quotes the message. */
  createReminder: post(
    'Create a message reminder',
    '/reminders',
    {
      message_id: messageId,
      scheduled_delivery_timestamp: field(id, 'Remind at', 'In the future.', {
        unit: 'unixSeconds',
      }),
      note: v.optional(
        textField('Note', 'Comes with the reminder; at most 500 characters by default.', {
          since: 415,
        }),
      ),
    },
    { reminder_id: id },
    { since: 381 },
  ),
  deleteReminder: del(
    'Delete a reminder',
    '/reminders/{reminder_id}',
    {
      reminder_id: idField('Reminder', 'The id of the reminder, not of its message.', {
        picker: 'reminder',
      }),
    },
    'the reminder {reminder_id}: it will not come',
    remindersSince,
  ),
}
