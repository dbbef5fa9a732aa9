import type { AccountId } from '../account.ts'
import type { CheckId } from '../checks/check.ts'
import type { Outage } from '../checks/past.ts'

/** An outage among those of all projects. */
export interface ListedOutage extends Outage {
  readonly accountId: AccountId
  readonly checkId: CheckId
  readonly name: string
  readonly tags: readonly string[]
  /** The label of its account. */
  readonly project: string
}

/**
 * A time of which outages are not known.
 * - `unread`: before Belfry watched the project; flips of some checks were not read.
 * - `owed`: checks may have been down between two lists; their flips are being read.
 * - `stale`: the project can't be read.
 * - `many`: more was recorded since than is listed.
 */
export interface OutageGap {
  readonly accountId: AccountId
  readonly project: string
  readonly from: number
  readonly to: number
  readonly why: 'unread' | 'owed' | 'stale' | 'many'
  /** How many checks it concerns. */
  readonly checks: number
}

export interface OutageList {
  /** Newest first. */
  readonly outages: readonly ListedOutage[]
  /** How many older ones were left out. */
  readonly more: number
  readonly gaps: readonly OutageGap[]
  /** The first of the checks whose flips would show more, one of each project in turn. */
  readonly unread: readonly { readonly accountId: AccountId; readonly checkId: CheckId }[]
}
