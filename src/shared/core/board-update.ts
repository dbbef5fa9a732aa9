import { type AccountId, neverRead } from './account.ts'
import type { Board } from './board.ts'
import { type Check, type CheckId, type CheckStatus, noChecks } from './check.ts'
import type { Failure } from './failure.ts'
import { differenceOf, type MapDifference, rememberDifference } from './map-difference.ts'
import { beginning, checksAStep, mergedChecks, sharing } from './merged-checks.ts'
import { type MissedFlips, nothingMissed, toldLive } from './missed-flips.ts'
import type { AppState } from './state.ts'
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
  const told = yield* toldAfter(board, checks, read.unreadable)
  return {
    ...board,
    checks,
    unreadable: read.unreadable,
    counts: checks === board.checks ? board.counts : countStatuses(checks.values()),
    told,
    missed: toldLive(board.missed, board.told, told, read.at + read.serverOffsetMs),
    freshness: { readAt: read.at, nextAt: null, intervalMs: read.intervalMs, failure: null },
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

/**
 * An unknown status is not told, nor does it overwrite what was: a server that speaks oddly for one
 * answer must not make the same "down" news again. For the same reason a check that is missing stays
 * told while some item could not be read, or when a list is empty all at once.
 */
function* toldAfter(
  board: Board,
  checks: ReadonlyMap<CheckId, Check>,
  unreadable: number,
): Generator<undefined, ReadonlyMap<CheckId, CheckStatus>> {
  const { told: before } = board
  if (before !== null && checks === board.checks) return before
  const doubtful = unreadable > 0 || (checks.size === 0 && board.checks.size > 0)
  // What is told of no check that is there was left by a doubtful answer, or is from before a restart.
  if (before !== null && !doubtful && before.size === board.checks.size)
    return yield* toldOfChanges(before, differenceOf(board.checks, checks), checks)
  if (before !== null && doubtful && areTold(checks, before)) return before
  const told = yield* copied(doubtful ? (before ?? []) : [])
  let place = 0
  for (const { id, status } of checks.values()) {
    if (place % checksAStep === 0) yield
    place += 1
    told.set(id, status === 'unknown' ? (before?.get(id) ?? 'unknown') : status)
  }
  return told
}

function* toldOfChanges(
  before: ReadonlyMap<CheckId, CheckStatus>,
  { changed, gone }: MapDifference<CheckId>,
  checks: ReadonlyMap<CheckId, Check>,
): Generator<undefined, ReadonlyMap<CheckId, CheckStatus>> {
  const news = changed.filter((id) => !isTold(before.get(id), checks.get(id)?.status))
  if (news.length === 0 && gone.length === 0) return before
  const told = yield* copied(before)
  for (const id of news) told.set(id, checks.get(id)?.status ?? 'unknown')
  for (const id of gone) told.delete(id)
  rememberDifference(before, told, { changed: news, gone })
  return told
}

function* copied<K, V>(entries: Iterable<readonly [K, V]>): Generator<undefined, Map<K, V>> {
  const copy = new Map<K, V>()
  for (const [key, value] of entries) {
    if (copy.size % checksAStep === 0) yield
    copy.set(key, value)
  }
  return copy
}

function isTold(before: CheckStatus | undefined, status: CheckStatus | undefined): boolean {
  return before === status || (before !== undefined && status === 'unknown')
}

function areTold(
  checks: ReadonlyMap<CheckId, Check>,
  told: ReadonlyMap<CheckId, CheckStatus>,
): boolean {
  for (const { id, status } of checks.values()) if (!isTold(told.get(id), status)) return false
  return true
}

/** A failed poll: what was read stays, and ages. */
export function withChecksFailed(
  state: AppState,
  accountId: AccountId,
  failure: Failure,
): AppState {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  return withBoard(state, { ...board, freshness: { ...board.freshness, nextAt: null, failure } })
}

/** When the next poll is planned. */
export function withNextPoll(
  state: AppState,
  accountId: AccountId,
  nextAt: number | null,
  intervalMs: number,
): AppState {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  return withBoard(state, { ...board, freshness: { ...board.freshness, nextAt, intervalMs } })
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
  const told = atOnce(toldAfter(board, checks, board.unreadable))
  return withBoard(state, {
    ...board,
    checks,
    counts: countStatuses(checks.values()),
    told,
    missed: toldLive(board.missed, board.told, told, serverNow),
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
