import { array, minLength, object, optional, picklist, pipe, union } from 'valibot'
import { field, optionalField, textUpTo } from '../schema-field.ts'
import {
  del,
  get,
  id,
  idField,
  idsField,
  items,
  lenient,
  markdownContent,
  nonEmpty,
  patch,
  post,
  readBySender,
  recipientKind,
  textField,
  topicField,
} from './chat-fields.ts'

const draftId = idField('Draft', 'The id of the draft.', { picker: 'draft' })
const snippetId = idField('Snippet', 'The id of the snippet.', { picker: 'snippet' })

/** Refused with an `id` in it. */
const draftEntries = {
  type: field(picklist(['', 'stream', 'private']), 'Kind', 'Empty if there is no recipient yet.'),
  to: idsField('To', 'One channel id, or user ids; empty if there is no recipient yet.'),
  topic: textField('Topic', 'For channel drafts.'),
  content: textField('Text', 'Markdown; not blank.', { multiline: true }),
  timestamp: optionalField(id, 'Last edited', 'The time at the server by default.', {
    unit: 'unixSeconds',
  }),
}

const snippetTitle = field(pipe(textUpTo(60), minLength(1)), 'Title', 'The name to find it by.', {
  maxCodePoints: 60,
})
const snippetContent = field(nonEmpty, 'Text', 'Markdown.', { multiline: true })

/** Servers refuse all of these while the user has draft synchronization turned off. */
export const draftOperations = {
  /** Ordered by the last edit. */
  listDrafts: get('Get drafts', '/drafts', {}, { count: lenient(id), drafts: items }),
  /** The ids come in the order of the drafts. */
  createDrafts: post(
    'Create drafts',
    '/drafts',
    { drafts: field(array(object(draftEntries)), 'Drafts', 'One or several.') },
    { ids: array(id) },
  ),
  editDraft: patch('Edit a draft', '/drafts/{draft_id}', {
    draft_id: draftId,
    draft: field(object(draftEntries), 'Draft', 'Replaces the whole draft.'),
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
    title: optional(snippetTitle),
    content: optional(snippetContent),
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
  union([id, array(id)]),
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
      topic: optional(topicField),
      scheduled_delivery_timestamp: deliverAt,
      read_by_sender: optional(readBySender),
    },
    { scheduled_message_id: id },
  ),
  /** A new kind needs `to`, and `topic` for a channel. A failed one needs a new time. */
  editScheduledMessage: patch(
    'Edit a scheduled message',
    '/scheduled_messages/{scheduled_message_id}',
    {
      scheduled_message_id: scheduledId,
      type: optional(recipientKind),
      to: optional(to),
      content: optional(markdownContent),
      topic: optional(topicField),
      scheduled_delivery_timestamp: optional(deliverAt),
    },
  ),
  deleteScheduledMessage: del(
    'Delete a scheduled message',
    '/scheduled_messages/{scheduled_message_id}',
    { scheduled_message_id: scheduledId },
    'the scheduled message {scheduled_message_id}: it will not be sent',
  ),
}
