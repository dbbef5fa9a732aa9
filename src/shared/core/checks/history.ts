import type { AccountId } from '../account.ts'

/** One thing that happened: a status seen, a notice decided, an act of the user. Plain JSON, no keys. */
export interface HistoryEntry {
  /** Epoch ms, our clock. */
  readonly at: number
  /** Null: of no account, such as a change of rules. */
  readonly accountId: AccountId | null
  /** As in `Notice.subject`: the check or conversation that it is about. */
  readonly subject: string
  readonly kind: string
  readonly data: unknown
  /** `data` as JSON, of one that is added: where it was made already, it need not be made again. */
  readonly json?: string
}

/** What the steps of the attention engine are filed under, as account and as subject. */
export const stepsAccount = 'attention'
/** So far back a try of the rules looks. */
export const stepsMs = 7 * 24 * 60 * 60_000

export interface HistoryFilter {
  /** Epoch ms, inclusive. */
  readonly from: number
  /** Epoch ms, exclusive. */
  readonly to?: number
  readonly accountId?: AccountId
  readonly subject?: string
  readonly kinds?: readonly string[]
  /** The newest so many. */
  readonly limit: number
}

/**
 * A change of a check's status, as the service's history has it. Flips are for drawing the past: a flip that is
 * not to up may be to down, paused or new, and one for a timeout is dated back to the moment the
 * deadline passed. What a check is now, only its status says.
 */
export interface Flip {
  /** Epoch ms by the server's clock, whole seconds. */
  readonly at: number
  readonly up: boolean
}

/**
 * The outage, pause included, before the present one: from its first flip away from up to the one
 * back. Null where the flips, newest first, know of none.
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

/** Whether two of these moments (epoch ms) share a second: what happens so fast can't be counted. */
export function shareASecond(times: readonly number[]): boolean {
  return new Set(times.map((at) => Math.floor(at / 1000))).size < times.length
}
