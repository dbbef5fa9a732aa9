import { type AccountId, neverRead } from './account.ts'
import type { Board } from './board.ts'
import { type Check, type CheckId, type CheckStatus, noChecks } from './check.ts'
import type { Failure } from './failure.ts'
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
 * The state after a successful poll. Checks that did not change stay the same objects, and a board
 * whose checks did not change keeps its map, so that an unchanged answer costs no patch.
 */
export function withChecks(state: AppState, accountId: AccountId, read: ChecksRead): AppState {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  const checks = mergedChecks(board, read)
  const told = toldAfter(board, checks, read.unreadable)
  return withBoard(state, {
    ...board,
    checks,
    unreadable: read.unreadable,
    counts: checks === board.checks ? board.counts : countStatuses(checks.values()),
    told,
    missed: toldLive(board.missed, board.told, told, read.at + read.serverOffsetMs),
    freshness: { readAt: read.at, nextAt: null, intervalMs: read.intervalMs, failure: null },
    serverOffsetMs: read.serverOffsetMs,
  })
}

function mergedChecks(board: Board, read: ChecksRead): ReadonlyMap<CheckId, Check> {
  const serverNow = read.at + read.serverOffsetMs
  let changed = read.checks.length !== board.checks.size
  const next = new Map<CheckId, Check>()
  for (const check of read.checks) {
    const old = board.checks.get(check.id)
    const since = beginning(old, check, serverNow)
    const seen = since === check.since ? check : { ...check, since }
    if (old !== undefined && (old === seen || sameCheck(old, seen))) next.set(check.id, old)
    else {
      next.set(check.id, seen)
      changed = true
    }
  }
  return changed || next.size !== board.checks.size ? next : board.checks
}

/**
 * The earliest moment known for as long as the status lasts: a later answer may only guess from the
 * deadline, and a failure signal to a check that is down moves its last ping but ends nothing.
 */
function beginning(old: Check | undefined, check: Check, serverNow: number): number | null {
  if (old === undefined) return check.since
  if (old.status !== check.status) return check.since ?? serverNow
  if (old.since === null || check.since === null) return check.since ?? old.since
  return Math.min(old.since, check.since)
}

/** Fields are flat or short lists, so comparing them is cheaper than any text made of them. */
function sameCheck(one: Check, other: Check): boolean {
  let key: keyof Check
  for (key in one) if (one[key] !== other[key] && !sameValue(one[key], other[key])) return false
  return true
}

function sameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Reflect.get(one, key) === Reflect.get(other, key))
  )
}

/**
 * An unknown status is not told, nor does it overwrite what was: a server that speaks oddly for one
 * answer must not make the same "down" news again. For the same reason a check that is missing stays
 * told while some item could not be read, or when a list is empty all at once.
 */
function toldAfter(
  board: Board,
  checks: ReadonlyMap<CheckId, Check>,
  unreadable: number,
): ReadonlyMap<CheckId, CheckStatus> {
  const { told: before } = board
  if (before !== null && checks === board.checks) return before
  const doubtful = unreadable > 0 || (checks.size === 0 && board.checks.size > 0)
  if (before !== null && (doubtful || before.size === checks.size) && areTold(checks, before))
    return before
  const told = new Map<CheckId, CheckStatus>(doubtful ? (before ?? []) : [])
  for (const { id, status } of checks.values())
    told.set(id, status === 'unknown' ? (before?.get(id) ?? 'unknown') : status)
  return told
}

function areTold(
  checks: ReadonlyMap<CheckId, Check>,
  told: ReadonlyMap<CheckId, CheckStatus>,
): boolean {
  for (const { id, status } of checks.values()) {
    const before = told.get(id)
    if (before !== status && (before === undefined || status !== 'unknown')) return false
  }
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
  const seen = { ...check, since: beginning(old, check, serverNow) }
  if (sameCheck(old, seen)) return state
  const checks = new Map(board.checks).set(check.id, seen)
  const told = toldAfter(board, checks, board.unreadable)
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
