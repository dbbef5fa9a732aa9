import { conversationTitle } from '../../chat/chat-names.ts'
import { messageOf, noMessages } from '../../chat/message-list.ts'
import { followed } from '../../chat/places.ts'
import type { WatchedState } from '../attention-slice.ts'
import type { TroubleEvent } from '../event.ts'
import type { MessageReminder } from './message-reminder.ts'

/** Where the message is now, in words. */
export function reminderTitle(state: WatchedState, one: MessageReminder): string {
  const { accountId, conversation, label } = one
  const realm = state.realms.get(accountId)
  const place = followed(state, { accountId, conversation })
  return realm === undefined ? label : conversationTitle(realm, place.conversation)
}

export function dueReminders(state: WatchedState, now: number): readonly TroubleEvent[] {
  return state.reminders
    .filter(({ at }) => at <= now)
    .map((one) => {
      const { id, accountId, conversation, messageId } = one
      const message = messageOf(state.realms.get(accountId)?.messages ?? noMessages, messageId)
      const subject = `${accountId}/reminder/${id}`
      return {
        of: 'trouble',
        kind: 'reminder',
        id: `${subject}@${one.at}`,
        at: now,
        accountId,
        subject,
        title: `Reminder: ${reminderTitle(state, one)}`,
        body:
          message === undefined
            ? 'You wanted to be reminded of a message here.'
            : `You wanted to be reminded of a message by ${message.isMe ? 'yourself' : message.senderName}.`,
        target: { view: 'conversation', accountId, conversation, messageId },
      }
    })
}
