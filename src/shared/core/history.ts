import type { AccountId } from './account.ts'

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
