import { type Board, toldStatus } from '../../shared/core/checks/board.ts'
import type { Check, CheckId } from '../../shared/core/checks/check.ts'
import type { Flip } from '../../shared/core/checks/flip.ts'
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

export interface MissedFlipsSearch {
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
  const status = toldStatus(board, id)
  return status === 'up' || status === 'grace'
}
