import { useEffect, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { messageGoneWords } from '#shared/core/chat/narrow-link.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { ConversationInfo, Realm } from '#shared/core/chat/realm.ts'
import { call } from '../bridge.ts'
import { toast, toastFailure } from '../toast.ts'
import { go, place, stillHere } from '../window-state.ts'

/**
 * Loads the message that was asked for, once the newest ones are there, and follows it to where it
 * was moved: an answer belongs there. Returns whether it is still being looked for.
 */
export function useWanted(
  target: Place,
  messageId: number | null,
  realm: Realm,
  info?: ConversationInfo,
): boolean {
  const [missing, setMissing] = useState<object | null>(null)
  const request = place.value
  const isReady = realm.phase === 'live' && info?.history === 'recent'
  const isOver = messageId === null || missing === request || info?.failure != null
  useEffect(() => {
    if (!isReady || isOver) return
    const isHere = stillHere()
    void call.showMessage({ ...target, messageId }).then((result) => {
      if (!isHere()) return
      const conversation = result.ok ? result.value : target.conversation
      if (!result.ok) toastFailure(result.failure)
      else if (conversation === null) toast(messageGoneWords)
      if (
        conversation === null ||
        conversationKey(conversation) === conversationKey(target.conversation)
      )
        setMissing(request)
      else
        place.value = { view: 'conversation', accountId: target.accountId, conversation, messageId }
    })
  }, [request, messageId, isReady, isOver])
  return !isOver && realm.phase === 'live'
}

/** Opens a message of which nothing but its id is known, where it is. */
export async function openMessage(accountId: AccountId, messageId: number): Promise<void> {
  const isHere = stillHere()
  const result = await call.showMessage({ accountId, conversation: null, messageId })
  if (!isHere()) return
  if (!result.ok) toastFailure(result.failure)
  else if (result.value === null) toast(messageGoneWords)
  else go({ view: 'conversation', accountId, conversation: result.value, messageId })
}
