import { changesBetween, differenceOf } from '../map-difference.ts'
import type { Board, MissedFlips, OwedLook, SeenDown } from './board.ts'
import type { Check, CheckId, CheckStatus } from './check.ts'
import type { Finding } from './flip-evidence.ts'
import { type Look, lookOf, mayHideOutage } from './unseen-flips.ts'

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
    owed: new Map(missed.owed),
    looks: new Map(missed.looks),
    lastAt: readAtOf(board),
    hasNoLooks: freshness.readAt === null && missed.looks.size === 0,
  }
  let looked = 0
  for (const id of changed) {
    if (looked % checksAStep === 0) yield
    looked += 1
    const check = after.checks.get(id)
    if (check !== undefined) compareOne(draft, check)
  }
  for (const id of gone) keepLook(draft, id)
  const { owed, looks } = draft
  if (!after.mayLackSome) {
    for (const [id, { at }] of looks) if (at < after.at - keptMs) looks.delete(id)
    // Deleted since then.
    for (const id of owed.keys()) if (!after.checks.has(id)) owed.delete(id)
  }
  return { ...missed, owed, looks, told: notifiedMarks(board, after) }
}

interface Draft {
  readonly board: Board
  readonly after: TakenIn
  readonly notified: (id: CheckId) => CheckStatus | null
  readonly owed: Map<CheckId, OwedLook>
  readonly looks: Map<CheckId, Look>
  readonly lastAt: number | null
  /** What the previous run saw is unknown. */
  readonly hasNoLooks: boolean
}

function compareOne(draft: Draft, check: Check): void {
  const { board, after, owed, looks, lastAt } = draft
  const { id } = check
  const old = board.checks.get(id)
  const was = old?.status ?? draft.notified(id)
  const seen = check.status === 'down' && was !== 'down' ? [seenAt(check, after.at)] : []
  const known = owed.get(id)
  if (known !== undefined) {
    const seenDown = [...known.seenDown, ...seen].slice(-mostSeen)
    if (seen.length > 0) owed.set(id, { ...known, seenDown })
    return
  }
  const told = board.missed.told.get(id) ?? null
  const look =
    old !== undefined
      ? lookOf(old, lastAt ?? after.at)
      : (savedLook(looks.get(id), was, told, after.at) ??
        firstLook(draft.hasNoLooks ? was : null, lastAt))
  looks.delete(id)
  if (look !== null && mayHideOutage(look, check, after.at))
    owed.set(id, owedLook(look, { owedAt: after.at, told, seen }))
}

/** Keeps the look at a missing check, which may be back in the next answer. */
function keepLook({ board, after, owed, looks, lastAt }: Draft, id: CheckId): void {
  const old = board.checks.get(id)
  if (old !== undefined) looks.set(id, owed.get(id) ?? lookOf(old, lastAt ?? after.at))
  owed.delete(id)
}

/** When a board's checks were last read, maybe by the previous run; by the server's clock. */
export function readAtOf({ freshness, missed, serverOffsetMs }: Board): number | null {
  return freshness.readAt === null ? missed.since : freshness.readAt + serverOffsetMs
}

/** The last look at each check of a project. */
export function looksOf(board: Board): ReadonlyMap<CheckId, Look> {
  const at = readAtOf(board)
  const looks = new Map(board.missed.looks)
  if (board.freshness.readAt !== null && at !== null)
    for (const [id, check] of board.checks) looks.set(id, lookOf(check, at))
  return looks
}

/** Adds what was saved apart from the notified state, whose own owed looks are never older. */
export function withSavedLooks(
  missed: MissedFlips,
  { looks, owed }: Pick<MissedFlips, 'looks' | 'owed'>,
): MissedFlips {
  return { ...missed, looks, owed: new Map([...owed, ...missed.owed]) }
}

function seenAt({ lastPingAt }: Pick<Look, 'lastPingAt'>, at: number): SeenDown {
  return { at, lastPingAt }
}

interface SavedLook extends Look {
  readonly seenDown: readonly SeenDown[]
}

/** A look of the previous run. After a crash it may be older than the last notification. */
function savedLook(
  look: Look | SavedLook | undefined,
  notified: CheckStatus | null,
  told: number | null,
  now: number,
): SavedLook | null {
  if (look === undefined) return null
  const status = notified ?? look.status
  const seenDown = seenDownOf(look)
  if (status !== 'down') return { ...look, status, seenDown }
  const lastPingAt = Math.max(Math.floor((told ?? 0) / 1_000) * 1_000, look.lastPingAt ?? 0) || null
  const isSame = look.status === 'down' && lastPingAt === look.lastPingAt
  return { ...look, status, seenDown: isSame ? seenDown : [...seenDown, { at: now, lastPingAt }] }
}

function seenDownOf(look: Look | SavedLook): readonly SeenDown[] {
  if ('seenDown' in look) return look.seenDown
  return look.status === 'down' ? [seenAt(look, look.at)] : []
}

/** For a check that is new in the list; with `notified`, the previous run may have seen it. */
function firstLook(notified: CheckStatus | null, at: number | null): Look | null {
  if (at === null) return null
  const pingCount = notified === null ? 0 : null
  const status = notified ?? 'new'
  return { at, status, pingCount, started: false, lastPingAt: null, deadline: null, plan: '' }
}

function owedLook(
  look: Look | SavedLook,
  it: {
    readonly owedAt: number
    readonly told: number | null
    readonly seen: readonly SeenDown[]
  },
): OwedLook {
  const { owedAt, told, seen } = it
  return { ...look, owedAt, told, seenDown: [...seenDownOf(look), ...seen] }
}

/** Marks checks whose change was just notified as known up to their last signal. */
function notifiedMarks(
  { missed, notified: before }: Board,
  { checks, notified: told, mayLackSome, at }: TakenIn,
): ReadonlyMap<CheckId, number> {
  if (before === null || before === told) return missed.told
  const marks = new Map(missed.told)
  for (const { key } of changesBetween(before, told))
    marks.set(key, Math.max(marks.get(key) ?? 0, checks.get(key)?.lastPingAt ?? at))
  if (!mayLackSome) for (const id of marks.keys()) if (!checks.has(id)) marks.delete(id)
  return marks
}

/** An owed look after the check's flips were read. */
export interface Looked extends Finding {
  readonly entry: OwedLook
  /** The check as on the board before the flips were requested, and when it was read. */
  readonly check: Check
  readonly at: number
}

/** Records what was found, to be notified. Only what has happened since then is still owed. */
export function withLooked(board: Board, looked: readonly Looked[]): MissedFlips {
  const { missed } = board
  const owed = new Map(missed.owed)
  const told = new Map(missed.told)
  const now = readAtOf(board)
  for (const { entry, check, at, read } of looked) {
    const { id } = check
    const present = owed.get(id)
    if (present === undefined) continue
    owed.delete(id)
    told.set(id, Math.max(told.get(id) ?? 0, read))
    const newest = board.checks.get(id)
    if (newest === undefined || newest === check || now === null) continue
    const look = lookOf(check, at)
    if (!mayHideOutage(look, newest, now)) continue
    const seen = present.seenDown.filter((one) => !entry.seenDown.includes(one))
    owed.set(id, owedLook(look, { owedAt: now, told: told.get(id) ?? null, seen }))
  }
  const isNews = looked.some(({ outages, again }) => outages.length > 0 || again !== null)
  const found = isNews ? looked.flatMap(({ outages }) => outages) : missed.found
  return { ...missed, owed, told, found }
}
