import { quietUntil } from '../attention/quiet-hours.ts'
import { disturbUntil, quietChecks, type Silence } from '../attention/silence.ts'
import type { Board } from '../checks/board.ts'
import { boardOrders } from '../checks/board-orders.ts'
import type { Check } from '../checks/check.ts'
import { hasTrouble, isTrouble } from '../checks/status-counts.ts'
import type { AppState } from '../state.ts'
import { sortedChecks } from './check-order.ts'

/** A check that needs attention, and what silences it. */
export interface Problem {
  readonly board: Board
  readonly check: Check
  /** Null if nothing does. */
  readonly silence: Silence | null
}

const { status: worstFirst } = boardOrders

/** Checks that are down, late or in an unknown state, in the order of the board. */
export function problemsOf(state: AppState, now: number): readonly Problem[] {
  const silenceOn = quietChecks(state.silences, now)
  const problems = [...state.boards.values()].flatMap((board) =>
    troubled(board).map((check) => ({
      board,
      check,
      silence: silenceOn(board.accountId, check),
    })),
  )
  return problems.sort((one, other) => worstFirst.compare(one.check, other.check))
}

/** Cached per list of checks: each poll changes the state three times without changing the list. */
const troubledOf = new WeakMap<Board['checks'], readonly Check[]>()

function troubled({ counts, checks }: Board): readonly Check[] {
  if (!hasTrouble(counts)) return []
  const known = troubledOf.get(checks)
  if (known !== undefined) return known
  const found = sortedChecks([...checks.values()].filter(isTrouble), worstFirst, (check) => check)
  troubledOf.set(checks, found)
  return found
}

/** Epoch ms at which do-not-disturb or the quiet hours end; `Infinity` without an end; null: neither is on. */
export function quietEnd(state: AppState, now: number): number | null {
  const disturb = disturbUntil(state.silences, now)
  const hours = quietUntil(state.settings.attention.quietHours, now)
  if (disturb === null || hours === null) return disturb ?? hours
  return Math.max(disturb, hours)
}
