import type { AttentionEvent } from '../../shared/core/attention/event.ts'
import { oddRunEvents } from '../../shared/core/attention/runs/odd-runs.ts'
import { noRuns, type RunMemory, runsAfter } from '../../shared/core/attention/runs/usual-runs.ts'
import type { Board } from '../../shared/core/checks/board.ts'
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
        const { runs, odd } = runsAfter(known.get(id) ?? noRuns, {
          ...differenceOf(old.checks, board.checks),
          checks: board.checks,
          at: readAtOf(board) ?? now + board.serverOffsetMs,
        })
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

function isRead(old: Board, { checks, freshness }: Board): boolean {
  return old.checks !== checks || old.freshness.readAt !== freshness.readAt
}
