import type { Message } from '#shared/core/message.ts'
import { dayOf } from './chat-time.ts'

/** One line of the message column. `key` is unique and stays the same while the thing does. */
export type ColumnItem =
  | { readonly kind: 'day'; readonly key: string; readonly at: number }
  | { readonly kind: 'new'; readonly key: string }
  | {
      readonly kind: 'message'
      readonly key: string
      readonly message: Message
      /** First of a run: shows who and when. */
      readonly first: boolean
    }

/** Longer silence than this starts a new run, so that its time is seen. */
const runMs = 10 * 60_000

/**
 * Messages, oldest first, with day dividers, the mark before the first new one, and the sender once
 * per run of messages by the same person.
 */
export function columnItems(
  messages: readonly Message[],
  firstNewId: number | null,
): readonly ColumnItem[] {
  const items: ColumnItem[] = []
  let before: Message | null = null
  for (const message of messages) {
    const newDay = before === null || dayOf(before.sentAt) !== dayOf(message.sentAt)
    if (newDay) items.push({ kind: 'day', key: `day ${dayOf(message.sentAt)}`, at: message.sentAt })
    const isNew = message.id === firstNewId
    if (isNew) items.push({ kind: 'new', key: 'new' })
    const first = newDay || isNew || before === null || !sameRun(before, message)
    items.push({ kind: 'message', key: `message ${message.id}`, message, first })
    before = message
  }
  return items
}

function sameRun(before: Message, message: Message): boolean {
  return (
    before.senderId === message.senderId &&
    !before.isAction &&
    !message.isAction &&
    message.sentAt - before.sentAt < runMs
  )
}
