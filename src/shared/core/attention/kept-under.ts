import type { Account, AccountId } from '../account.ts'
import { withToldBy } from '../checks/missed-flips.ts'
import { mapped } from '../identity.ts'
import { keptUnder, standIns } from '../projects.ts'
import type { Settings } from '../settings.ts'
import type { AppState } from '../state.ts'
import type { Silence } from './silence.ts'
import { changed, withSilence } from './silences-update.ts'

/**
 * Moves silences, rules, reports and pins of checks to the accounts that stand for their projects, so that
 * an account that takes over has all of them. Returns the same state if nothing moves. `accounts`:
 * those that remain.
 */
export function withKeptUnder(
  before: AppState,
  state: AppState,
  accounts: readonly Account[] = state.accounts,
): AppState {
  const keptIn = keptUnder(before, { ...state, accounts })
  const idOf: IdOf = (id) => keptIn(id) ?? id
  const incidents = mapped(state.incidents, (one) => under(one, idOf))
  const outageMessages = mapped(state.outageMessages, (one) =>
    idOf(one.projectId) === one.projectId ? one : { ...one, projectId: idOf(one.projectId) },
  )
  const silences = mapped(
    state.silences,
    (one) => changed(one, (part) => silenceUnder(part, idOf)) ?? one,
  )
  const settings = settingsUnder(state.settings, idOf, accounts)
  const boards = boardsTakenOver(before, state)
  const moved = { ...state, settings, incidents, outageMessages, boards }
  if (silences !== state.silences) return silences.reduce(withSilence, { ...moved, silences: [] })
  return settings === state.settings &&
    incidents === state.incidents &&
    outageMessages === state.outageMessages &&
    boards === state.boards
    ? state
    : moved
}

/** An account that takes over reports no outage once more that was found through the other. */
function boardsTakenOver(before: AppState, state: AppState): AppState['boards'] {
  const byBefore = standIns(before)
  const boards = new Map(state.boards)
  let isSame = true
  for (const [id, first] of standIns(state)) {
    const [own, other] = [boards.get(first), boards.get(id)]
    const wasRead = before.boards.get(id)?.freshness.readAt != null
    if (own === undefined || other === undefined || byBefore.has(id) || !wasRead) continue
    boards.set(first, { ...own, missed: withToldBy(own.missed, other.missed) })
    isSame = false
  }
  return isSame ? state.boards : boards
}

type IdOf = (id: AccountId) => AccountId

function under<Of extends { readonly accountId: AccountId | null }>(one: Of, idOf: IdOf): Of {
  const { accountId } = one
  return accountId === null || idOf(accountId) === accountId
    ? one
    : { ...one, accountId: idOf(accountId) }
}

/** Moves `selfWatch` only if its account is gone: another key may not reveal the ping address. */
function settingsUnder(settings: Settings, idOf: IdOf, accounts: readonly Account[]): Settings {
  const isLeft = accounts.some(({ id }) => id === settings.selfWatch?.accountId)
  const selfWatch =
    settings.selfWatch && !isLeft ? under(settings.selfWatch, idOf) : settings.selfWatch
  const pins = mapped(settings.pins, (pin) => under(pin, idOf))
  const discuss = mapped(settings.discuss, (rule) => under(rule, idOf))
  const rules = mapped(settings.attention.rules, (rule) => under(rule, idOf))
  const isSame =
    selfWatch === settings.selfWatch && pins === settings.pins && discuss === settings.discuss
  if (isSame && rules === settings.attention.rules) return settings
  const one = new Map(pins.map((pin) => [`${pin.accountId}/${pin.checkId}`, pin]))
  const attention = { ...settings.attention, rules }
  return { ...settings, selfWatch, pins: [...one.values()], discuss, attention }
}

function silenceUnder(silence: Silence, idOf: IdOf): Silence {
  const { awaited } = silence
  const isOfProject = silence.scope.of === 'check' || silence.scope.of === 'project'
  const scope = isOfProject ? under(silence.scope, idOf) : silence.scope
  const moved = scope === silence.scope ? silence : { ...silence, scope }
  if (awaited === undefined || awaited.every((id) => idOf(id) === id)) return moved
  return { ...moved, awaited: [...new Set(awaited.map(idOf))] }
}
