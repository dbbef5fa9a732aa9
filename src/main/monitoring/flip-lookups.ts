import { type Board, notifiedStatus } from '../../shared/core/checks/board.ts'
import { type Check, type CheckId, isWell } from '../../shared/core/checks/check.ts'
import type { Flip } from '../../shared/core/checks/history.ts'
import {
  type Between,
  clockSlackMs,
  type MissedOutage,
  mayHaveFlipped,
  outagesIn,
} from '../../shared/core/checks/missed-flips.ts'
import type { Ping } from '../../shared/core/checks/ping.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import { differenceOf } from '../../shared/core/map-difference.ts'
import { isAborted } from '../http/wait.ts'

/** After a sleep a thousand checks may have to be asked for; the polls themselves must not wait for that. */
const requestsAPoll = 10
/** A check whose flips can't be had is given up after so many tries. */
const mostTries = 10

interface MissedFlipsSearch {
  /** Two boards of one project, before and after a good answer: notes what has to be looked at. */
  compare(before: Board | undefined, after: Board | undefined): void
  /** Looks at some of what was noted; once all of it is done, what was found is told in one go. */
  search(): Promise<void>
}

interface Suspect {
  readonly before: Check | null
  readonly after: Check
  readonly from: number
  readonly to: number
  readonly told: number | null
  readonly tries: number
}

/**
 * Finds what happened between two polls and was over by the second: only the flips tell of it, and
 * they are asked for check by check. One search at a time, in order.
 */
export function searchMissedFlips(parts: {
  /** Flips from this second on. */
  flips: (id: CheckId, startSeconds: number, signal: AbortSignal) => Promise<readonly Flip[]>
  /** Null where nothing tells them. */
  pings: (id: CheckId, signal: AbortSignal) => Promise<readonly Ping[] | null>
  /** Server's clock: since when flips are still to be looked at. */
  onPending: (since: number) => void
  onDone: (found: readonly MissedOutage[]) => void
  signal: AbortSignal
}): MissedFlipsSearch {
  const { signal } = parts
  const suspects = new Map<CheckId, Suspect>()
  let found: MissedOutage[] = []
  let isFirst = true
  let isSearching = false

  /** Without a failure or a deadline that explains a flip, the log of pings may; few get that far. */
  async function look(suspect: Suspect): Promise<number> {
    const { after, from, told } = suspect
    const start = Math.floor((from - clockSlackMs) / 1000)
    const flips = await parts.flips(after.id, Math.max(0, start), signal)
    const outages = outagesIn({ ...suspect, told, flips, pings: null })
    if (!after.writable || outages.every(({ kind }) => kind === 'down')) {
      found.push(...outages)
      return 1
    }
    const pings = await parts.pings(after.id, signal)
    found.push(...outagesIn({ ...suspect, told, flips, pings }))
    return 2
  }

  /** Puts back what could not be asked; false where asking on makes no sense for now. */
  function failed(suspect: Suspect, error: unknown): boolean {
    if (!(error instanceof RequestFailed)) throw error
    // Such as a check that was deleted meanwhile: the others go on.
    if (error.failure.kind === 'refused') return true
    if (suspect.tries < mostTries)
      suspects.set(suspect.after.id, { ...suspect, tries: suspect.tries + 1 })
    return false
  }

  async function searchSome(): Promise<void> {
    for (let left = requestsAPoll; left > 0; ) {
      const [suspect] = suspects.values()
      if (suspect === undefined) return
      suspects.delete(suspect.after.id)
      try {
        left -= await look(suspect)
      } catch (error) {
        if (isAborted(signal) || !failed(suspect, error)) return
        left -= 1
      }
      if (isAborted(signal)) return
    }
  }

  return {
    compare(before, after) {
      if (before === undefined || after === undefined) return
      // Pings of before a restart are not remembered.
      const remembers = !isFirst || before.missed.since === null
      isFirst = false
      const between = timeBetween(before, after, remembers)
      if (between === null || before.told === null || before.checks === after.checks) return
      for (const { old, check } of watched(before, after, remembers))
        if (mayHaveFlipped(old, check, between)) note(old, check, between, before)
    },
    async search() {
      const [oldest] = suspects.values()
      if (isSearching || (oldest === undefined && found.length === 0)) return
      isSearching = true
      try {
        if (oldest !== undefined) parts.onPending(oldest.from)
        await searchSome()
        if (isAborted(signal) || suspects.size > 0) return
        parts.onDone(found)
        found = []
      } finally {
        isSearching = false
      }
    },
  }

  function note(old: Check | null, check: Check, { from, to }: Between, board: Board): void {
    const noted = suspects.get(check.id)
    suspects.set(check.id, {
      before: noted === undefined ? old : noted.before,
      after: check,
      from: noted?.from ?? from,
      to,
      told: board.missed.told.get(check.id) ?? null,
      tries: noted?.tries ?? 0,
    })
  }
}

