import type { AccountId } from '#shared/core/account.ts'
import type { CheckDetails, CheckId } from '#shared/core/checks/check.ts'
import { call } from '../bridge.ts'
import { type Asked, useRun } from '../run.ts'
import { appState } from '../window-state.ts'

/**
 * All that the service said of a check, from main, which asks nobody for it: offline it is what was
 * said last. Asked for again with each list that was read, since other people change checks too.
 */
export function useDetails(accountId: AccountId, checkId: CheckId): Asked<CheckDetails> {
  const readAt = appState.value.boards.get(accountId)?.freshness.readAt ?? null
  return useRun(
    `${accountId} ${checkId} ${readAt}`,
    () => call.checkDetails({ accountId, checkId }),
    (details) => details,
  )
}
