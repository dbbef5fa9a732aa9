import { type AccountId, type Freshness, neverRead, withFailure } from '../account.ts'
import type { Failure } from '../failure.ts'
import { isSameList } from '../identity.ts'
import { differenceOf, rememberDifference } from '../map-difference.ts'
import { atOnce } from '../steps.ts'
import {
  type Board,
  type ChecksSlice,
  type ListWire,
  lacksSome,
  type MissedFlips,
  notifiedStatus,
  withBoard,
} from './board.ts'
import { hasCause, isOfRecord, type LogEvidence } from './cause.ts'
import type { Check, CheckId, CheckStatus } from './check.ts'
import { missedAfter } from './missed-flips.ts'
import { countStatuses } from './status-counts.ts'

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
 * The board after a successful poll, computed in steps, since 50,000 checks at once would block
 * everything else for too long. Unchanged checks stay the same objects, and the map too if none
 * changed, so that an unchanged answer costs no patch.
 */
export function* boardAfter(board: Board, read: ChecksRead): Generator<undefined, Board> {
  const at = read.at + read.serverOffsetMs
  const checks = yield* mergedChecks(board, read.checks, at)
  const mayLackSome = isDoubtful(board, checks, read.unreadable)
  const notified = yield* notifiedAfter(board, checks, mayLackSome)
  const missed = yield* missedAfter(board, { checks, notified, mayLackSome, at }, (id) =>
    notifiedStatus(board, id),
  )
  return {
    ...board,
    checks,
    unreadable: read.unreadable,
    counts: checks === board.checks ? board.counts : countStatuses(checks.values()),
    notified,
    missed,
    logs: logsOf(board.logs, checks),
    freshness: {
      ...neverRead,
      readAt: read.at,
      intervalMs: read.intervalMs,
      lastFailure: board.freshness.lastFailure,
    },
    last: null,
    serverOffsetMs: read.serverOffsetMs,
  }
}

/** The state after a successful poll, all at once. */
export function withChecks<State extends ChecksSlice>(
  state: State,
  accountId: AccountId,
  read: ChecksRead,
): State {
  const board = state.boards.get(accountId)
  return board === undefined ? state : withBoard(state, atOnce(boardAfter(board, read)))
}

/**
 * Whether an answer may lack checks: some could not be read, or the list is suddenly empty. What a
 * second empty list says is so.
 */
function isDoubtful(
  { checks: before, freshness }: Board,
  checks: ReadonlyMap<CheckId, Check>,
  unreadable: number,
) {
  return unreadable > 0 || (checks.size === 0 && (before.size > 0 || freshness.readAt === null))
}

/**
 * An unknown status is not notified, nor does it overwrite the notified one: one odd response must
 * not cause the same "down" to be notified twice. For the same reason a check that is missing from
 * a doubtful response keeps its notified status.
 */
function* notifiedAfter(
  board: Board,
  checks: ReadonlyMap<CheckId, Check>,
  mayLackSome: boolean,
): Generator<undefined, ReadonlyMap<CheckId, CheckStatus>> {
  const before = board.notified ?? new Map<CheckId, CheckStatus>()
  const notified = new Map(mayLackSome ? before : [...before].filter(([id]) => checks.has(id)))
  const changed: CheckId[] = []
  let looked = 0
  for (const id of differenceOf(board.checks, checks).changed) {
    if (looked % checksAStep === 0) yield
    looked += 1
    const status = checks.get(id)?.status ?? 'unknown'
    if (status === 'unknown' || status === before.get(id)) continue
    if (status === 'up') notified.delete(id)
    else {
      notified.set(id, status)
      changed.push(id)
    }
  }
  const gone = [...before.keys()].filter((id) => !notified.has(id))
  if (board.notified !== null && changed.length + gone.length === 0) return board.notified
  rememberDifference(before, notified, { changed, gone })
  return notified
}

/** After a failed poll: the checks stay, and age. */
export function withChecksFailed<State extends ChecksSlice>(
  state: State,
  accountId: AccountId,
  failure: Failure,
  now: number,
): State {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  const freshness = withFailure({ ...board.freshness, nextAt: null }, failure, now)
  return withBoard(state, { ...board, freshness })
}

/** After an answer that said only that the counts are those of the last read. */
export function withCountsSeen<State extends ChecksSlice>(
  state: State,
  accountId: AccountId,
  seenAt: number,
  intervalMs: number,
): State {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  return withBoard(state, { ...board, freshness: { ...board.freshness, seenAt, intervalMs } })
}

/** Records how a long list came, or that it is none. */
export function withWire<State extends ChecksSlice>(
  state: State,
  accountId: AccountId,
  wire: ListWire | null,
): State {
  const board = state.boards.get(accountId)
  const before = board?.wire ?? null
  if (board === undefined || before === wire || sameValue(before, wire)) return state
  const { wire: _before, ...rest } = board
  return withBoard(state, wire === null ? rest : { ...rest, wire })
}

/** Records when the next poll is planned, and the interval; `plan` null: a poll is in flight. */
export function withNextPoll<State extends ChecksSlice>(
  state: State,
  accountId: AccountId,
  plan: Pick<Freshness, 'nextAt' | 'intervalMs'> | null,
): State {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  return withBoard(state, {
    ...board,
    freshness: { ...board.freshness, ...(plan ?? { nextAt: null }) },
  })
}

/**
 * Updates one check from a single answer (get, pause, resume), ahead of the next poll. On a board
 * that was not read yet, it may be a check that the previous run knew.
 */
