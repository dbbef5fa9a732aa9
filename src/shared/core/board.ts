import type { AccountId, Freshness } from './account.ts'
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
   * The status each check had when we last told of it (or took it as known); null before the first
   * read of a new account, whose first answer is only a baseline. Survives restarts.
   */
  readonly told: ReadonlyMap<CheckId, CheckStatus> | null
  readonly missed: MissedFlips
  readonly freshness: Freshness
  /** Server clock minus ours, from the Date header; ages and countdowns add it to our clock. */
  readonly serverOffsetMs: number
}
