import {
  type Account,
  type AccountId,
  accountById,
  type MonitoringAccount,
  onlyReads,
} from '#shared/core/account.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import type { AppState } from '#shared/core/state.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { toast } from '../toast.ts'
import { appState, go } from '../window-state.ts'

/** The key is enough to watch: what it can't do isn't offered. */
export function isOnlyRead(account: MonitoringAccount, check: Check | null): boolean {
  return onlyReads(account) || check?.writable === false
}

/** Why checks of this project can't be created (`check` null), paused, edited or deleted; else null. */
export function whyNotWritable(account: Account | null, check: Check | null): string | null {
  if (account?.kind !== 'monitoring') return 'Its account was removed.'
  if (isOnlyRead(account, check)) return `The key of ${account.label} can only read.`
  if (account.key !== 'present') return `${account.label} needs a working key first.`
  return null
}

/** Whether the key of any of these is enough for more than to watch. */
export function someWritable(
  checks: readonly { readonly accountId: AccountId; readonly check: Check }[],
): boolean {
  return checks.some(({ accountId, check }) => {
    const account = accountById(appState.value, accountId)
    return account?.kind !== 'monitoring' || !isOnlyRead(account, check)
  })
}

/** Projects in which a check can be created. */
export function writableProjects({ accounts }: AppState): readonly MonitoringAccount[] {
  return accounts
    .filter((account) => account.kind === 'monitoring')
    .filter((account) => whyNotWritable(account, null) === null)
}

/** Opens the form of a new check, or says what one needs. */
export function openNewCheck(): void {
  const [project] = writableProjects(appState.peek())
  if (project === undefined) toast('A new check needs a project with a read-write key.', 'failed')
  else go({ view: 'editCheck', accountId: project.id, checkId: null })
}

/** Opens the editor, or says why the check can't be edited. */
export function editAction(accountId: AccountId, check: Check): PageAction {
  return {
    key: 'e',
    title: `Edit ${checkName(check)}`,
    act() {
      const why = whyNotWritable(accountById(appState.value, accountId), check)
      if (why !== null) toast(why, 'failed')
      else go({ view: 'editCheck', accountId, checkId: check.id })
    },
  }
}
