import { array, minLength, object, optional, picklist, pipe, union } from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import {
  answer,
  done,
  id,
  idField,
  idsField,
  items,
  lenient,
  markdownContent,
  nonEmpty,
  readBySender,
  recipientKind,
  textField,
  textUpTo,
  topicField,
} from './chat-fields.ts'

const draftId = idField('Draft', 'By its id.', { picker: 'draft' })
const snippetId = idField('Snippet', 'By its id.', { picker: 'snippet' })

/** An `id` inside of it is refused. */
const draftEntries = {
  type: field(
    picklist(['', 'stream', 'private']),
    'Kind',
    'Empty while it is addressed to nobody yet.',
  ),
  to: idsField('To', 'One channel id, or user ids; empty while unaddressed.'),
  topic: textField('Topic', 'For channel drafts.'),
  content: textField('Text', 'Markdown; not blank.', { multiline: true }),
  timestamp: optional(
    field(id, 'Last edited', 'Epoch seconds; the server’s time when not given.', {
      unit: 'unixSeconds',
    }),
  ),
}

const snippetTitle = field(pipe(textUpTo(60), minLength(1)), 'Title', 'What you will find it by.', {
  maxCodePoints: 60,
})
const snippetContent = field(nonEmpty, 'Text', 'Markdown.', { multiline: true })

/** All of drafts is refused while the user has switched their synchronizing off. */
export const draftOperations = {
  /** Ordered by the last edit. */
  listDrafts: operation({
    service: 'chat',
    title: 'Get drafts',
    method: 'GET',
    path: '/api/v1/drafts',
    params: object({}),
    reply: answer({ count: lenient(id), drafts: items }),
    effect: 'read',
  }),
  /** The ids come in the order of the drafts. */
  createDrafts: operation({
    service: 'chat',
    title: 'Create drafts',
    method: 'POST',
    path: '/api/v1/drafts',
    params: object({ drafts: field(array(object(draftEntries)), 'Drafts', 'One or several.') }),
    reply: answer({ ids: array(id) }),
    effect: 'write',
  }),
  /** 404 when it is gone. */
  editDraft: operation({
    service: 'chat',
    title: 'Edit a draft',
    method: 'PATCH',
    path: '/api/v1/drafts/{draft_id}',
    params: object({
      draft_id: draftId,
      draft: field(object(draftEntries), 'Draft', 'Takes the place of the old one whole.'),
    }),
    reply: done,
    effect: 'write',
  }),
  deleteDraft: operation({
    service: 'chat',
    title: 'Delete a draft',
    method: 'DELETE',
    path: '/api/v1/drafts/{draft_id}',
    params: object({ draft_id: draftId }),
    reply: done,
    effect: 'destroy',
    destroys: 'draft {draft_id} on the server, for all your devices',
  }),
  listSavedSnippets: operation({
    service: 'chat',
    title: 'Get saved snippets',
    method: 'GET',
    path: '/api/v1/saved_snippets',
    params: object({}),
    reply: answer({ saved_snippets: items }),
    effect: 'read',
  }),
  createSavedSnippet: operation({
    service: 'chat',
    title: 'Create a saved snippet',
    method: 'POST',
    path: '/api/v1/saved_snippets',
    params: object({ title: snippetTitle, content: snippetContent }),
    reply: answer({ saved_snippet_id: id }),
    effect: 'write',
  }),
  editSavedSnippet: operation({
    service: 'chat',
    title: 'Edit a saved snippet',
    method: 'PATCH',
    path: '/api/v1/saved_snippets/{saved_snippet_id}',
    params: object({
      saved_snippet_id: snippetId,
      title: optional(snippetTitle),
      content: optional(snippetContent),
    }),
    reply: done,
    effect: 'write',
  }),
  deleteSavedSnippet: operation({
    service: 'chat',
    title: 'Delete a saved snippet',
    method: 'DELETE',
    path: '/api/v1/saved_snippets/{saved_snippet_id}',
    params: object({ saved_snippet_id: snippetId }),
    reply: done,
    effect: 'destroy',
    destroys: 'the saved snippet {saved_snippet_id}',
  }),
}

const scheduledId = idField('Scheduled message', 'By its own id; once sent it has another.', {
  picker: 'scheduledMessage',
})
const to = field(
  union([id, array(id)]),
  'To',
  'A channel’s id; for direct messages a list of user ids.',
)
const deliverAt = field(id, 'Send at', 'Epoch seconds, in the future.', { unit: 'unixSeconds' })

export const scheduledOperations = {
  listScheduledMessages: operation({
    service: 'chat',
    title: 'Get scheduled messages',
    method: 'GET',
    path: '/api/v1/scheduled_messages',
    params: object({}),
    reply: answer({ scheduled_messages: items }),
    effect: 'read',
  }),
  createScheduledMessage: operation({
    service: 'chat',
    title: 'Create a scheduled message',
    method: 'POST',
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
    effect: 'write',
  }),
  /** A new kind needs `to`, and `topic` for a channel. One that failed needs a new time. 404 when it is gone. */
  editScheduledMessage: operation({
    service: 'chat',
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
    reply: done,
    effect: 'write',
  }),
  deleteScheduledMessage: operation({
    service: 'chat',
    title: 'Delete a scheduled message',
    method: 'DELETE',
    path: '/api/v1/scheduled_messages/{scheduled_message_id}',
    params: object({ scheduled_message_id: scheduledId }),
    reply: done,
    effect: 'destroy',
    destroys: 'the scheduled message {scheduled_message_id}: it will not be sent',
  }),
}
