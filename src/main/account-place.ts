import type { AccountId } from '../shared/core/account.ts'
import { emptyRealm } from '../shared/core/chat/empty-realm.ts'
import { withRealm } from '../shared/core/chat/realm-update.ts'
import { emptyBoard, withBoard } from '../shared/core/checks/board-update.ts'
import { nothingMissed } from '../shared/core/checks/missed-flips.ts'
import { type AppState, accountById } from '../shared/core/state.ts'
import type { Marks } from './storage/document-readers.ts'

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
