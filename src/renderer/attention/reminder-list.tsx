import type { ComponentChildren } from 'preact'
import { reminderPlace, reminderTitle } from '#shared/core/attention/remind-me/due-reminders.ts'
import type { MessageReminder } from '#shared/core/attention/remind-me/message-reminder.ts'
import { conversationTitle } from '#shared/core/chat/chat-names.ts'
import type { ServerReminder } from '#shared/core/chat/kept-for-later.ts'
import { messageOf } from '#shared/core/chat/message-list.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { unreadableWords } from '#shared/core/checks/status-counts.ts'
import { clockWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { openMessage } from '../open-message.ts'
import { Group, Row } from '../parts/later-rows.tsx'
import { failedWords, run } from '../run.ts'
import { toast, toastFailure, toastIfFailed, undo } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { serverReminder } from './ask-to-remind.ts'

interface Listed {
  readonly at: number
  readonly row: ComponentChildren
}

/** What the user wants to be reminded of in this chat, here and on the server, the next one first. */
export function Reminders({ realm }: { readonly realm: Realm }) {
  const unread = realm.later.unreadable.reminders.length
  const here = appState.value.reminders.filter(({ accountId }) => accountId === realm.accountId)
  const listed: readonly Listed[] = [
    ...here.map((one) => ({
      at: one.at,
      row: <OwnRow key={one.id} one={one} realm={realm} />,
    })),
    ...(realm.later.reminders ?? []).map((one) => ({
      at: one.at,
      row: <ServerRow key={one.id} one={one} realm={realm} />,
    })),
  ]
  return (
    <Group
      title="Reminders"
      note={unread > 0 ? `${unreadableWords(unread, 'reminder')}.` : null}
      empty="None. A message’s actions have “Remind me…”."
      rows={listed.toSorted((a, b) => a.at - b.at).map(({ row }) => row)}
    />
  )
}

const removeLabel = (title: string) => `Remove the reminder of the message in ${title}`
const removedWords = 'The reminder was removed.'

/** One of this Belfry's own. */
function OwnRow({ one, realm }: { readonly one: MessageReminder; readonly realm: Realm }) {
  const title = reminderTitle(appState.value, one)
  const { accountId, conversation, messageId } = one
  const forget = async () => {
    const { id, label: _words, ...again } = one
    const result = await call.forgetReminder({ id })
    if (!result.ok) return toastFailure(result.failure)
    toast(
      removedWords,
      'done',
      undo(() => toastIfFailed(call.remindOf({ ...again, here: true }))),
    )
  }
  return (
    <Row
      title={title}
      text={messageOf(realm.messages, messageId)?.text ?? 'A message'}
      side={clockWords(one.at, now.value)}
      by="By this Belfry alone"
      note=""
      onOpen={() => go({ view: 'conversation', accountId, conversation, messageId })}
      remove={[removeLabel(title), () => void forget()]}
    />
  )
}

/** One that the chat server keeps, for all devices. */
function ServerRow({ one, realm }: { readonly one: ServerReminder; readonly realm: Realm }) {
  const { accountId, messages } = realm
  const { messageId, at } = one
  const place = reminderPlace(appState.value, { ...one, accountId })
  const title = place === null ? 'A message' : conversationTitle(realm, place)
  const message = messageOf(messages, messageId)
  const time = clockWords(at, now.value)
  const remove = async () => {
    const result = await run(accountId, 'deleteReminder', { reminder_id: one.id })
    if (!result.ok) return toastFailure(result.failure, failedWords)
    toast(
      removedWords,
      'done',
      undo(() => toastIfFailed(run(accountId, 'createReminder', serverReminder(one)), failedWords)),
    )
  }
  return (
    <Row
      title={title}
      text={message?.text ?? one.text}
      side={one.failed ? `could not be sent (${time})` : time}
      by={`By the chat server, on all your devices${one.note ? `: “${one.note}”` : ''}`}
      note=""
      // Known only as of when it was set, unless the message is loaded.
      onOpen={() =>
        message === undefined || place === null
          ? void openMessage(accountId, messageId)
          : go({ view: 'conversation', accountId, conversation: place, messageId })
      }
      remove={[removeLabel(title), () => void remove()]}
    />
  )
}
