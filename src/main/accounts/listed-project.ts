import type { AccountId } from '../../shared/core/account.ts'
import type { Board } from '../../shared/core/checks/board.ts'
import type { CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import type { AppState } from '../../shared/core/state.ts'

/** What shows which project a key gives access to. */
export interface ListedProject {
  readonly baseUrl: string
  readonly ids: ReadonlySet<CheckId>
  /** The addresses of some of its checks: the server makes them from its own name. */
  readonly addresses: Addresses
}

type Addresses = ReadonlyMap<string, string>

/** Checks whose addresses are compared. */
export const mostCompared = 8

/** `details`: everything that the list said about a check. */
export function listedProject(
  baseUrl: string,
  checks: Iterable<CheckId>,
  details: (id: CheckId) => CheckDetails | null,
): ListedProject {
  const ids = new Set(checks)
  return { baseUrl, ids, addresses: addressesOf(ids, details) }
}

/** The project of a connected account. */
export function connectedProject(
  { accounts, boards }: Pick<AppState, 'accounts' | 'boards'>,
  accountId: AccountId,
  details: (accountId: AccountId, checkId: CheckId) => CheckDetails | null,
): ListedProject | null {
  const account = accounts.find(({ id }) => id === accountId)
  if (account?.kind !== 'monitoring' || account.demo) return null
  const ids = knownChecks(boards.get(accountId)).keys()
  return listedProject(account.baseUrl, ids, (id) => details(accountId, id))
}

/** By what was last read, perhaps by the previous run. */
export function knownChecks(board: Board | undefined): ReadonlyMap<CheckId, unknown> {
  return (board?.freshness.readAt === null ? board.missed.snapshots : board?.checks) ?? new Map()
}

/**
 * Whether two keys give access to one project: to mostly the same checks of the same server. (A
 * check that was just moved to another project is in both for a while.) A copy of a server has
 * checks with the same ids, so if the base addresses differ, those of the checks decide; without
 * any to compare, it is unsure.
 */
export function sameness(
  one: ListedProject | null,
  other: ListedProject | null,
): 'same' | 'unsure' | 'other' {
  if (one === null || other === null || !shareMost(one.ids, other.ids)) return 'other'
  if (one.baseUrl === other.baseUrl) return 'same'
  const both = [...one.addresses].filter(([of]) => other.addresses.has(of))
  if (both.length === 0) return 'unsure'
  return both.some(([of, address]) => other.addresses.get(of) === address) ? 'same' : 'other'
}

export function isOneProject(one: ListedProject, other: ListedProject): boolean {
  return sameness(one, other) === 'same'
}

function shareMost(one: ReadonlySet<CheckId>, other: ReadonlySet<CheckId>): boolean {
  let common = 0
  for (const id of one) if (other.has(id)) common += 1
  return 2 * common > Math.max(one.size, other.size)
}

/** Of the same checks whoever lists them: a read-only key shows only their badges. */
function addressesOf(
  ids: ReadonlySet<CheckId>,
  details: (id: CheckId) => CheckDetails | null,
): Addresses {
  const addresses = new Map<string, string>()
  for (const id of [...ids].sort().slice(0, mostCompared)) {
    const { pingUrl = null, badgeUrl = null } = details(id) ?? {}
    if (pingUrl !== null) addresses.set(`${id} ping`, pingUrl)
    if (badgeUrl !== null) addresses.set(`${id} badge`, badgeUrl)
  }
  return addresses
}
