import type { AccountId } from '#shared/core/account.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { go } from '../window-state.ts'

/** Actions that lead to a check's discussion and timeline, on its page and on the board. */
export function discussActions(accountId: AccountId, check: Check): readonly PageAction[] {
  const here = { accountId, checkId: check.id }
  const name = checkName(check)
  return [
    { key: 'd', title: `Discuss ${name}`, act: () => go({ view: 'discuss', ...here }) },
    { key: 't', title: `Timeline of ${name}`, act: () => go({ view: 'timeline', ...here }) },
  ]
}
