import type { AccountId } from '../account.ts'
import { fieldsOf } from '../schemas.ts'
import { type CheckStatus, statusOrder } from './check.ts'

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

/** Whether two of these times (epoch ms) are in one second: events that fast can't be counted. */
export function shareASecond(times: readonly number[]): boolean {
  return new Set(times.map((at) => Math.floor(at / 1000))).size < times.length
}

/** A change of status that Belfry itself saw, and when. */
export interface SeenStatus {
  readonly at: number
  readonly to: CheckStatus
}

const statuses: ReadonlySet<unknown> = new Set(statusOrder)

export function statusIn({ kind, at, data }: HistoryEntry): SeenStatus | null {
  const { to } = fieldsOf(data)
  // The cast is safe: `statuses` contains the value.
  return kind === 'status' && statuses.has(to) ? { at, to: to as CheckStatus } : null
}

/** Who acknowledged the check, "you" being the user; null for anything else. */
export function acknowledgerIn({ kind, data }: HistoryEntry): string | null {
  const { act, how, by } = fieldsOf(data)
  if (kind !== 'act' || act !== 'silence' || how !== 'acknowledge') return null
  return typeof by === 'string' ? by : 'you'
}
