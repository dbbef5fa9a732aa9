import { permalink } from '../../shared/core/chat/conversation.ts'
import type { DemoMessage } from './demo-message.ts'
import {
  directPlaceOf,
  limits,
  personNamed,
  type RealmData,
  remindersSince,
  renderContext,
} from './realm-data.ts'
import { createShelf, demandFuture, type Later, lookSeconds } from './realm-drafts.ts'
import { type Call, type Handlers, Refusal, shapes } from './realm-http.ts'
import { demandMessage } from './realm-message-handlers.ts'
import { postMessage } from './realm-messages.ts'
import { renderMarkdown } from './realm-render.ts'

interface Reminder {
  readonly id: number
  readonly messageId: number
  /** As of the request: sent if the message is gone by then. */
  readonly content: string
  readonly note: string
  /** Epoch seconds. */
  readonly at: number
}

/** Reminders of messages, which the Notification Bot sends. */
export function reminderHandlers(data: RealmData, later: Later, baseUrl: string) {
  const shelf = createShelf<Reminder>(
    data,
    'reminders',
    'reminder_id',
    'Reminder does not exist',
    remindersSince,
  )
  const wire = (reminder: Reminder) => wireReminder(data, reminder)
  data.kept.set('reminders', () => shelf.all().map(wire))
  const send = (reminder: Reminder) => {
    const message = data.messages.get(reminder.messageId)
    postMessage(data, {
      sender: personNamed(data, 'Notification Bot'),
      place: directPlaceOf(data, [6]),
      content: message ? contentOf(data, message, reminder.note, baseUrl) : reminder.content,
      read: false,
      client: 'Internal',
    })
    shelf.remove(reminder)
  }
  return {
    listReminders: () => ({
      reminders: shelf
        .all()
        .sort((a, b) => a.at - b.at)
        .map(wire),
    }),
    createReminder({ params }: Call) {
      const messageId = params.json('message_id', shapes.whole)
      const at = params.json('scheduled_delivery_timestamp', shapes.whole)
      const note = (params.maybeText('note') ?? '').trimEnd().replace(/^\n+/, '')
      demandFuture(data, at)
      const message = demandMessage(data, messageId)
      if ([...note].length > limits.reminderNote)
        throw new Refusal(`Maximum reminder note length: ${limits.reminderNote} characters`)
      const content = contentOf(data, message, note, baseUrl)
      const reminder = { id: data.nextId(), messageId, content, note, at }
      shelf.put('add', [reminder], { reminders: [wire(reminder)] })
      later(Math.ceil(at / lookSeconds) * lookSeconds, () => {
        if (shelf.has(reminder)) send(reminder)
      })
      return { reminder_id: reminder.id }
    },
    deleteReminder: (call: Call) => shelf.removeNamed(call),
  } satisfies Partial<Handlers>
}

function wireReminder(data: RealmData, { id, messageId, content, at }: Reminder) {
  return {
    reminder_id: id,
    type: 'private',
    to: [data.me.id],
    content,
    rendered_content: renderMarkdown(content, renderContext(data)),
    scheduled_delivery_timestamp: at,
    failed: false,
    reminder_target_message_id: messageId,
  }
}

/** What the message says, who said it, and a link to where. */
function contentOf(
  data: RealmData,
  { id, senderId, place, content }: DemoMessage,
  note: string,
  baseUrl: string,
): string {
  const kind = place.kind === 'topic' ? 'message' : 'direct message'
  const noted = note === '' ? '' : ` Note:\n > ${note}`
  const channelName = (channelId: number) => data.channels.get(channelId)?.name ?? null
  const link = permalink(baseUrl, channelName, place, id)
  const sender = `@_**${data.people.get(senderId)?.name ?? ''}|${senderId}**`
  const where =
    place.kind === 'topic'
      ? ` in #**${channelName(place.channelId) ?? ''}>${place.topic}@${id}**`
      : ''
  const begin = `You requested a reminder for the following ${kind}.${noted}\n\n${sender} [said](${link})${where}:\n`
  // As the server does: unlike any in the note, whatever is quoted.
  const fences = Array.from(begin.matchAll(/`{3,}/g), ([one]) => one.length)
  const fence = '`'.repeat(Math.max(2, ...fences) + 1)
  return `${begin}${fence}quote\n${content}\n${fence}`
}
