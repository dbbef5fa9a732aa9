import * as v from 'valibot'
import type { ChatEvent } from '../../core/chat/chat-event.ts'
import { directConversation } from '../../core/chat/conversation.ts'
import {
  type KeptForLater,
  nothingKept,
  type ScheduledMessage,
  type ServerDraft,
  type ServerReminder,
  type Snippet,
} from '../../core/chat/kept-for-later.ts'
import { narrowPlace } from '../../core/chat/narrow-link.ts'
import type { OwnStatus } from '../../core/chat/own-status.ts'
import { defined, fieldsOf } from '../../core/schemas.ts'
import { htmlMaxLength } from '../../core/text-length.ts'
import { reader, textCut } from '../schema-field.ts'
import { id, lenient, nameText, seconds, topicText } from './chat-fields.ts'

/** Well-formed, as on disk: a lone surrogate would make it another text after a restart. */
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

const readReminder = reader(
  v.object({
    reminder_id: id,
    reminder_target_message_id: id,
    content: text,
    scheduled_delivery_timestamp: seconds,
    failed: lenient(v.boolean()),
  }),
  (reminder, me: number): ServerReminder => {
    const { reminder_target_message_id: messageId, content } = reminder
    return {
      id: reminder.reminder_id,
      messageId,
      ...readReminderWords(content, messageId, me),
      at: reminder.scheduled_delivery_timestamp * 1_000,
      failed: reminder.failed ?? false,
    }
  },
)

/**
 * "… Note:\n > look again\n\n… [said](https://chat.example/#narrow/channel/1-ops/topic/db/near/15)
 * …:\n```quote\n…\n```". A poll isn't quoted. The fence is longer than any before it, so that a
 * note can have all of this in it, too.
 */
function readReminderWords(content: string, messageId: number, me: number) {
  const quoteEnd = content.lastIndexOf('\n```')
  const quote = `${content.slice(Math.max(quoteEnd, 0)).trimEnd()}quote\n`
  const quoteAt = quoteEnd === -1 ? -1 : content.indexOf(quote)
  const noteEnd = content.lastIndexOf('\n\n', quoteAt === -1 ? content.length : quoteAt)
  const link = noteEnd === -1 ? -1 : content.indexOf(`/near/${messageId})`, noteEnd)
  const url = link === -1 ? '' : content.slice(content.lastIndexOf('(', link) + 1, link)
  const place = narrowPlace(url, url, me)?.conversation ?? null
  const noteAt = content.indexOf('\n > ')
  const note = noteAt === -1 || noteEnd < noteAt ? '' : content.slice(noteAt + 4, noteEnd)
  return {
    conversation: place?.kind === 'channel' ? null : place,
    note: link === -1 ? null : note,
    text: quoteAt === -1 ? content : content.slice(quoteAt + quote.length, quoteEnd),
  }
}

/** More than anybody has; a server must not fill the disk. */
const most = 10_000

/** The readable items of a list, and the ids of the others; null if there is no list. */
function readList<T>(wire: unknown, idName: string, read: (item: unknown) => T | null) {
  if (!Array.isArray(wire)) return null
  const items: T[] = []
  // Items beyond the limit count as unreadable too.
  const unreadable: (number | null)[] = wire.length > most ? [null] : []
  for (const one of wire.slice(0, most)) {
    const item = read(one)
    const itemId = fieldsOf(one)[idName]
    if (item !== null) items.push(item)
    else unreadable.push(v.is(id, itemId) ? itemId : null)
  }
  return { items, unreadable }
}

function readScheduledList(wire: unknown, me: number) {
  return readList(wire, 'scheduled_message_id', (one) => readScheduled(one, me))
}

function readReminders(wire: unknown, me: number) {
  return readList(wire, 'reminder_id', (one) => readReminder(one, me))
}

/** Reads the lists in a registration or another response; absent ones stay as in `before`. */
export function readLater(
  data: Readonly<Record<string, unknown>>,
  me: number,
  before = nothingKept,
): KeptForLater {
  const drafts = readList(data['drafts'], 'id', (one) => readDraft(one, me))
  const scheduled = readScheduledList(data['scheduled_messages'], me)
  const snippets = readList(data['saved_snippets'], 'id', readSnippet)
  const reminders = readReminders(data['reminders'], me)
  return {
    drafts: drafts?.items ?? before.drafts,
    scheduled: scheduled?.items ?? before.scheduled,
    snippets: snippets?.items ?? before.snippets,
    reminders: reminders?.items ?? before.reminders,
    unreadable: {
      drafts: drafts?.unreadable ?? before.unreadable.drafts,
      scheduled: scheduled?.unreadable ?? before.unreadable.scheduled,
      snippets: snippets?.unreadable ?? before.unreadable.snippets,
      reminders: reminders?.unreadable ?? before.unreadable.reminders,
    },
    refused: before.refused,
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
  reminders: v.optional(v.unknown()),
  reminder_id: lenient(id),
})

export const readDraftEvent = reader(wireEvent, (event): ChatEvent => {
  const there = readList(named(event.draft, event.drafts).flat(), 'id', (one) => readDraft(one, -1))
  // An unreadable draft has changed, too.
  const gone = [...named(event.draft_id), ...(there?.unreadable ?? [])].filter(
    (one) => one !== null,
  )
  return {
    type: 'serverDrafts',
    drafts: [
      ...(there?.items ?? []).map(({ id: draftId, content }) => ({ id: draftId, text: content })),
      ...gone.map((draftId) => ({ id: draftId, text: null })),
    ],
  }
})

export const readScheduledEvent = reader(wireEvent, (event, me: number): ChatEvent => {
  const those = named(event.scheduled_message, event.scheduled_messages).flat()
  const gone = named(event.scheduled_message_id)
  return { type: 'scheduled', ...listChange(readScheduledList(those, me), gone) }
})

export const readSnippetEvent = reader(wireEvent, (event): ChatEvent => {
  const list = readList(named(event.saved_snippet), 'id', readSnippet)
  return { type: 'snippets', ...listChange(list, named(event.saved_snippet_id)) }
})

export const readReminderEvent = reader(wireEvent, (event, me: number): ChatEvent => {
  const list = readReminders(named(event.reminders).flat(), me)
  return { type: 'reminders', ...listChange(list, named(event.reminder_id)) }
})

/** The given values; events name one item or several. */
function named<T>(...fields: readonly (T | undefined)[]): T[] {
  return fields.filter((one) => one !== undefined)
}

function listChange<T>(list: ReturnType<typeof readList<T>>, removed: readonly number[]) {
  return { put: list?.items ?? [], removed, unreadable: list?.unreadable ?? [] }
}

const statusText = lenient(textCut(200))
const wireStatus = v.object({
  status_text: statusText,
  emoji_name: statusText,
  emoji_code: statusText,
  reaction_type: statusText,
})

/** Only what is named; empty texts clear. */
export const readStatus = reader(wireStatus, (wire): Partial<OwnStatus> => {
  const { status_text: text, emoji_name: name, emoji_code: code, reaction_type: type } = wire
  const emoji = code ? { name: name ?? '', code, ...defined({ type: type || undefined }) } : null
  return { ...defined({ text }), ...((name ?? code) === undefined ? {} : { emoji }) }
})

/** The queue sends everybody's status. */
export const readStatusEvent = reader(
  v.looseObject({ user_id: id }),
  (event, me: number): ChatEvent | null =>
    event.user_id === me ? { type: 'ownStatus', change: readStatus(event) ?? {} } : null,
)
