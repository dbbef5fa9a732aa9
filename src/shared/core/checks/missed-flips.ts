import { changesBetween, differenceOf } from '../map-difference.ts'
import type { Board, MissedFlips, PendingLookup, SeenDown } from './board.ts'
import type { Check, CheckId, CheckStatus } from './check.ts'
import type { Finding } from './flip-evidence.ts'
import { type CheckSnapshot, mayHideOutage, snapshotOf } from './unseen-flips.ts'

/** For a check that flaps while it waits. Beyond this, the oldest outages may be notified again. */
const mostSeen = 200
/** A check that is missing from complete answers for longer counts as new. */
const keptMs = 24 * 60 * 60_000
/** How many checks are processed before others get a turn. */
const checksAStep = 256

/** An answer merged into the board. `at`: by the server's clock. */
interface TakenIn {
  readonly checks: ReadonlyMap<CheckId, Check>
  readonly notified: ReadonlyMap<CheckId, CheckStatus>
  readonly mayLackSome: boolean
  readonly at: number
}

/** In steps, like `boardAfter`. `notified`: a check's notified status before this answer. */
export function* missedAfter(
  board: Board,
  after: TakenIn,
  notified: (id: CheckId) => CheckStatus | null,
): Generator<undefined, MissedFlips> {
  const { missed, freshness } = board
  const { changed, gone } = differenceOf(board.checks, after.checks)
  if (board.notified === null || changed.length + gone.length === 0) return missed
  const draft: Draft = {
    board,
    after,
    notified,
    pending: new Map(missed.pending),
    snapshots: new Map(missed.snapshots),
    lastAt: readAtOf(board),
    hasNoSnapshots: freshness.readAt === null && missed.snapshots.size === 0,
  }
  let lookedUp = 0
  for (const id of changed) {
    if (lookedUp % checksAStep === 0) yield
    lookedUp += 1
    const check = after.checks.get(id)
    if (check !== undefined) compareOne(draft, check)
  }
  for (const id of gone) keepSnapshot(draft, id)
  const { pending, snapshots } = draft
  if (!after.mayLackSome) {
    for (const [id, { at }] of snapshots) if (at < after.at - keptMs) snapshots.delete(id)
    // Deleted since then.
    for (const id of pending.keys()) if (!after.checks.has(id)) pending.delete(id)
  }
  return { ...missed, pending, snapshots, notifiedUpTo: notifiedUpToAfter(board, after) }
}

interface Draft {
  readonly board: Board
  readonly after: TakenIn
  readonly notified: (id: CheckId) => CheckStatus | null
  readonly pending: Map<CheckId, PendingLookup>
  readonly snapshots: Map<CheckId, CheckSnapshot>
  readonly lastAt: number | null
  /** What the previous run saw is unknown. */
  readonly hasNoSnapshots: boolean
}

function compareOne(draft: Draft, check: Check): void {
  const { board, after, pending, snapshots, lastAt } = draft
  const { id } = check
  const old = board.checks.get(id)
  const was = old?.status ?? draft.notified(id)
  const seen = check.status === 'down' && was !== 'down' ? [seenAt(check, after.at)] : []
  const known = pending.get(id)
  if (known !== undefined) {
    const seenDown = [...known.seenDown, ...seen].slice(-mostSeen)
    if (seen.length > 0) pending.set(id, { ...known, seenDown })
    else if (check.status === 'down') pending.set(id, withStillDown(known, [after.at]))
    return
  }
  const notifiedUpTo = board.missed.notifiedUpTo.get(id) ?? null
  const snapshot =
    old !== undefined
      ? snapshotOf(old, lastAt ?? after.at)
      : (savedSnapshot(snapshots.get(id), was, notifiedUpTo, after.at) ??
        firstSnapshot(draft.hasNoSnapshots ? was : null, lastAt))
  snapshots.delete(id)
  if (snapshot !== null && mayHideOutage(snapshot, check, after.at))
    pending.set(id, pendingLookup(snapshot, { owedAt: after.at, notifiedUpTo, seen }))
}

function withStillDown(lookup: PendingLookup, reads: readonly number[]): PendingLookup {
  const stillDownAt = [...(lookup.stillDownAt ?? []), ...reads].slice(-mostSeen)
  return stillDownAt.length === 0 ? lookup : { ...lookup, stillDownAt }
}

/** Which read showed the check first as down in an outage that began at `downAt`. */
export function firstReadOf({ entry, at }: LookedUp, downAt: number): number {
  const { owedAt, stillDownAt = [] } = entry
  return Math.min(at, ...[owedAt, ...stillDownAt].filter((read) => read >= downAt))
}

/** Keeps the snapshot of a missing check, which may be back in the next answer. */
function keepSnapshot({ board, after, pending, snapshots, lastAt }: Draft, id: CheckId): void {
  const old = board.checks.get(id)
  if (old !== undefined) snapshots.set(id, pending.get(id) ?? snapshotOf(old, lastAt ?? after.at))
  pending.delete(id)
}

/** When a board's checks were last read, maybe by the previous run; by the server's clock. */
export function readAtOf({ freshness, missed, serverOffsetMs }: Board): number | null {
  return freshness.readAt === null ? missed.since : freshness.readAt + serverOffsetMs
}

