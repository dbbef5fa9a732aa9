import type { Freshness } from './account.ts'
import type { AppState } from './state.ts'

/**
 * The state after this computer's clock was set by `setMs` (negative: back), until everything is
 * read anew a moment later.
 *
 * Set back, the moments of reading go with it: else they lie in the future, and old data would count
 * as fresh again for as long as the clock was moved. Set forward they stay, and the data count as
 * old: a computer that stood still without telling looks just the same, and then they are old.
 */
export function withClockSet(state: AppState, setMs: number): AppState {
  return {
    ...state,
    boards: new Map(
      [...state.boards].map(([id, board]) => [
        id,
        {
          ...board,
          freshness: shifted(board.freshness, setMs),
          serverOffsetMs: board.serverOffsetMs - setMs,
        },
      ]),
    ),
    realms: new Map(
      [...state.realms].map(([id, realm]) => [
        id,
        { ...realm, freshness: shifted(realm.freshness, setMs) },
      ]),
    ),
  }
}

function shifted(freshness: Freshness, setMs: number): Freshness {
  const { readAt, nextAt, failedAt } = freshness
  const setBack = Math.min(0, setMs)
  return {
    ...freshness,
    readAt: readAt === null ? null : readAt + setBack,
    failedAt: failedAt === null ? null : failedAt + setBack,
    nextAt: nextAt === null ? null : nextAt + setMs,
  }
}
