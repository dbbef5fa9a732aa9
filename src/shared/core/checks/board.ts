import type { AccountId, Freshness } from '../account.ts'
import type { Check, CheckId, CheckStatus, StatusCounts } from './check.ts'
import type { MissedFlips } from './missed-flips.ts'

/** One project's checks, as last read. */
export interface Board {
  readonly accountId: AccountId
  readonly checks: ReadonlyMap<CheckId, Check>
  /** Items of the last answer that could not be read; counted and shown, never in the way of the others. */
  readonly unreadable: number
  readonly counts: StatusCounts
  /**
   * The status each check had when we last told of it (or took it as known), but for those that were
   * up, which are nearly all: ask `toldStatus`. Null before the first read of a new account, whose
   * first answer is only a baseline. Survives restarts.
   */
  readonly told: ReadonlyMap<CheckId, CheckStatus> | null
  readonly missed: MissedFlips
  readonly freshness: Freshness
  /** Server clock minus ours, from the Date header; ages and countdowns add it to our clock. */
  readonly serverOffsetMs: number
}

/**
 * The status a check had when we last told of it; null for one that was never seen, or is deleted.
 * While the board may lack some (before its first read, and where not all could be read), one that it
 * does not show counts as up.
 */
export function toldStatus(board: Board, id: CheckId): CheckStatus | null {
  const { told, checks, unreadable } = board
  if (told === null) return null
  const mayLackSome = unreadable > 0 || checks.size === 0
  return told.get(id) ?? (mayLackSome || checks.has(id) ? 'up' : null)
}
