import type { CommandInput } from '#shared/command-inputs.ts'
import type { ReminderSet } from '#shared/contract.ts'
import type { ServerReminder } from '#shared/core/chat/kept-for-later.ts'
import type { Message } from '#shared/core/chat/message.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { type Failure, mayHaveHappened, type Result } from '#shared/core/failure.ts'
import { atClockWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { askWhen } from '../parts/when-dialog.tsx'
import { failedWords, run } from '../run.ts'
import { type ToastAction, toast, toastResult, undo } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

type Wish = CommandInput<'remindOf'>

/** Asks when to be reminded of the message. */
export function askToRemind({ accountId, conversation }: Place, { id: messageId }: Message): void {
  askWhen({
    title: 'Remind me of this message',
    note: noteFor(appState.peek().realms.get(accountId)),
    use: 'at',
    onChoose: (at) => void remind({ accountId, conversation, messageId, at }),
  })
}

/** Who will remind; nothing before that is known. */
function noteFor(realm: Realm | undefined): string {
  if (realm === undefined || realm.server === null) return ''
  return realm.later.reminders === null
    ? 'By Belfry on this computer, once: also after a restart, and if it is off by then, as soon as it runs.'
    : 'By the chat server, once: its bot sends you a direct message, which comes to all your devices.'
}

async function remind(wish: Wish): Promise<void> {
  const result = await call.remindOf(wish)
  if (!result.ok) return fail(wish, result.failure)
  const set = result.value
  const who = set.by === 'belfry' ? 'You will be reminded' : 'The chat server will remind you'
  const left = set.isEarlierLeft
    ? ' The server’s earlier reminder is still there: see Drafts & scheduled.'
    : ''
  const undone = set.replaced.length > 0 ? 'Undone: the earlier reminder is set again.' : 'Undone.'
  toast(
    `${who} ${atClockWords(wish.at, now.value)}.${left}`,
    'done',
    undo(() => toastResult(takeBack(wish, set), undone, failedWords)),
  )
}

/** The new one goes last: if the earlier one can't be set again, it stays. */
async function takeBack(wish: Wish, set: ReminderSet): Promise<Result<unknown>> {
  const { accountId, messageId } = wish
  for (const { by, at, note } of set.replaced) {
    const again =
      by === 'belfry'
        ? await call.remindOf({ ...wish, at, here: true })
        : await run(accountId, 'createReminder', serverReminder({ messageId, at, note }))
    if (!again.ok) return again
  }
  return set.by === 'belfry'
    ? call.forgetReminder({ id: set.id })
    : run(accountId, 'deleteReminder', { reminder_id: set.id })
}

/** The parameters that set it (again). */
export function serverReminder({
  messageId,
  at,
  note,
}: Pick<ServerReminder, 'messageId' | 'at' | 'note'>) {
  return {
    message_id: messageId,
    scheduled_delivery_timestamp: at / 1_000,
    ...(note ? { note } : {}),
  }
}

function fail(wish: Wish, failure: Failure): void {
  const words = failedWords(
    failure,
    'The reminder may have been set: look, and if it isn’t there, ask again in a minute.',
    'No reminder was set.',
  )
  toast(words, 'failed', offerAfter(wish, failure))
}

/** The time that was chosen is not lost: this Belfry can remind at it, if the server surely won't. */
function offerAfter(wish: Wish, failure: Failure): ToastAction | null {
  if (mayHaveHappened(failure))
    return { label: 'Drafts & scheduled', act: () => go({ view: 'later' }) }
  if (wish.here === true || wish.at <= now.value) return null
  return { label: 'Remind me here', act: () => remind({ ...wish, here: true }) }
}
