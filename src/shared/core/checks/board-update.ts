import { type AccountId, type Freshness, neverRead, withFailure } from '../account.ts'
import type { Failure } from '../failure.ts'
import { differenceOf, rememberDifference } from '../map-difference.ts'
import type { AppState } from '../state.ts'
import type { Board } from './board.ts'
import { type Check, type CheckId, type CheckStatus, noChecks } from './check.ts'
import { beginning, checksAStep, mergedChecks, sharing } from './merged-checks.ts'
import { type MissedFlips, nothingMissed, toldLive } from './missed-flips.ts'
import { countStatuses } from './status-counts.ts'

/** The board of an account before its first read. What was told comes from disk when the account is known from before. */
export function emptyBoard(
  accountId: AccountId,
  told: ReadonlyMap<CheckId, CheckStatus> | null,
  missed: MissedFlips = nothingMissed,
): Board {
  return {
    accountId,
    checks: new Map(),
    unreadable: 0,
    counts: noChecks,
    told,
    missed,
    freshness: neverRead,
    serverOffsetMs: 0,
  }
}

/** One complete answer to "list checks". */
export interface ChecksRead {
  readonly checks: readonly Check[]
  readonly unreadable: number
  /** Epoch ms, our clock. */
  readonly at: number
  readonly intervalMs: number
  readonly serverOffsetMs: number
}

/**
 * The board after a successful poll, in steps: with 50,000 checks all of it takes longer than others
 * may have to wait. Checks that did not change stay the same objects, and a board whose checks did
 * not change keeps its map, so that an unchanged answer costs no patch.
 */
export function* boardAfter(board: Board, read: ChecksRead): Generator<undefined, Board> {
  const checks = yield* mergedChecks(board.checks, read.checks, read.at + read.serverOffsetMs)
  const mayLackSome = isDoubtful(board, checks, read.unreadable)
  const told = yield* toldAfter(board, checks, mayLackSome)
  return {
    ...board,
    checks,
    unreadable: read.unreadable,
    counts: checks === board.checks ? board.counts : countStatuses(checks.values()),
    told,
    missed: toldLive(board, { checks, told, mayLackSome }, read.at + read.serverOffsetMs),
    freshness: { ...neverRead, readAt: read.at, intervalMs: read.intervalMs },
    serverOffsetMs: read.serverOffsetMs,
  }
}

/** The state after a successful poll, all at once. */
export function withChecks(state: AppState, accountId: AccountId, read: ChecksRead): AppState {
  const board = state.boards.get(accountId)
  return board === undefined ? state : withBoard(state, atOnce(boardAfter(board, read)))
}

function atOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** An answer that may lack checks: some item could not be read, or a list is empty all at once. */
function isDoubtful(board: Board, checks: ReadonlyMap<CheckId, Check>, unreadable: number) {
  return unreadable > 0 || (checks.size === 0 && board.checks.size > 0)
}

/**
 * An unknown status is not told, nor does it overwrite what was: a server that speaks oddly for one
 * answer must not make the same "down" news again. For the same reason a check that is missing from a
 * doubtful answer stays told.
 */
function* toldAfter(
  board: Board,
  checks: ReadonlyMap<CheckId, Check>,
  mayLackSome: boolean,
): Generator<undefined, ReadonlyMap<CheckId, CheckStatus>> {
  if (board.told !== null && checks === board.checks) return board.told
  const before = board.told ?? new Map<CheckId, CheckStatus>()
  const told = new Map(mayLackSome ? before : [...before].filter(([id]) => checks.has(id)))
  const changed: CheckId[] = []
  let looked = 0
  for (const id of differenceOf(board.checks, checks).changed) {
    if (looked % checksAStep === 0) yield
    looked += 1
    const status = checks.get(id)?.status ?? 'unknown'
    if (status === 'unknown' || status === before.get(id)) continue
    if (status === 'up') told.delete(id)
    else {
      told.set(id, status)
      changed.push(id)
    }
  }
  const gone = [...before.keys()].filter((id) => !told.has(id))
  if (board.told !== null && changed.length + gone.length === 0) return board.told
  rememberDifference(before, told, { changed, gone })
  return told
}

/** A failed poll: what was read stays, and ages. */
export function withChecksFailed(
  state: AppState,
  accountId: AccountId,
  failure: Failure,
  now: number,
): AppState {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  const freshness = withFailure({ ...board.freshness, nextAt: null }, failure, now)
  return withBoard(state, { ...board, freshness })
}

/** When the next poll is planned, and the interval that it is promised by; null: it is under way. */
export function withNextPoll(
  state: AppState,
  accountId: AccountId,
  plan: Pick<Freshness, 'nextAt' | 'intervalMs'> | null,
): AppState {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  return withBoard(state, {
    ...board,
    freshness: { ...board.freshness, ...(plan ?? { nextAt: null }) },
  })
}

/** One check as a single answer (get, pause, resume) gave it, before the next poll says the same. */
export function withCheck(
  state: AppState,
  accountId: AccountId,
  check: Check,
  serverNow: number,
): AppState {
  const board = state.boards.get(accountId)
  const old = board?.checks.get(check.id)
  if (board === undefined || old === undefined) return state
  const seen = sharing(old, { ...check, since: beginning(old, check, serverNow) })
  if (seen === old) return state
  const checks = new Map(board.checks).set(check.id, seen)
  const mayLackSome = board.unreadable > 0
  const told = atOnce(toldAfter(board, checks, mayLackSome))
  return withBoard(state, {
    ...board,
    checks,
    counts: countStatuses(checks.values()),
    told,
    missed: toldLive(board, { checks, told, mayLackSome }, serverNow),
  })
}

/** What a search for missed flips changed: it begins, or ends with what it found. */
export function withMissed(
  state: AppState,
  accountId: AccountId,
  change: (missed: MissedFlips) => MissedFlips,
): AppState {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  const missed = change(board.missed)
  return missed === board.missed ? state : withBoard(state, { ...board, missed })
}

export function withBoard(state: AppState, board: Board): AppState {
  return { ...state, boards: new Map(state.boards).set(board.accountId, board) }
}
