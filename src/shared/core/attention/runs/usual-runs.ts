import type { AccountId } from '../../account.ts'
import { type Check, type CheckId, isWell } from '../../checks/check.ts'
import { type UsualDuration, usualOf } from '../../checks/runs.ts'

/** The last runs that are kept of a check, and how many of them it takes to call one unusual. */
const runsKept = 20
const runsNeeded = 10

/** A run that ended well too soon, takes too long, or ended without the usual start signal. */
export const oddKinds = ['tooShort', 'tooLong', 'noStart'] as const
export type OddKind = (typeof oddKinds)[number]

/** What the check lists showed of a check's runs. Epoch ms by the server's clock. */
export interface CheckRuns {
  /** The last success or failure, and how many pings there were when it was first read. */
  readonly endedAt: number | null
  readonly pings: number
  /** When the next ping was expected then; null: unknown, or there is no telling what came since. */
  readonly dueAt: number | null
  /** Since when the present run has been going on for sure; null: none is. */
  readonly runningSince: number | null
  /** What the last run was; null: as usual. */
  readonly odd: OddKind | null
  /** How long the last successful runs took, in whole seconds, newest last; null: without a start. */
  readonly took: readonly (number | null)[]
}

/** What is known of the runs of a project's checks. */
export interface ProjectRuns {
  /** Only checks that ever sent a start signal. */
  readonly learned: ReadonlyMap<CheckId, CheckRuns>
  /** For checks with a run that was notified: what had begun by then was. Survives crashes. */
  readonly notifiedUpTo: ReadonlyMap<CheckId, number>
}

export const noRuns: ProjectRuns = { learned: new Map(), notifiedUpTo: new Map() }

/** What is known of the runs of every project. Beside the state, as no window needs it. */
export type RunMemory = ReadonlyMap<AccountId, ProjectRuns>

/** Two accounts turned out to be one project: what either knew, and notified, goes to one of them. */
export function runsJoined(memory: RunMemory, from: AccountId, to: AccountId): RunMemory {
  const [own, other] = [memory.get(to) ?? noRuns, memory.get(from)]
  if (other === undefined) return memory
  const learned = new Map(own.learned)
  for (const [id, one] of other.learned)
    if ((one.endedAt ?? 0) > (learned.get(id)?.endedAt ?? -1)) learned.set(id, one)
  const notifiedUpTo = new Map(own.notifiedUpTo)
  for (const [id, at] of other.notifiedUpTo)
    notifiedUpTo.set(id, Math.max(at, notifiedUpTo.get(id) ?? 0))
  const joined = new Map(memory).set(to, { learned, notifiedUpTo })
  joined.delete(from)
  return joined
}

export interface OddRun {
  readonly checkId: CheckId
  readonly kind: OddKind
  readonly isRunning: boolean
  /** How long it took, or has been running at least; null: without a start. */
  readonly seconds: number | null
  /** Of the runs before it; null if only a limit set by hand says that it is odd. */
  readonly usual: UsualDuration | null
  /** How many runs that is of, and how many of the last runs had a start. */
  readonly runs: number
  readonly limitSeconds: number | null
}

/** Limits set by hand, in seconds; 0: no run is odd; null: as learned. */
export interface RunLimits {
  readonly longer: number | null
  readonly shorter: number | null
}
type LimitsOf = (check: Check) => RunLimits | null

/** An answer that was read. `changed`: its checks that differ; `at`: by the server's clock. */
interface RunsRead {
  readonly checks: ReadonlyMap<CheckId, Check>
  readonly changed: Iterable<CheckId>
  readonly gone: Iterable<CheckId>
  readonly at: number
}

