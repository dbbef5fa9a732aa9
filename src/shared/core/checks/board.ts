import { type AccountId, type Freshness, neverRead } from '../account.ts'
import type { Failure } from '../failure.ts'
import type { LogEvidence } from './cause.ts'
import { type Check, type CheckId, type CheckStatus, noChecks, type StatusCounts } from './check.ts'
import type { CheckSnapshot } from './unseen-flips.ts'

/** One project's checks, as last read. */
export interface Board {
  readonly accountId: AccountId
  readonly checks: ReadonlyMap<CheckId, Check>
  /** Items of the last response that could not be parsed; the others are used nevertheless. */
  readonly unreadable: number
  readonly counts: StatusCounts
  /**
   * The status each check had when it was last notified (or taken as known), except for those that
   * were up, which are nearly all: use `notifiedStatus`. Null before the first read of a new
   * account, whose first response is only a baseline. Survives restarts.
   */
  readonly notified: ReadonlyMap<CheckId, CheckStatus> | null
  readonly missed: MissedFlips
  /** What was found in the logs of checks in trouble. */
  readonly logs: ReadonlyMap<CheckId, LogEvidence>
  readonly freshness: Freshness
  /** How its list comes over the wire; absent where asking for its counts would spare little. */
  readonly wire?: ListWire
  /** What the previous run left, until the first read. */
  readonly last: LastBoard | null
  /** Server clock minus ours, from the Date header; ages and countdowns add it to our clock. */
  readonly serverOffsetMs: number
}

/** When the list was read, by the server's clock, if only its counts are known since; else null. */
export function countedSince({ freshness, serverOffsetMs }: Board): number | null {
  const { readAt, seenAt } = freshness
  return readAt === null || seenAt === undefined ? null : readAt + serverOffsetMs
}

/** A long list, as the server sends it. */
export interface ListWire {
  /** To a tenth of a megabyte. */
  readonly bytes: number
  /** Why the project's badge is not asked for the counts, although it should be. */
  readonly givenUp?: {
    readonly why: BadgeFault
    /** Epoch ms. */
    readonly until: number
  }
}

/**
 * Why the list is read each time, whatever the badge says:
 * - `unread`: the badge can't be read;
 * - `differs`: its counts are not those of the list that was just read;
 * - `busy`: the counts change at every poll;
 * - `odd`: some checks of the list can't be read or have an unknown status, so it can't be counted;
 * - `owed`: after each whole read, too many checks' flips have to be read one by one.
 */
export type BadgeFault = 'unread' | 'differs' | 'busy' | 'odd' | 'owed'

/**
 * What the previous run last read of a project, for the window to show until the first read. Nothing
 * but the window knows it: to everything else, the board was not read yet.
 */
export interface LastBoard {
  /** Epoch ms, our clock. */
  readonly readAt: number
  readonly serverOffsetMs: number
  /** Of all its checks. */
  readonly counts: StatusCounts
  /** The worst ones, in the order of the list: about as many as a window shows. */
  readonly checks: readonly Check[]
}

/**
 * The status a check had when it was last notified; null if it was never seen or is deleted. While
 * the board may lack checks (before its first read, or if some could not be read), a missing one
 * counts as up.
 */
export function notifiedStatus(board: Board, id: CheckId): CheckStatus | null {
  const { notified, checks } = board
  if (notified === null) return null
  return notified.get(id) ?? (lacksSome(board) || checks.has(id) ? 'up' : null)
}

export function lacksSome({ unreadable, checks, freshness }: Board): boolean {
  return unreadable > 0 || checks.size === 0 || freshness.readAt === null
}

/** An account's board before its first read. `notified` comes from disk; null for a new account. */
export function emptyBoard(
  accountId: AccountId,
  notified: ReadonlyMap<CheckId, CheckStatus> | null,
  missed: MissedFlips = nothingMissed,
): Board {
  return {
    accountId,
    checks: new Map(),
    unreadable: 0,
    counts: noChecks,
    notified,
    missed,
    logs: new Map(),
    freshness: neverRead,
    last: null,
    serverOffsetMs: 0,
  }
}

/** The boards as a part of the app's state. */
export interface ChecksSlice {
  readonly boards: ReadonlyMap<AccountId, Board>
}

export function withBoard<State extends ChecksSlice>(state: State, board: Board): State {
  return { ...state, boards: new Map(state.boards).set(board.accountId, board) }
}

/**
 * What a board knows about the time between its reads. Epoch ms by the server's clock. All but
 * `found`, `again` and `failing` survives restarts.
 */
export interface MissedFlips {
  /** When the previous run last read the checks; null: unknown. */
  readonly since: number | null
  /**
   * For checks whose change was notified, at once or later: the time of the signal up to which
   * everything has been notified, plus 1 ms for each flip to up within that second.
   */
  readonly notifiedUpTo: ReadonlyMap<CheckId, number>
  /** Checks whose flips must be read, oldest first. */
  readonly pending: ReadonlyMap<CheckId, PendingLookup>
  /** The last snapshots of checks that aren't on the board: not read yet, or missing from the answer. */
  readonly snapshots: ReadonlyMap<CheckId, CheckSnapshot>
  /** What was found last; each new list is notified once. */
  readonly found: readonly MissedOutage[]
  /**
   * Checks that were up between two reads and are down again: their recovery and new outage are being
   * taken in, and are notified as one.
   */
  readonly again: ReadonlyMap<CheckId, Again>
  /** The number of checks whose flips could not be read several times, and the last failure. */
  readonly failing: { readonly count: number; readonly failure: Failure } | null
}

interface Again {
  /** For how long at most it was up. */
  readonly upForMs: number
  /** Which read had the new outage first, by the server's clock. */
  readonly readAt: number
}

export const nothingMissed: MissedFlips = {
  since: null,
  notifiedUpTo: new Map(),
  pending: new Map(),
  snapshots: new Map(),
  found: [],
  again: new Map(),
  failing: null,
}

/** The last snapshot of a check that may have been down unseen since, which its flips will show. */
export interface PendingLookup extends CheckSnapshot {
  /** Since when its flips have been due. */
  readonly owedAt: number
  /** When it was seen down, in order of time: those outages were notified by status. */
  readonly seenDown: readonly SeenDown[]
  readonly notifiedUpTo: number | null
  /** Later reads that showed it as down, as the one before, but after another signal. */
  readonly stillDownAt?: readonly number[]
}

export type SeenDown = Pick<CheckSnapshot, 'at' | 'lastPingAt'>

/** A time during which a check was not up, and that no read of the list showed. */
export interface MissedOutage {
  readonly checkId: CheckId
  readonly from: number
  readonly to: number
  /** `unsure`: it may have been paused. */
  readonly kind: 'down' | 'unsure'
}
