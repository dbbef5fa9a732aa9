import { conversationTitle } from '#shared/core/chat/conversation-title.ts'
import type { DiscussPlace } from '#shared/core/outages/discuss.ts'
import type { AppState } from '#shared/core/state.ts'

/** "# ops › db-backup", also while the realm is not connected yet. */
export function placeWords(state: AppState, { accountId, conversation }: DiscussPlace): string {
  const realm = state.realms.get(accountId)
  if (realm !== undefined) return conversationTitle(realm, conversation)
  return conversation.kind === 'topic' ? conversation.topic : 'a direct conversation'
}
