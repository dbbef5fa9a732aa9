import type { Account, AccountId } from '../account.ts'
import { keptUnder } from '../projects.ts'
import type { Settings } from '../settings.ts'
import type { AppState } from '../state.ts'
import type { Silence } from './silence.ts'
import { withSilence } from './silences-update.ts'

/**
 * With what was silenced, reported and pinned of checks under the accounts that stand for their projects, through
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
  const settings = settingsUnder(state.settings, idOf, accounts)
  const isSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
    some.every((one, at) => one === others[at])
  const moved = {
    ...state,
    settings,
    incidents: isSame(incidents, state.incidents) ? state.incidents : incidents,
    outageMessages: isSame(outageMessages, state.outageMessages)
      ? state.outageMessages
      : outageMessages,
  }
  if (!isSame(silences, state.silences))
    return silences.reduce(withSilence, { ...moved, silences: [] })
  return settings === state.settings &&
    moved.incidents === state.incidents &&
    moved.outageMessages === state.outageMessages
    ? state
    : moved
}

/** The check that watches Belfry moves only from an account that is gone: a lesser key may not find its address. */
function settingsUnder(
  settings: Settings,
  idOf: (id: AccountId) => AccountId,
  accounts: readonly Account[],
): Settings {
  const moved = <T extends { readonly accountId: AccountId }>(one: T): T =>
    idOf(one.accountId) === one.accountId ? one : { ...one, accountId: idOf(one.accountId) }
  const { pins, selfWatch } = settings
  const isLeft = accounts.some(({ id }) => id === selfWatch?.accountId)
  const watch = selfWatch === null || isLeft ? selfWatch : moved(selfWatch)
  if (watch === selfWatch && pins.every((pin) => moved(pin) === pin)) return settings
  const one = new Map(pins.map(moved).map((pin) => [`${pin.accountId}/${pin.checkId}`, pin]))
  return { ...settings, selfWatch: watch, pins: [...one.values()] }
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