/** What is known after an answer, and which runs are odd and were not notified yet. */
export function runsAfter(
  known: ProjectRuns,
  read: RunsRead,
  limitsOf: LimitsOf,
): { readonly runs: ProjectRuns; readonly odd: readonly OddRun[] } {
  const draft = new Map<CheckId, CheckRuns>()
  const odd: OddRun[] = []
  const look = (id: CheckId, check: Check): void => {
    const before = known.learned.get(id)
    const after = taken(before, check, read.at)
    if (after === undefined) return
    const found = oddRun(before, after, check, read.at, limitsOf)
    const kind = found?.kind ?? null
    const next = isTakenIn(before, after) || kind !== null ? withOdd(after, kind) : after
    if (next !== before) draft.set(id, next)
    if (found !== null && before?.odd !== kind && !isNotified(known, found, check)) odd.push(found)
  }
  for (const id of read.changed) {
    const check = read.checks.get(id)
    if (check !== undefined) look(id, check)
  }
  for (const [id, { runningSince }] of known.learned) {
    if (runningSince === null || draft.has(id)) continue
    const check = read.checks.get(id)
    if (check !== undefined) look(id, check)
  }
  const gone = [...read.gone].filter((id) => known.learned.has(id) || known.notifiedUpTo.has(id))
  return { runs: withRuns(known, draft, gone, odd, read.at), odd }
}

function withRuns(
  known: ProjectRuns,
  draft: ReadonlyMap<CheckId, CheckRuns>,
  gone: readonly CheckId[],
  odd: readonly OddRun[],
  at: number,
): ProjectRuns {
  if (draft.size + gone.length + odd.length === 0) return known
  const learned = new Map(known.learned)
  for (const [id, one] of draft) learned.set(id, one)
  for (const id of gone) learned.delete(id)
  if (odd.length + gone.length === 0) return { ...known, learned }
  const notifiedUpTo = new Map(known.notifiedUpTo)
  // What begins at the very end of one is another.
  for (const { checkId, isRunning } of odd)
    notifiedUpTo.set(checkId, isRunning ? at : (learned.get(checkId)?.endedAt ?? at) - 1)
  for (const id of gone) notifiedUpTo.delete(id)
  return { learned, notifiedUpTo }
}

function isTakenIn(before: CheckRuns | undefined, { endedAt }: CheckRuns): boolean {
  return before?.endedAt !== endedAt
}

function withOdd(runs: CheckRuns, odd: OddKind | null): CheckRuns {
  return runs.odd === odd ? runs : { ...runs, odd }
}

/** With what the check's record adds; the same object if that is nothing. */
function taken(known: CheckRuns | undefined, check: Check, at: number): CheckRuns | undefined {
  const { started, lastPingAt, lastDurationSeconds } = check
  if (known === undefined && lastDurationSeconds === null && !started) return undefined
  if (known === undefined || known.endedAt !== lastPingAt) return ended(known, check, at)
  const began = startOf(check, known.dueAt, at)
  const runningSince = started ? Math.max(known.runningSince ?? began ?? at, began ?? 0) : null
  // After a pause there is no telling whether a start was lost with it.
  const due = isWell(check.status) ? known.dueAt : null
  return runningSince === known.runningSince && due === known.dueAt
    ? known
    : { ...known, runningSince, dueAt: due }
}

/** After another success or failure, or the first that is read. */
function ended(known: CheckRuns | undefined, check: Check, at: number): CheckRuns {
  const { started, lastPingAt, lastDurationSeconds: seconds, status } = check
  const took = known?.took ?? []
  // A run with another id may still go on, which leaves this one without a duration.
  const isMeasured = seconds !== null || !started
  const isRun = isWell(status) && lastPingAt !== null && isMeasured
  return {
    endedAt: lastPingAt,
    pings: check.pingCount,
    dueAt: isWell(status) && !started ? check.nextPingAt : null,
    runningSince: started ? (startOf(check, null, at) ?? at) : null,
    odd: known?.odd ?? null,
    took: isRun ? [...took, seconds].slice(-runsKept) : took,
  }
}

/** When the present run started; null if the record doesn't tell: see "next_ping" of the API. */
function startOf(check: Check, dueAt: number | null, at: number): number | null {
  const { started, nextPingAt, lastPingAt, status } = check
  if (!started || nextPingAt === null || nextPingAt > at) return null
  if (status === 'new' || lastPingAt === null) return nextPingAt
  return dueAt !== null && nextPingAt < dueAt && nextPingAt >= lastPingAt ? nextPingAt : null
}