/** Checks that may have done something unseen, and what they were. */
function watched(
  before: Board,
  after: Board,
  remembers: boolean,
): { readonly old: Check | null; readonly check: Check }[] {
  if (!remembers)
    return [...after.checks.values()]
      .filter(({ id }) => wasWell(before, id))
      .map((check) => ({ old: null, check }))
  return differenceOf(before.checks, after.checks).changed.flatMap((id) => {
    const old = before.checks.get(id)
    const check = after.checks.get(id)
    return old === undefined || check === undefined ? [] : [{ old, check }]
  })
}

/** By the server's clock. Null where there was no read before this one. */
function timeBetween(before: Board, after: Board, remembers: boolean): Between | null {
  const { readAt, intervalMs } = before.freshness
  const lastRead = readAt === null ? null : readAt + before.serverOffsetMs
  const from = remembers ? lastRead : before.missed.since
  if (from === null || after.freshness.readAt === null) return null
  const to = after.freshness.readAt + after.serverOffsetMs
  return { from, to, isGap: to - from > 2 * intervalMs }
}

function wasWell(board: Board, id: CheckId): boolean {
  return isWell(notifiedStatus(board, id))
}

/** The flips of a check, newest first. */
export type FlipsOf = (id: CheckId, signal: AbortSignal) => Promise<readonly Flip[]>

/** When half a network goes down, the news must not wait until everyone's history is read. */
const mostAtOnce = 20
const inParallel = 4
const patienceMs = 3_000

interface SinceFinder {
  /** The checks, with `since` filled in where an earlier search found it. */
  known(checks: readonly Check[]): readonly Check[]
  /** Asks for the flips of checks that are down, nobody knows since when. Returns how many it found. */
  find(checks: readonly Check[], signal: AbortSignal): Promise<number>
}

/**
 * Finds out since when checks are down. Their record tells it only for a simple schedule, and never
 * after a failure signal; their flips do. What was found holds as long as the check stays down.
 */
export function createSinceFinder(flips: FlipsOf): SinceFinder {
  /** Null: the flips were read and do not tell. */
  const found = new Map<CheckId, number | null>()
  /**
   * With `next_ping` still there, its deadline is exact. Without it the record only allows a guess,
   * which after a failure signal is too late by up to a period: the flips know.
   */
  const isUnknown = (check: Check) =>
    check.status === 'down' &&
    (check.since === null || check.nextPingAt === null) &&
    !found.has(check.id)

  /** What came of a list, so that the same list comes out the same while nothing new was found. */
  let last: { readonly given: readonly Check[]; readonly known: readonly Check[] } | null = null

  function known(checks: readonly Check[]): readonly Check[] {
    const isDated = ({ id, status, since }: Check): boolean =>
      status === 'down' && (found.get(id) ?? since) !== since
    if (found.size === 0 || !checks.some(isDated)) return checks
    return checks.map((check) =>
      isDated(check) ? { ...check, since: found.get(check.id) ?? check.since } : check,
    )
  }

  return {
    known(checks) {
      if (last?.given !== checks) last = { given: checks, known: known(checks) }
      return last.known
    },
    async find(checks, signal) {
      forgetRecovered(found, checks)
      const asked = checks.filter(isUnknown).slice(0, mostAtOnce)
      if (asked.length === 0) return 0
      const before = told(found)
      const patience = new AbortController()
      const timer = setTimeout(() => patience.abort(), patienceMs)
      const stop = AbortSignal.any([signal, patience.signal])
      const search = async () => {
        for (let check = asked.shift(); check !== undefined; check = asked.shift()) {
          if (stop.aborted) return
          const history = await flips(check.id, stop)
          const since = downSince(history)
          // A flip that is not written yet is asked for again; a history that is gone is not.
          if (since !== null || history.length === 0) {
            found.set(check.id, since)
            last = null
          }
        }
      }
      await Promise.all(
        Array.from({ length: inParallel }, () => search().catch(ignoreUnlessBug(stop))),
      )
      clearTimeout(timer)
      return told(found) - before
    },
  }
}

/** A failed search is tried again with the next poll; the failure itself is the poll's to tell. */
function ignoreUnlessBug(stop: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!stop.aborted && !(error instanceof RequestFailed)) throw error
  }
}

function forgetRecovered(found: Map<CheckId, number | null>, checks: readonly Check[]): void {
  if (found.size === 0) return
  const down = new Set(checks.filter(({ status }) => status === 'down').map(({ id }) => id))
  for (const id of found.keys()) if (!down.has(id)) found.delete(id)
}

function told(found: ReadonlyMap<CheckId, number | null>): number {
  return [...found.values()].filter((since) => since !== null).length
}

/**
 * The newest flip is the one that took the check down, unless the server has not written that one yet:
 * then it is one to up. Failure pings of a check that is down already make no flip, so it may well be
 * older than the last ping.
 */
function downSince(flips: readonly Flip[]): number | null {
  const newest = flips[0]
  return newest === undefined || newest.up ? null : newest.at
}
