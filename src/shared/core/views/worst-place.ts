import { hasTrouble } from '../checks/status-counts.ts'
import type { AppState } from '../state.ts'
import type { Target } from '../target.ts'
import { unreadTotals } from './conversation-rows.ts'

/** Where someone who just opens the window wants to be: at the worst news, else at what they have. */
export function worstPlace(state: AppState): Target {
  const hasProject = state.accounts.some(({ kind }) => kind === 'monitoring')
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  const troubled = [...state.boards.values()].some(({ counts }) => hasTrouble(counts))
  const waiting = [...state.realms.values()].some((realm) => unreadTotals(realm).unread > 0)
  if (!hasChat || troubled) return { view: 'checks' }
  return waiting || !hasProject ? { view: 'chat' } : { view: 'checks' }
}
