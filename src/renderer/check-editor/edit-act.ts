import type { AccountId } from '#shared/core/account.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import { accountById } from '#shared/core/state.ts'
import type { PageAct } from '../parts/page-actions.ts'
import { say } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { whyNotWritable } from './editor-access.ts'

/** Opens the editor, or says why the check can't be changed; on its page and in the board. */
export function editAct(accountId: AccountId, check: Check): PageAct {
  return {
    key: 'e',
    title: `Edit ${checkName(check)}`,
    act() {
      const why = whyNotWritable(accountById(appState.value, accountId), check)
      if (why !== null) say(why, 'failed')
      else go({ view: 'editCheck', accountId, checkId: check.id })
    },
  }
}
