import type { AccountId } from '#shared/core/account.ts'
import { messageGoneWords } from '#shared/core/chat/narrow-link.ts'
import { call } from './bridge.ts'
import { toast, toastFailure } from './toast.ts'
import { go, stillHere } from './window-state.ts'

/** Opens a message of which nothing but its id is known, where it is. */
export async function openMessage(accountId: AccountId, messageId: number): Promise<void> {
  const isHere = stillHere()
  const result = await call.showMessage({ accountId, conversation: null, messageId })
  if (!isHere()) return
  if (!result.ok) toastFailure(result.failure)
  else if (result.value === null) toast(messageGoneWords)
  else go({ view: 'conversation', accountId, conversation: result.value, messageId })
}
