import { array, minLength, object, optional, picklist, pipe, union } from 'valibot'
import { operation } from '../operation.ts'
import { field, textUpTo } from '../schema-field.ts'
import {
  answer,
  deletes,
  id,
  idField,
  idsField,
  items,
  lenient,
  markdownContent,
  nonEmpty,
  readBySender,
  reads,
  recipientKind,
  textField,
  topicField,
  writes,
} from './chat-fields.ts'

const draftId = idField('Draft', 'The id of the draft.', { picker: 'draft' })
const snippetId = idField('Snippet', 'The id of the snippet.', { picker: 'snippet' })

/** Refused with an `id` in it. */
const draftEntries = {
  type: field(picklist(['', 'stream', 'private']), 'Kind', 'Empty if there is no recipient yet.'),
  to: idsField('To', 'One channel id, or user ids; empty if there is no recipient yet.'),
  topic: textField('Topic', 'For channel drafts.'),
  content: textField('Text', 'Markdown; not blank.', { multiline: true }),
  timestamp: optional(
    field(id, 'Last edited', 'The time at the server by default.', {
      unit: 'unixSeconds',
    }),
  ),
}

const snippetTitle = field(pipe(textUpTo(60), minLength(1)), 'Title', 'The name to find it by.', {
  maxCodePoints: 60,
})
const snippetContent = field(nonEmpty, 'Text', 'Markdown.', { multiline: true })

/** Servers refuse all of these while the user has draft synchronization turned off. */
export const draftOperations = {
  /** Ordered by the last edit. */
  listDrafts: operation({
    ...reads,
    title: 'Get drafts',
    path: '/api/v1/drafts',
    params: object({}),
    reply: answer({ count: lenient(id), drafts: items }),
  }),
  /** The ids come in the order of the drafts. */
  createDrafts: operation({
    ...writes,
    title: 'Create drafts',
    path: '/api/v1/drafts',
    params: object({ drafts: field(array(object(draftEntries)), 'Drafts', 'One or several.') }),
    reply: answer({ ids: array(id) }),
  }),
  editDraft: operation({
    ...writes,
    title: 'Edit a draft',
    method: 'PATCH',
    path: '/api/v1/drafts/{draft_id}',
    params: object({
      draft_id: draftId,
      draft: field(object(draftEntries), 'Draft', 'Replaces the whole draft.'),
    }),
  }),
  deleteDraft: operation({
    ...deletes,
    title: 'Delete a draft',
    path: '/api/v1/drafts/{draft_id}',
    params: object({ draft_id: draftId }),
    destroys: 'draft {draft_id} on the server, for all your devices',
  }),
  listSavedSnippets: operation({
    ...reads,
    title: 'Get saved snippets',
    path: '/api/v1/saved_snippets',
    params: object({}),
    reply: answer({ saved_snippets: items }),
  }),
  createSavedSnippet: operation({
    ...writes,
    title: 'Create a saved snippet',
    path: '/api/v1/saved_snippets',
    params: object({ title: snippetTitle, content: snippetContent }),
    reply: answer({ saved_snippet_id: id }),
  }),
  editSavedSnippet: operation({
    ...writes,
    title: 'Edit a saved snippet',
    method: 'PATCH',
    path: '/api/v1/saved_snippets/{saved_snippet_id}',
    params: object({
      saved_snippet_id: snippetId,
      title: optional(snippetTitle),
      content: optional(snippetContent),
    }),
  }),
  deleteSavedSnippet: operation({
    ...deletes,
    title: 'Delete a saved snippet',
    path: '/api/v1/saved_snippets/{saved_snippet_id}',
    params: object({ saved_snippet_id: snippetId }),
    destroys: 'the saved snippet {saved_snippet_id}',
  }),
}

const scheduledId = idField(
  'Scheduled message',
  'Its own id; the message gets another when it is sent.',
  {
    picker: 'scheduledMessage',
  },
)
const to = field(
  union([id, array(id)]),
  'To',
  'A channel id; for direct messages a list of user ids.',
)
const deliverAt = field(id, 'Send at', 'In the future.', { unit: 'unixSeconds' })

export const scheduledOperations = {
  listScheduledMessages: operation({
    ...reads,
    title: 'Get scheduled messages',
    path: '/api/v1/scheduled_messages',
    params: object({}),
    reply: answer({ scheduled_messages: items }),
  }),
  createScheduledMessage: operation({
    ...writes,
    title: 'Create a scheduled message',
    path: '/api/v1/scheduled_messages',
    params: object({
      type: recipientKind,
      to,
      content: markdownContent,
      topic: optional(topicField),
      scheduled_delivery_timestamp: deliverAt,
      read_by_sender: optional(readBySender),
    }),
    reply: answer({ scheduled_message_id: id }),
  }),
  /** A new kind needs `to`, and `topic` for a channel. A failed one needs a new time. */
  editScheduledMessage: operation({
    ...writes,
    title: 'Edit a scheduled message',
    method: 'PATCH',
    path: '/api/v1/scheduled_messages/{scheduled_message_id}',
    params: object({
      scheduled_message_id: scheduledId,
      type: optional(recipientKind),
      to: optional(to),
      content: optional(markdownContent),
      topic: optional(topicField),
      scheduled_delivery_timestamp: optional(deliverAt),
    }),
  }),
  deleteScheduledMessage: operation({
    ...deletes,
    title: 'Delete a scheduled message',
    path: '/api/v1/scheduled_messages/{scheduled_message_id}',
    params: object({ scheduled_message_id: scheduledId }),
    destroys: 'the scheduled message {scheduled_message_id}: it will not be sent',
  }),
}
