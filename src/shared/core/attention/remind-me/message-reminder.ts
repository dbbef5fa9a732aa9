import * as v from 'valibot'
import { conversationSchema } from '../../chat/conversation.ts'
import { type Immutable, idSchema, numberId } from '../../schemas.ts'
import { momentSchema } from '../silence.ts'

/** What the user wants to be reminded of, without the text: that may be edited or deleted. */
export const messageReminderSchema = v.object({
  id: v.string(),
  accountId: idSchema,
  conversation: conversationSchema,
  messageId: numberId,
  /** Where it is, in words: the chat may not be read yet when it is due. */
  label: v.string(),
  /** Epoch ms. */
  at: momentSchema,
})
export type MessageReminder = Immutable<v.InferOutput<typeof messageReminderSchema>>

/** The reminders as a part of the app's state. */
export interface RemindersSlice {
  readonly reminders: readonly MessageReminder[]
}

export const reminderLimit = 200
export const remindersFullWords = `Belfry can keep at most ${reminderLimit} reminders: remove some under Drafts & scheduled first.`

/** Epoch ms at which the next one is due; null if there is none. */
export function nextReminderAt({ reminders }: RemindersSlice): number | null {
  return reminders.length === 0 ? null : Math.min(...reminders.map(({ at }) => at))
}

export function dueIds({ reminders }: RemindersSlice, now: number): readonly string[] {
  return reminders.filter(({ at }) => at <= now).map(({ id }) => id)
}

export function withoutReminders<State extends RemindersSlice>(
  state: State,
  ids: ReadonlySet<string>,
): State {
  const reminders = state.reminders.filter(({ id }) => !ids.has(id))
  return reminders.length === state.reminders.length ? state : { ...state, reminders }
}
