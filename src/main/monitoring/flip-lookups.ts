import type { Check, CheckId } from '../../shared/core/checks/check.ts'
import type { Flip } from '../../shared/core/checks/history.ts'
import { RequestFailed } from '../../shared/core/failure.ts'

/** The flips of a check, newest first. */
export type FlipsOf = (id: CheckId, signal: AbortSignal) => Promise<readonly Flip[]>

/** When half a network goes down, the news must not wait until everyone's history is read. */
const mostAtOnce = 20
const inParallel = 4
const patienceMs = 3_000

export interface SinceFinder {
  /** The flips of a check were read for something else. */
  saw(id: CheckId, flips: readonly Flip[]): void
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
    saw(id, flips) {
      // It may have been up meanwhile.
      if (!found.has(id) || flips.length === 0) return
      found.set(id, downSince(flips))
      last = null
    },
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
