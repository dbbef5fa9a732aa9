import { messageReminderSchema } from '../../shared/core/attention/remind-me/message-reminder.ts'
import { listDocument } from './stored-document.ts'

export const remindersRow = listDocument('reminders', {
  words: 'what to remind you of',
  item: messageReminderSchema,
  accountsOf: ({ accountId }) => [accountId],
})
