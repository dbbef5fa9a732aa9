import type { AccountId } from '../../shared/core/account.ts'
import type { AttentionEvent } from '../../shared/core/attention/event.ts'
import { type AttentionSettings, runLimitsOf } from '../../shared/core/attention/rules.ts'
import { oddRunEvents } from '../../shared/core/attention/runs/odd-runs.ts'
import {
  noRuns,
  type RunLimits,
  type RunMemory,
  runsAfter,
} from '../../shared/core/attention/runs/usual-runs.ts'
import type { Board } from '../../shared/core/checks/board.ts'
import type { Check } from '../../shared/core/checks/check.ts'
import { readAtOf } from '../../shared/core/checks/missed-flips.ts'
import { differenceOf } from '../../shared/core/map-difference.ts'
import type { AppState } from '../../shared/core/state.ts'

/** Learns how long runs usually take, and finds those that are odd. */
export function watchRuns(initial: RunMemory) {
  let memory = initial
  return {
    /** What the change of the state says about runs. Only a read shows how long one has taken. */
    look(before: AppState, after: AppState, now: number): readonly AttentionEvent[] {
      if (before.boards === after.boards) return []
      const known = new Map([...memory].filter(([id]) => after.boards.has(id)))
      const events: AttentionEvent[] = []
      for (const [id, board] of after.boards) {
        const old = before.boards.get(id)
        if (old === undefined || !isRead(old, board)) continue
        const read = {
          ...differenceOf(old.checks, board.checks),
          checks: board.checks,
          at: readAtOf(board) ?? now + board.serverOffsetMs,
        }
        const limitsOf = limitsBy(after.settings.attention, id)
        const { runs, odd } = runsAfter(known.get(id) ?? noRuns, read, limitsOf)
        if (runs !== noRuns) known.set(id, runs)
        if (odd.length > 0) events.push(...oddRunEvents(after, board, odd, now))
      }
      memory = known
      return events
    },
    rebase(kept: RunMemory): void {
      memory = kept
    },
    memory: () => memory,
  }
}

/** Spares looking through the rules for each of thousands of checks if none is about runs. */
function limitsBy(settings: AttentionSettings, accountId: AccountId) {
  const hasLimits = settings.rules.some(
    ({ longerMinutes, shorterMinutes }) => longerMinutes != null || shorterMinutes != null,
  )
  return (check: Check): RunLimits | null =>
    hasLimits ? runLimitsOf(settings, accountId, check) : null
}

function isRead(old: Board, { checks, freshness }: Board): boolean {
  return old.checks !== checks || old.freshness.readAt !== freshness.readAt
}
