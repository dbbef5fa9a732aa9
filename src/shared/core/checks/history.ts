import type { AccountId } from '../account.ts'

/** Something that happened: a change of status, a notice, an action of the user. JSON, no keys. */
export interface HistoryEntry {
  /** Epoch ms, our clock. */
  readonly at: number
  /** Null if it concerns no account, as a change of rules. */
  readonly accountId: AccountId | null
  /** As in `Notice.subject`: the check or conversation that it is about. */
  readonly subject: string
  readonly kind: string
  readonly data: unknown
  /** For a new entry: `data` as JSON, if it has been serialized already. */
  readonly json?: string
}

/** The account and the subject of the attention engine's steps. */
export const stepsAccount = 'attention'
/** How far back a trial of rules goes. */
export const stepsMs = 7 * 24 * 60 * 60_000

export interface HistoryFilter {
  /** Epoch ms, inclusive. */
  readonly from: number
  /** Epoch ms, exclusive. */
  readonly to?: number
  readonly accountId?: AccountId
  readonly subject?: string
  readonly kinds?: readonly string[]
  /** Only the newest so many. */
  readonly limit: number
}

/**
 * A change of a check's status in the service's history. Only for showing the past: a flip that is
 * not to up may be to down, paused or new, and one for a timeout is dated back to the deadline. For
 * the present, only the check's status counts.
 */
export interface Flip {
  /** Epoch ms by the server's clock, whole seconds. */
  readonly at: number
  readonly up: boolean
}

/**
 * The outage (or pause) before the present one, from the first flip away from up to the one back.
 * Null if the flips, newest first, have none.
 */
export function lastOutage(
  { since }: { readonly since: number | null },
  flips: readonly Flip[],
): { readonly from: number; readonly to: number } | null {
  const past = flips.filter(({ at }) => at < (since ?? Number.POSITIVE_INFINITY))
  const end = past.findIndex(({ up }) => up)
  const before = past.slice(end + 1)
  const next = before.findIndex(({ up }) => up)
  const first = (next === -1 ? before : before.slice(0, next)).at(-1)
  const to = past[end]
  return to === undefined || first === undefined ? null : { from: first.at, to: to.at }
}

/** Whether two of these times (epoch ms) are in one second: events that fast can't be counted. */
export function shareASecond(times: readonly number[]): boolean {
  return new Set(times.map((at) => Math.floor(at / 1000))).size < times.length
}
