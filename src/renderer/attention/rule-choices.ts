import type { AccountId } from '#shared/core/account.ts'
import { checkName } from '#shared/core/checks/check.ts'
import type { AppState } from '#shared/core/state.ts'

/** Something by name. */
export interface Choice {
  readonly value: string
  readonly label: string
}

export function checkChoices(state: AppState, accountId: AccountId): readonly Choice[] {
  const checks = state.boards.get(accountId)?.checks.values() ?? []
  return sorted([...checks].map((check) => ({ value: check.id, label: checkName(check) })))
}

export function channelChoices(state: AppState, accountId: AccountId): readonly Choice[] {
  const channels = state.realms.get(accountId)?.channels.values() ?? []
  return sorted([...channels].map(({ id, name }) => ({ value: String(id), label: `# ${name}` })))
}

export function personChoices(state: AppState, accountId: AccountId): readonly Choice[] {
  const users = state.realms.get(accountId)?.users.values() ?? []
  return sorted([...users].map(({ id, name }) => ({ value: String(id), label: name })))
}

/** The tags of the boards, of one project or of all. */
export function tagsKnown(state: AppState, accountId: AccountId | null): readonly string[] {
  const tags = new Set<string>()
  for (const [id, board] of state.boards) {
    if (accountId !== null && id !== accountId) continue
    for (const check of board.checks.values()) for (const tag of check.tags) tags.add(tag)
  }
  return [...tags].sort((one, other) => one.localeCompare(other))
}

function sorted(choices: readonly Choice[]): readonly Choice[] {
  return choices.toSorted((one, other) => one.label.localeCompare(other.label))
}