function oddRun(
  before: CheckRuns | undefined,
  after: CheckRuns,
  check: Check,
  at: number,
  limitsOf: LimitsOf,
): OddRun | null {
  if (before === undefined) return null
  if (isTakenIn(before, after)) {
    if (!isWell(check.status) || after.endedAt === null) return null
    const { lastDurationSeconds: seconds } = check
    if (seconds === null) return withoutStart(before, after, check)
    // The service itself alerts of a run that is longer than the grace time.
    return seconds > check.graceSeconds ? null : ofLength(before, check, seconds, false, limitsOf)
  }
  if (after.runningSince === null || !(isWell(check.status) || check.status === 'new')) return null
  const seconds = Math.floor((at - after.runningSince) / 1000)
  return ofLength(before, check, seconds, true, limitsOf)
}

/** A success that comes so soon after another may be the same, sent twice. */
const repeatedMs = 5 * 60_000

/** Sure only if its one ping since the last run is the success, and comes where one is due. */
function withoutStart(before: CheckRuns, after: CheckRuns, check: Check): OddRun | null {
  const { took, dueAt, endedAt, pings } = before
  if (check.started || dueAt === null || endedAt === null || after.endedAt === null) return null
  if (check.pingCount !== pings + 1 || took.at(-1) === null) return null
  if (after.endedAt - endedAt < Math.min(repeatedMs, (dueAt - endedAt) / 2)) return null
  const measured = took.filter((one) => one !== null).length
  if (measured < runsNeeded || measured < 0.9 * took.length) return null
  const none = { seconds: null, usual: null, limitSeconds: null, isRunning: false } as const
  return { checkId: check.id, kind: 'noStart', runs: measured, ...none }
}

function ofLength(
  { took }: CheckRuns,
  check: Check,
  seconds: number,
  isRunning: boolean,
  limitsOf: LimitsOf,
): OddRun | null {
  const limits = limitsOf(check)
  if (limits === null && !mayBeOdd(took, seconds)) return null
  const measured = took.filter((one) => one !== null)
  const usual = measured.length < runsNeeded ? null : usualOf(measured)
  const longer = limits?.longer ?? (usual === null ? null : longestOf(usual))
  const shorter = limits?.shorter ?? (usual === null ? null : shortestOf(usual))
  const isLong = longer !== null && longer > 0 && seconds > longer
  const isShort = !isRunning && shorter !== null && seconds < shorter
  if (!isLong && !isShort) return null
  const kind = isLong ? 'tooLong' : 'tooShort'
  const limitSeconds = (isLong ? limits?.longer : limits?.shorter) ?? null
  return {
    ...{ checkId: check.id, kind, isRunning, seconds, usual, limitSeconds },
    runs: measured.length,
  }
}

/** Spares sorting the runs of thousands of checks. */
function mayBeOdd(took: readonly (number | null)[], seconds: number): boolean {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (const one of took) {
    if (one === null) continue
    if (one < least) least = one
    if (one > most) most = one
  }
  return seconds > 3 * least || 10 * seconds < most
}

/** A run that takes longer is too long: not one of a job whose times vary as much, nor by seconds. */
function longestOf({ median, to }: UsualDuration): number {
  return Math.max(3 * median, 2 * to, median + 60)
}

/** A run that takes less is too short. Durations are cut to whole seconds. */
function shortestOf({ median, from }: UsualDuration): number {
  return Math.min(median / 10, from / 2) - 1
}

function isNotified({ notifiedUpTo }: ProjectRuns, run: OddRun, check: Check): boolean {
  const upTo = notifiedUpTo.get(run.checkId)
  if (upTo === undefined) return false
  const endedAt = check.lastPingAt ?? 0
  const began = run.isRunning ? endedAt : endedAt - Math.max(1, run.seconds ?? 0) * 1000
  return began <= upTo
}
