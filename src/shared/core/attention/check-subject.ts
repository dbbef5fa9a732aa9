import type { AccountId } from '../account.ts'
import type { CheckId } from '../checks/check.ts'

/** What a check's notices, and its entries in the history, are filed under. */
export function checkSubject(accountId: AccountId, checkId: CheckId): string {
  return `${accountId}/check/${checkId}`
}
