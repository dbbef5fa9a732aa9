import type { Commands, ReplacedReminder } from '../../shared/contract.ts'
import { type AccountId, known } from '../../shared/core/account.ts'
import {
  type MessageReminder,
  reminderLimit,
  remindersFullWords,
} from '../../shared/core/attention/remind-me/message-reminder.ts'
import { conversationTitle } from '../../shared/core/chat/chat-names.ts'
import { invalid } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../base/ports.ts'
import type { RealmLink } from '../chat/realm-session.ts'
import type { LiveState } from '../state/store.ts'

/** Reminders of messages. */
export function createReminderCommands({
  live,
  clock,
  link,
}: {
  readonly live: LiveState
  readonly clock: Pick<Clock, 'now'>
  /** Returns the running connection of an account, or throws why there is none. */
  readonly link: (accountId: AccountId) => Pick<RealmLink, 'reminders'>
}): Pick<Commands, 'remindOf' | 'forgetReminder'> {
  const demandFuture = (at: number): void => {
    if (at <= clock.now()) throw invalid('at', 'This time is over: choose a later one.')
  }
  return {
    async remindOf({ here = false, ...wish }) {
      known(live.get(), wish.accountId)
      if (!here && hasServerReminders(live.get(), wish.accountId)) {
        demandFuture(wish.at)
        const set = await link(wish.accountId).reminders.set(wish.messageId, wish.at)
        const replaced = [...set.replaced, ...replacedBy(live.get(), wish)]
        live.update((state) => ({ ...state, reminders: others(state, wish) }))
        return { by: 'server', ...set, replaced }
      }
      const id = crypto.randomUUID()
      let replaced: readonly ReplacedReminder[] = []
      // Inside the update, which may have told what is due just before.
      live.update((state) => {
        known(state, wish.accountId)
        demandFuture(wish.at)
        const left = others(state, wish)
        if (left.length >= reminderLimit) throw invalid('at', remindersFullWords)
        replaced = replacedBy(state, wish)
        const realm = state.realms.get(wish.accountId)
        const label =
          realm === undefined ? 'a message' : conversationTitle(realm, wish.conversation)
        return { ...state, reminders: [...left, { ...wish, id, label }] }
      })
      const onServer = live.get().realms.get(wish.accountId)?.later.reminders ?? []
      const isEarlierLeft = onServer.some(({ messageId }) => messageId === wish.messageId)
      return { by: 'belfry', id, isEarlierLeft, replaced }
    },

    async forgetReminder({ id }) {
      live.update((state) => ({
        ...state,
        reminders: state.reminders.filter((one) => one.id !== id),
      }))
    },
  }
}

/** Throws before the first registration of a run, which tells. */
function hasServerReminders({ realms }: AppState, accountId: AccountId): boolean {
  const realm = realms.get(accountId)
  if (realm == null || realm.server === null)
    throw invalid('at', 'This account is not connected yet, so that its server can’t be asked.')
  return realm.later.reminders !== null
}

type Wish = Pick<MessageReminder, 'accountId' | 'messageId'>

/** A later wish for the same message replaces the earlier one. */
function others({ reminders }: AppState, wish: Wish): readonly MessageReminder[] {
  return reminders.filter((one) => !isSame(one, wish))
}

function replacedBy({ reminders }: AppState, wish: Wish): readonly ReplacedReminder[] {
  return reminders
    .filter((one) => isSame(one, wish))
    .map(({ at }) => ({ by: 'belfry', at, note: '' }))
}

function isSame(one: Wish, { accountId, messageId }: Wish): boolean {
  return one.accountId === accountId && one.messageId === messageId
}
