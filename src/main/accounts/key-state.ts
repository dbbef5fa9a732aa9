import type { AccountId, KeyLoss, KeyState } from '../../shared/core/account.ts'
import { type AppState, accountById } from '../../shared/core/state.ts'

/** What is known of an account's key. */
export function withKeyState(
  state: AppState,
  id: AccountId,
  key: KeyState,
  keyLoss?: KeyLoss | undefined,
): AppState {
  const account = accountById(state, id)
  if (account === null || (account.key === key && account.keyLoss === keyLoss)) return state
  return {
    ...state,
    accounts: state.accounts.map((one) => (one.id === id ? { ...one, key, keyLoss } : one)),
  }
}
