import * as v from 'valibot'
import type { ChatEvent } from '../../core/chat/chat-event.ts'
import { directConversation } from '../../core/chat/conversation.ts'
import type { KeptForLater, ScheduledMessage, ServerDraft, Snippet } from '../../core/chat/later.ts'
import { reader, textCut } from '../schema-field.ts'
import { htmlMaxLength, id, lenient, nameText, seconds, topicText } from './chat-fields.ts'
import { readEach } from './read-message.ts'

/** Well-formed as it is on the disk: half a character would be another text after a restart. */
const text = v.pipe(
  textCut(htmlMaxLength),
  v.transform((content) => content.toWellFormed()),
)

const readDraft = reader(
  v.object({
    id,
    type: v.picklist(['', 'stream', 'private', 'channel', 'direct']),
    to: v.array(id),
    topic: lenient(topicText),
    content: text,
    timestamp: lenient(seconds),
  }),
  (draft, me: number): ServerDraft => ({
    id: draft.id,
    conversation: placeOf(draft.type, draft.to, draft.topic, me),
    content: draft.content,
    editedAt: (draft.timestamp ?? 0) * 1_000,
  }),
)

function placeOf(type: string, to: readonly number[], topic = '', me: number) {
  const [first] = to
  if (first === undefined || type === '') return null
  return type === 'stream' || type === 'channel'
    ? ({ kind: 'topic', channelId: first, topic } as const)
    : directConversation(to, me)
}

const readScheduled = reader(
  v.object({
    scheduled_message_id: id,
    type: v.picklist(['stream', 'private', 'channel', 'direct']),
    to: v.union([id, v.array(id)]),
    topic: lenient(topicText),
    content: text,
    scheduled_delivery_timestamp: seconds,
    failed: lenient(v.boolean()),
  }),
  (message, me: number): ScheduledMessage | null => {
    const conversation = placeOf(message.type, [message.to].flat(), message.topic, me)
    return (
      conversation && {
        id: message.scheduled_message_id,
        conversation,
        content: message.content,
        at: message.scheduled_delivery_timestamp * 1_000,
        failed: message.failed ?? false,
      }
    )
  },
)

const readSnippet = reader(
  v.object({ id, title: nameText, content: text }),
  (snippet): Snippet => snippet,
)

/** More than anybody keeps; a server must not fill the disk. */
const most = 10_000

function listOf<T>(wire: unknown, read: (item: unknown) => T | null): readonly T[] | null {
  return Array.isArray(wire) ? readEach(wire.slice(0, most), read) : null
}

/** Of a registration, or of an answer that has some of the lists; null for those that it has not. */
export function readLater(data: Readonly<Record<string, unknown>>, me: number): KeptForLater {
  return {
    drafts: listOf(data['drafts'], (one) => readDraft(one, me)),
    scheduled: listOf(data['scheduled_messages'], (one) => readScheduled(one, me)),
    snippets: listOf(data['saved_snippets'], readSnippet),
    refused: [],
  }
}

const wireEvent = v.object({
  op: v.string(),
  draft: v.optional(v.unknown()),
  drafts: v.optional(v.unknown()),
  draft_id: lenient(id),
  scheduled_message: v.optional(v.unknown()),
  scheduled_messages: v.optional(v.unknown()),
  scheduled_message_id: lenient(id),
  saved_snippet: v.optional(v.unknown()),
  saved_snippet_id: lenient(id),
})

export const readDraftEvent = reader(wireEvent, (event): ChatEvent => {
  const there = readEach([event.draft, event.drafts].flat(), (one) => readDraft(one, -1))
  return {
    type: 'serverDrafts',
    drafts: [
      ...there.map(({ id: draftId, content }) => ({ id: draftId, text: content })),
      ...(event.draft_id === undefined ? [] : [{ id: event.draft_id, text: null }]),
    ],
  }
})

export const readScheduledEvent = reader(
  wireEvent,
  (event, me: number): ChatEvent => ({
    type: 'scheduled',
    put: readEach([event.scheduled_message, event.scheduled_messages].flat(), (one) =>
      readScheduled(one, me),
    ),
    removed: event.scheduled_message_id === undefined ? [] : [event.scheduled_message_id],
  }),
)

export const readSnippetEvent = reader(
  wireEvent,
  (event): ChatEvent => ({
    type: 'snippets',
    put: readEach([event.saved_snippet], readSnippet),
    removed: event.saved_snippet_id === undefined ? [] : [event.saved_snippet_id],
  }),
)

/** Everybody's come. */
export const readStatusEvent = reader(v.object({ user_id: id }), (event, me: number) =>
  event.user_id === me ? ({ type: 'ownStatus' } as const) : null,
)
