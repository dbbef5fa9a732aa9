import type { AccountId } from '#shared/core/account.ts'
import { tagsOf } from '#shared/core/attention/maintenance/maintenance.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { checkName } from '#shared/core/checks/check.ts'
import type { AppState } from '#shared/core/state.ts'
import { compareNames } from '#shared/core/wording.ts'

/** One of what an account has: for a list to choose from. */
export type Choice = readonly [value: string, label: string]

export function checkChoices(state: AppState, accountId: AccountId): readonly Choice[] {
  const checks = state.boards.get(accountId)?.checks.values() ?? []
  return sorted([...checks].map((check) => [check.id, checkName(check)]))
}

/** The values are ids or, with `of: 'text'`, names. */
export function channelChoices(
  state: AppState,
  accountId: AccountId,
  of: 'text' | 'number' = 'number',
): readonly Choice[] {
  const channels = [...(state.realms.get(accountId)?.channels.values() ?? [])]
  const choiceOf = (id: number, name: string) => (of === 'number' ? String(id) : name)
  return sorted(channels.map(({ id, name }) => [choiceOf(id, name), `# ${name}`]))
}

const people = new WeakMap<Realm['users'], readonly Choice[]>()

/** Cached for each list of users, since sorting 50,000 takes a while. */
export function personChoices(state: AppState, accountId: AccountId): readonly Choice[] {
  const users = state.realms.get(accountId)?.users
  if (users === undefined) return []
  const choices =
    people.get(users) ?? sorted([...users.values()].map(({ id, name }) => [`${id}`, name]))
  people.set(users, choices)
  return choices
}

/** The tags of one project or, if `accountId` is null, of all projects: those of most checks first. */
export function tagsKnown(state: AppState, accountId: AccountId | null): readonly string[] {
  const boards = [...state.boards].filter(([id]) => accountId === null || id === accountId)
  return [...tagsOf({ ...state, boards: new Map(boards) })]
    .sort(([one, a], [other, b]) => b.checks - a.checks || compareNames(one, other))
    .map(([tag]) => tag)
}

function sorted(choices: readonly Choice[]): readonly Choice[] {
  return choices.toSorted((one, other) => compareNames(one[1], other[1]))
}
