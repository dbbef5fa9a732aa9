import { computed } from '@preact/signals'
import type { AccountId } from '#shared/core/account.ts'
import { type Outage, outagesBehind } from '#shared/core/attention/dependencies/dependency.ts'
import type { Check } from '#shared/core/checks/check.ts'
import { appState, now } from '../window-state.ts'

const accounts = computed(() => appState.value.accounts)
const boards = computed(() => appState.value.boards)
const dependencies = computed(() => appState.value.dependencies)

// Apart from the rest of the state, which changes with every chat message.
const behind = computed(() =>
  outagesBehind(
    { accounts: accounts.value, boards: boards.value, dependencies: dependencies.value },
    now.peek(),
  ),
)

/** What the check depends on and is out, so that it is quiet; null: nothing. */
export function outageBehind(
  accountId: AccountId,
  check: Pick<Check, 'id' | 'tags'>,
): Outage | null {
  return behind.value(accountId, check)
}
