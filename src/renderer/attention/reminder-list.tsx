import { reminderTitle } from '#shared/core/attention/remind-me/due-reminders.ts'
import type { MessageReminder } from '#shared/core/attention/remind-me/message-reminder.ts'
import { messageOf } from '#shared/core/chat/message-list.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { clockWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Group, Row } from '../parts/later-rows.tsx'
import { toast, toastFailure, toastIfFailed, undo } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

/** What the user wants to be reminded of in this chat, the next one first. */
export function Reminders({ realm }: { readonly realm: Realm }) {
  const state = appState.value
  const own = state.reminders
    .filter(({ accountId }) => accountId === realm.accountId)
    .sort((a, b) => a.at - b.at)
  const forget = async ({ id, ...reminder }: MessageReminder) => {
    const result = await call.forgetReminder({ id })
    if (!result.ok) return toastFailure(result.failure)
    const { label: _words, ...again } = reminder
    toast(
      'The reminder was removed.',
      'done',
      undo(() => toastIfFailed(call.remindOf(again))),
    )
  }
  return (
    <Group
      title="Reminders"
      note={null}
      empty="None. A message’s actions have “Remind me…”."
      rows={own.map((one) => {
        const title = reminderTitle(state, one)
        const { accountId, conversation, messageId } = one
        return (
          <Row
            key={one.id}
            title={title}
            text={messageOf(realm.messages, messageId)?.text ?? 'A message'}
            side={clockWords(one.at, now.value)}
            note=""
            onOpen={() => go({ view: 'conversation', accountId, conversation, messageId })}
            remove={[`Remove the reminder of the message in ${title}`, () => void forget(one)]}
          />
        )
      })}
    />
  )
}
