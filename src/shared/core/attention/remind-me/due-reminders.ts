import { conversationTitle } from '../../chat/chat-names.ts'
import { type Conversation, conversationKey } from '../../chat/conversation.ts'
import { messageOf, noMessages } from '../../chat/message-list.ts'
import { followed } from '../../chat/places.ts'
import type { RealmsSlice } from '../../chat/realm.ts'
import { mapped } from '../../identity.ts'
import type { WatchedState } from '../attention-slice.ts'
import type { TroubleEvent } from '../event.ts'
import type { MessageReminder, RemindersSlice } from './message-reminder.ts'

/** Where the message is now, in words. */
export function reminderTitle(state: WatchedState, one: MessageReminder): string {
  const realm = state.realms.get(one.accountId)
  if (realm === undefined || realm.freshness.readAt === null) return one.label
  return conversationTitle(realm, reminderPlace(state, one))
}

export function dueReminders(state: WatchedState, now: number): readonly TroubleEvent[] {
  return state.reminders
    .filter(({ at }) => at <= now)
    .map((one) => {
      const { id, accountId, messageId } = one
      const message = messageIn(state, one)
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
        target: {
          view: 'conversation',
          accountId,
          conversation: reminderPlace(state, one),
          messageId,
        },
      }
    })
}

/** Keeps reminders with their messages: the next start doesn't know where those were before. */
export function withRemindersMoved<State extends RemindersSlice & RealmsSlice>(
  state: State,
): State {
  const reminders = mapped(state.reminders, (one) => {
    const realm = state.realms.get(one.accountId)
    const conversation = reminderPlace(state, one)
    if (realm === undefined || conversationKey(conversation) === conversationKey(one.conversation))
      return one
    return { ...one, conversation, label: conversationTitle(realm, conversation) }
  })
  return reminders === state.reminders ? state : { ...state, reminders }
}

/** Messages are also moved without the rest of their conversation. `conversation`: where it was. */
export function reminderPlace<Known extends Conversation | null>(
  state: RealmsSlice,
  one: MessageAt & { readonly conversation: Known },
): Conversation | Known {
  const found = messageIn(state, one)?.conversation ?? one.conversation
  if (found === null) return one.conversation
  return followed(state, { accountId: one.accountId, conversation: found }).conversation
}

type MessageAt = Pick<MessageReminder, 'accountId' | 'messageId'>

function messageIn({ realms }: RealmsSlice, { accountId, messageId }: MessageAt) {
  return messageOf(realms.get(accountId)?.messages ?? noMessages, messageId)
}
