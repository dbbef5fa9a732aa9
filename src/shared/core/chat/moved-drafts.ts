import type { AccountId } from '../account.ts'
import type { AppState } from '../state.ts'
import { draftKey } from './conversation-title.ts'

/**
 * Unsent text goes where its conversation went: a reply begun before a topic was resolved belongs to
 * the resolved one. Text that is there already stays in front.
 */
export function withMovedDrafts(before: AppState, after: AppState, accountId: AccountId): AppState {
  const moved = after.realms.get(accountId)?.movedTo
  if (moved === undefined || moved === before.realms.get(accountId)?.movedTo) return after
  const drafts = new Map(after.drafts)
  for (const [key, conversation] of moved) {
    const from = `${accountId}/${key}`
    const text = drafts.get(from)
    if (text === undefined) continue
    const to = draftKey(accountId, conversation)
    const there = drafts.get(to) ?? ''
    drafts.delete(from)
    drafts.set(to, there === '' ? text : `${there}\n\n${text}`)
  }
  return { ...after, drafts }
}