export function withCheck<State extends ChecksSlice>(
  state: State,
  accountId: AccountId,
  check: Check,
  serverNow: number,
): State {
  const board = state.boards.get(accountId)
  const old = board?.checks.get(check.id)
  if (board === undefined) return state
  if (old === undefined && (board.freshness.readAt !== null || board.notified === null))
    return state
  const dated = withBeginning(old, withPause(old, check), serverNow)
  const seen = old === undefined ? dated : sharing(old, dated)
  if (seen === old) return state
  const checks = new Map(board.checks).set(check.id, seen)
  const mayLackSome = lacksSome(board)
  const notified = atOnce(notifiedAfter(board, checks, mayLackSome))
  const after = { checks, notified, mayLackSome, at: serverNow }
  return withBoard(state, {
    ...board,
    checks,
    counts: countStatuses(checks.values()),
    notified,
    missed: atOnce(missedAfter(board, after, (known) => notifiedStatus(board, known))),
  })
}

/** Adds what was found in the log of a check in trouble. */
export function withLog<State extends ChecksSlice>(
  state: State,
  accountId: AccountId,
  checkId: CheckId,
  log: LogEvidence,
): State {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  return withBoard(state, { ...board, logs: new Map(board.logs).set(checkId, log) })
}

/** Drops evidence that no longer applies; returns the same map if all of it does. */
function logsOf(logs: Board['logs'], checks: Board['checks']): Board['logs'] {
  const isOver = ([id, log]: [CheckId, LogEvidence]): boolean => {
    const check = checks.get(id)
    return check === undefined || !hasCause(check) || !isOfRecord(log, check)
  }
  return [...logs].some(isOver) ? new Map([...logs].filter((one) => !isOver(one))) : logs
}

/** Changes what is known about missed flips. */
export function withMissed<State extends ChecksSlice>(
  state: State,
  accountId: AccountId,
  change: (board: Board) => MissedFlips,
): State {
  const board = state.boards.get(accountId)
  if (board === undefined) return state
  const missed = change(board)
  return missed === board.missed ? state : withBoard(state, { ...board, missed })
}

/** How many checks are processed before others get a turn. */
const checksAStep = 256

/** The map that each list was merged into: merging the same list again is a no-op. */
const takenIn = new WeakMap<readonly Check[], ReadonlyMap<CheckId, Check>>()

/**
 * Merges a list into a board's checks, in steps. Unchanged checks stay the same objects, and the
 * map too if none changed; the difference is cached for `differenceOf`. Checks keep their place in
 * the map: changing a copy takes half the time of building one in the list's order.
 */
function* mergedChecks(
  { checks: before, freshness }: Board,
  list: readonly Check[],
  serverNow: number,
): Generator<undefined, ReadonlyMap<CheckId, Check>> {
  if (takenIn.get(list) === before) return before
  // If a check is in the list twice, its last entry counts.
  const byId = new Map(list.map((check) => [check.id, check]))
  const changed = new Map<CheckId, Check>()
  let found = 0
  let looked = 0
  for (const [id, check] of byId) {
    if (looked % checksAStep === 0) yield
    looked += 1
    const old = before.get(id)
    if (old !== undefined) found += 1
    if (old === check) continue
    const seen =
      old === undefined && check.status === 'new' && freshness.readAt !== null && before.size > 0
        ? { ...check, since: serverNow }
        : withBeginning(old, withPause(old, check), serverNow)
    const kept = old === undefined ? seen : sharing(old, seen)
    if (kept !== old) changed.set(kept.id, kept)
  }
  const gone = found === before.size ? [] : [...before.keys()].filter((id) => !byId.has(id))
  if (changed.size + gone.length === 0) {
    takenIn.set(list, before)
    return before
  }
  const after = new Map(before)
  for (const [id, check] of changed) after.set(id, check)
  for (const id of gone) after.delete(id)
  takenIn.set(list, after)
  rememberDifference(before, after, { changed: [...changed.keys()], gone })
  return after
}

/**
 * A server below a path doesn't tell a paused check that was started from one that is up: it stays
 * paused until its next signal.
 */
function withPause(old: Check | undefined, check: Check): Check {
  const isSame = old?.status === 'paused' && old.lastPingAt === check.lastPingAt
  return isSame && check.rawStatus === 'started' && check.status !== 'down'
    ? { ...check, status: 'paused', since: old.since }
    : check
}

function withBeginning(old: Check | undefined, check: Check, serverNow: number): Check {
  const since = beginning(old, check, serverNow)
  return since === check.since ? check : { ...check, since }
}

/**
 * The earliest known beginning, as long as the status lasts: a later answer may only guess it from
 * the deadline, and a failure signal to a check that is down moves its last ping but ends nothing.
 */
function beginning(old: Check | undefined, check: Check, serverNow: number): number | null {
  if (old === undefined) return check.since
  if (old.status !== check.status) return check.since ?? serverNow
  if (old.since === null || check.since === null) return check.since ?? old.since
  return Math.min(old.since, check.since)
}

/**
 * The old check if nothing changed, else the new one with its equal fields taken from the old:
 * these are neither kept twice nor sent to a window again.
 */
function sharing(old: Check, check: Check): Check {
  let isSame = true
  // Shares the string with the key in the board's map.
  const kept: Record<keyof Check, unknown> = { ...check, id: old.id }
  let key: keyof Check
  for (key in old) {
    if (old[key] === check[key]) continue
    if (sameValue(old[key], check[key])) kept[key] = old[key]
    else isSame = false
  }
  // Each field is from one check or the other.
  return isSame ? old : (kept as Check & typeof kept)
}

/** Fields are flat objects or short lists, so comparing them is cheaper than serializing them. */
function sameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false
  if (Array.isArray(one) && Array.isArray(other)) return isSameList(one, other)
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Reflect.get(one, key) === Reflect.get(other, key))
  )
}
