import type { Account, AccountId } from '../account.ts'
import { keptUnder } from '../projects.ts'
import type { AppState } from '../state.ts'
import type { Silence } from './silence.ts'
import { withSilence } from './silences-update.ts'

/**
 * With what was silenced and reported of checks under the accounts that stand for their projects, through
 * whichever it was done: another one that takes over finds all of it. The same state where nothing moves.
 * `accounts`: those that are left of it.
 */
export function withKeptUnder(
  before: AppState,
  state: AppState,
  accounts: readonly Account[] = state.accounts,
): AppState {
  const keptIn = keptUnder(before, { ...state, accounts })
  const idOf = (id: AccountId): AccountId => keptIn(id) ?? id
  const incidents = state.incidents.map((one) =>
    idOf(one.accountId) === one.accountId ? one : { ...one, accountId: idOf(one.accountId) },
  )
  const outageMessages = state.outageMessages.map((one) =>
    idOf(one.projectId) === one.projectId ? one : { ...one, projectId: idOf(one.projectId) },
  )
  const silences = state.silences.map((one) => silenceUnder(one, idOf))
  const isSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
    some.every((one, at) => one === others[at])
  const moved = {
    ...state,
    incidents: isSame(incidents, state.incidents) ? state.incidents : incidents,
    outageMessages: isSame(outageMessages, state.outageMessages)
      ? state.outageMessages
      : outageMessages,
  }
  if (!isSame(silences, state.silences))
    return silences.reduce(withSilence, { ...moved, silences: [] })
  return moved.incidents === state.incidents && moved.outageMessages === state.outageMessages
    ? state
    : moved
}

function silenceUnder(silence: Silence, idOf: (id: AccountId) => AccountId): Silence {
  const { scope, awaited } = silence
  const isOfProject = scope.of === 'check' || scope.of === 'project'
  const moved =
    isOfProject && idOf(scope.accountId) !== scope.accountId
      ? { ...silence, scope: { ...scope, accountId: idOf(scope.accountId) } }
      : silence
  if (awaited === undefined || awaited.every((id) => idOf(id) === id)) return moved
  return { ...moved, awaited: [...new Set(awaited.map(idOf))] }
}
