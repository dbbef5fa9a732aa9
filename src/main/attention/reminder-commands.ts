import type { Commands } from '../../shared/contract.ts'
import { known } from '../../shared/core/account.ts'
import {
  reminderLimit,
  remindersFullWords,
} from '../../shared/core/attention/remind-me/message-reminder.ts'
import { conversationTitle } from '../../shared/core/chat/chat-names.ts'
import { invalid } from '../../shared/core/failure.ts'
import type { Clock } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'

/** Reminders of messages. */
export function createReminderCommands({
  live,
  clock,
}: {
  readonly live: LiveState
  readonly clock: Pick<Clock, 'now'>
}): Pick<Commands, 'remindOf' | 'forgetReminder'> {
  return {
    async remindOf({ accountId, conversation, messageId, at }) {
      const id = crypto.randomUUID()
      // Inside the update, which may have told what is due just before.
      live.update((state) => {
        known(state, accountId)
        if (at <= clock.now()) throw invalid('at', 'This time is over: choose a later one.')
        // A later wish for the same message replaces the earlier one.
        const others = state.reminders.filter(
          (one) => one.accountId !== accountId || one.messageId !== messageId,
        )
        if (others.length >= reminderLimit) throw invalid('at', remindersFullWords)
        const realm = state.realms.get(accountId)
        const label = realm === undefined ? 'a message' : conversationTitle(realm, conversation)
        const reminder = { id, accountId, conversation, messageId, label, at }
        return { ...state, reminders: [...others, reminder] }
      })
      return { id }
    },

    async forgetReminder({ id }) {
      live.update((state) => ({
        ...state,
        reminders: state.reminders.filter((one) => one.id !== id),
      }))
    },
  }
}
