import type { Board, ChecksSlice, LastBoard } from '../checks/board.ts'
import { boardOrders } from '../checks/board-orders.ts'
import type { Check, CheckId } from '../checks/check.ts'

/** How many checks of a project are kept: more than a window has room for. */
const mostKept = 60

/** What to keep of a board; null if no run has read it. `isPinned` ones come before all others. */
export function lastBoardOf(board: Board, isPinned: (id: CheckId) => boolean): LastBoard | null {
  const { freshness, serverOffsetMs, counts } = board
  if (freshness.readAt === null) return board.last
  const rank = ({ id }: Check): number => (isPinned(id) ? 0 : 1)
  const all = [...board.checks.values()]
  const ranked = all.toSorted((a, b) => rank(a) - rank(b) || boardOrders.status.compare(a, b))
  const kept = new Set(ranked.slice(0, mostKept))
  const checks = all.filter((check) => kept.has(check))
  return { readAt: freshness.readAt, serverOffsetMs, counts, checks }
}

/** How many checks of a board are not shown, since only some were kept. */
export function notShown({ freshness, counts, checks }: Board): number {
  if (freshness.isOfLastRun !== true) return 0
  return Math.max(0, Object.values(counts).reduce((sum, one) => sum + one, 0) - checks.size)
}

/** The state as the window shows it: boards that were not read yet as the previous run left them. */
export function withLastBoards<State extends ChecksSlice>(state: State): State {
  const isLeft = ({ last, freshness }: Board): boolean => last !== null && freshness.readAt === null
  if (![...state.boards.values()].some(isLeft)) return state
  const boards = new Map([...state.boards].map(([id, board]) => [id, asLeft(board)]))
  return { ...state, boards }
}

function asLeft(board: Board): Board {
  const { last, freshness } = board
  if (last === null || freshness.readAt !== null) return board
  return {
    ...board,
    // One that was asked for by itself is newer.
    checks: new Map([...last.checks.map((check) => [check.id, check] as const), ...board.checks]),
    counts: last.counts,
    freshness: { ...freshness, readAt: last.readAt, isOfLastRun: true },
    serverOffsetMs: last.serverOffsetMs,
  }
}
