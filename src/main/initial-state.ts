import type { AccountId } from '../shared/core/account.ts'
import { afterRestart, type OutboxMessage } from '../shared/core/chat/outbox.ts'
import { emptyRealm } from '../shared/core/chat/realm.ts'
import { withRealm } from '../shared/core/chat/realm-update.ts'
import { emptyBoard, withBoard } from '../shared/core/checks/board.ts'
import { nothingMissed } from '../shared/core/checks/missed-flips.ts'
import { readSettings } from '../shared/core/settings.ts'
import { type AppState, accountById, type Environment, emptyState } from '../shared/core/state.ts'
import type { Saved } from './ports.ts'
import { readOutageMessages, readSilences } from './storage/attention-documents.ts'
import {
  hasUnreadableAccounts,
  type Marks,
  readAccounts,
  readDrafts,
  readIncidents,
  readNotices,
  readOutbox,
} from './storage/document-readers.ts'

/** What the disk tells at the start. */
export function initialState(saved: Saved, environment: Environment, marks: Marks): AppState {
  const document = saved.read('accounts')
  const accounts = readAccounts(document)
  const ids = new Set(accounts.map(({ id }) => id))
  keepWhatIsLost(saved, ids, hasUnreadableAccounts(document))
  const outbox = readOutbox(saved.read('outbox'))
  const state: AppState = {
    ...emptyState,
    environment,
    // Whether the key is there is asked of the vault; until then nothing claims that it is missing.
    accounts: accounts.map((account) =>
      account.key === 'rejected' ? account : { ...account, key: 'present' as const },
    ),
    settings: readSettings(saved.read('settings')),
    drafts: new Map(
      [...readDrafts(saved.read('drafts'))].filter(([key]) => ids.has(key.split('/')[0] ?? '')),
    ),
    outbox: afterRestart(
      saved.files?.inDoubt('outbox') === true ? outbox.map(doubted) : outbox,
    ).filter(({ accountId }) => ids.has(accountId)),
    notices: readNotices(saved.read('notices')),
    silences: readSilences(saved.read('silences')).filter(
      ({ scope }) => !('accountId' in scope) || ids.has(scope.accountId),
    ),
    incidents: readIncidents(saved.read('incidents')).filter(
      ({ accountId, chatId }) => ids.has(accountId) && ids.has(chatId),
    ),
    outageMessages: readOutageMessages(saved.read('outageMessages')),
  }
  // All at once: marks that are written meanwhile must not leave out an account that comes later.
  return accounts.reduce((before, { id }) => withPlaceFor(before, id, marks), state)
}

/** From an older copy: what waits there may have been sent since, and the program never sends twice. */
function doubted(message: OutboxMessage): OutboxMessage {
  return message.state === 'queued' ? { ...message, state: 'unconfirmed' } : message
}

/** Accounts that can't be read take their text with them; before it is written over, it is copied. */
function keepWhatIsLost(saved: Saved, ids: ReadonlySet<string>, bad: boolean): void {
  if (bad) saved.files?.keepCopy('accounts', 'Some accounts could not be read and are left out.')
  if (!bad && saved.files?.inDoubt('accounts') !== true) return
  const isLost = (accountId: string): boolean => !ids.has(accountId)
  if ([...readDrafts(saved.read('drafts')).keys()].some((key) => isLost(key.split('/')[0] ?? '')))
    saved.files?.keepCopy('drafts', 'Unsent text belongs to accounts that could not be read.')
  if (readOutbox(saved.read('outbox')).some(({ accountId }) => isLost(accountId)))
    saved.files?.keepCopy('outbox', 'Unsent messages belong to accounts that could not be read.')
}

/** The state with an empty board or realm for an account, unless it has one. `marks` null: a new account. */
export function withPlaceFor(state: AppState, id: AccountId, marks: Marks | null): AppState {
  const account = accountById(state, id)
  if (account?.kind === 'monitoring' && !state.boards.has(id)) {
    const missed = { ...nothingMissed, ...marks?.missed.get(id) }
    return withBoard(state, emptyBoard(id, marks?.boards.get(id) ?? null, missed))
  }
  if (account?.kind === 'chat' && !state.realms.has(id))
    return withRealm(state, emptyRealm(id, marks?.realms.get(id) ?? null))
  return state
}