/** The last snapshot of each check of a project. */
export function snapshotsOf(board: Board): ReadonlyMap<CheckId, CheckSnapshot> {
  const at = readAtOf(board)
  const snapshots = new Map(board.missed.snapshots)
  if (board.freshness.readAt !== null && at !== null)
    for (const [id, check] of board.checks) snapshots.set(id, snapshotOf(check, at))
  return snapshots
}

/** Adds what was saved apart from the notified state, whose own pending lookups are never older. */
export function withSavedLookups(
  missed: MissedFlips,
  { snapshots, pending }: Pick<MissedFlips, 'snapshots' | 'pending'>,
): MissedFlips {
  return { ...missed, snapshots, pending: new Map([...pending, ...missed.pending]) }
}

function seenAt({ lastPingAt }: Pick<CheckSnapshot, 'lastPingAt'>, at: number): SeenDown {
  return { at, lastPingAt }
}

interface SavedSnapshot extends CheckSnapshot {
  readonly seenDown: readonly SeenDown[]
}

/** A snapshot of the previous run. After a crash it may be older than the last notification. */
function savedSnapshot(
  snapshot: CheckSnapshot | SavedSnapshot | undefined,
  notified: CheckStatus | null,
  notifiedUpTo: number | null,
  now: number,
): SavedSnapshot | null {
  if (snapshot === undefined) return null
  const status = notified ?? snapshot.status
  const seenDown = seenDownOf(snapshot)
  if (status !== 'down') return { ...snapshot, status, seenDown }
  const lastPingAt =
    Math.max(Math.floor((notifiedUpTo ?? 0) / 1_000) * 1_000, snapshot.lastPingAt ?? 0) || null
  const isSame = snapshot.status === 'down' && lastPingAt === snapshot.lastPingAt
  return {
    ...snapshot,
    status,
    seenDown: isSame ? seenDown : [...seenDown, { at: now, lastPingAt }],
  }
}

function seenDownOf(snapshot: CheckSnapshot | SavedSnapshot): readonly SeenDown[] {
  if ('seenDown' in snapshot) return snapshot.seenDown
  return snapshot.status === 'down' ? [seenAt(snapshot, snapshot.at)] : []
}

/** For a check that is new in the list; with `notified`, the previous run may have seen it. */
function firstSnapshot(notified: CheckStatus | null, at: number | null): CheckSnapshot | null {
  if (at === null) return null
  const pingCount = notified === null ? 0 : null
  const status = notified ?? 'new'
  return { at, status, pingCount, started: false, lastPingAt: null, deadline: null, plan: '' }
}

function pendingLookup(
  snapshot: CheckSnapshot | SavedSnapshot,
  it: {
    readonly owedAt: number
    readonly notifiedUpTo: number | null
    readonly seen: readonly SeenDown[]
  },
): PendingLookup {
  const { owedAt, notifiedUpTo, seen } = it
  return { ...snapshot, owedAt, notifiedUpTo, seenDown: [...seenDownOf(snapshot), ...seen] }
}

/** Marks checks whose change was just notified as known up to their last signal. */
function notifiedUpToAfter(
  { missed, notified: before }: Board,
  { checks, notified, mayLackSome, at }: TakenIn,
): ReadonlyMap<CheckId, number> {
  if (before === null || before === notified) return missed.notifiedUpTo
  const upTo = new Map(missed.notifiedUpTo)
  for (const { key } of changesBetween(before, notified))
    upTo.set(key, Math.max(upTo.get(key) ?? 0, checks.get(key)?.lastPingAt ?? at))
  if (!mayLackSome) for (const id of upTo.keys()) if (!checks.has(id)) upTo.delete(id)
  return upTo
}

/** A pending lookup after the check's flips were read. */
export interface LookedUp extends Finding {
  readonly entry: PendingLookup
  /** The check as on the board before the flips were requested, and when it was read. */
  readonly check: Check
  readonly at: number
}

/** Records what was found, to be notified. Only what has happened since then is still pending. */
export function withLookedUp(board: Board, lookedUp: readonly LookedUp[]): MissedFlips {
  const { missed } = board
  const pending = new Map(missed.pending)
  const notifiedUpTo = new Map(missed.notifiedUpTo)
  const now = readAtOf(board)
  for (const { entry, check, at, read } of lookedUp) {
    const { id } = check
    const present = pending.get(id)
    if (present === undefined) continue
    pending.delete(id)
    notifiedUpTo.set(id, Math.max(notifiedUpTo.get(id) ?? 0, read))
    const newest = board.checks.get(id)
    if (newest === undefined || newest === check || now === null) continue
    const snapshot = snapshotOf(check, at)
    if (!mayHideOutage(snapshot, newest, now)) continue
    const seen = present.seenDown.filter((one) => !entry.seenDown.includes(one))
    const next = { owedAt: now, notifiedUpTo: notifiedUpTo.get(id) ?? null, seen }
    const reads = (present.stillDownAt ?? []).filter((read) => read > at)
    pending.set(id, withStillDown(pendingLookup(snapshot, next), reads))
  }
  const isNews = lookedUp.some(({ outages, again }) => outages.length > 0 || again !== null)
  const found = isNews ? lookedUp.flatMap(({ outages }) => outages) : missed.found
  return { ...missed, pending, notifiedUpTo, found }
}
