import type { AccountId } from '../account.ts'
import {
  type Check,
  type CheckId,
  type CheckStatus,
  checkName,
  statusOrder,
} from '../checks/check.ts'
import { compareNameKeys, type NameKey, nameKey } from './name-order.ts'

const rankOfStatus = new Map<CheckStatus, number>(statusOrder.map((status, rank) => [status, rank]))

function rankOf({ status }: Check): number {
  return rankOfStatus.get(status) ?? 0
}

/** By severity, then name, then id: the server's own order is undefined, and names are not unique. */
export function sortedByWorst<T>(items: readonly T[], checkOf: (item: T) => Check): readonly T[] {
  return items
    .map((item) => named(checkOf(item), item))
    .sort((a, b) => rankOf(a.check) - rankOf(b.check) || compareNamed(a, b))
    .map(({ item }) => item)
}

interface Named<T> {
  readonly check: Check
  readonly key: NameKey
  readonly item: T
}

function named<T>(check: Check, item: T): Named<T> {
  return { check, key: nameKey(checkName(check)), item }
}

function compareNamed(a: Named<unknown>, b: Named<unknown>): number {
  return compareNameKeys(a.key, b.key) || (a.check.id < b.check.id ? -1 : 1)
}

/** The same list with what is quiet after the others of its status. */
export function quietLast<T>(
  sorted: readonly T[],
  parts: { readonly status: (item: T) => CheckStatus; readonly isQuiet: (item: T) => boolean },
): readonly T[] {
  const list: T[] = []
  let quiet: T[] = []
  let status: CheckStatus | null = null
  for (const item of sorted) {
    if (parts.status(item) !== status) {
      list.push(...quiet)
      quiet = []
      status = parts.status(item)
    }
    if (parts.isQuiet(item)) quiet.push(item)
    else list.push(item)
  }
  return [...list, ...quiet]
}

/** One list for each status, in the order of `statusOrder`. */
type Ranks = readonly (readonly Check[])[]

interface Sorted {
  readonly checks: ReadonlyMap<CheckId, Check>
  /** The checks of the map, in its order. */
  readonly listed: readonly Check[]
  /** By name: their places in `listed`. */
  readonly places: readonly number[]
  readonly ranks: Ranks
}

/** The last order of each project. A board whose checks did not change keeps its map (`withChecks`). */
const lastSorted = new Map<AccountId, Sorted>()

/**
 * A project's checks in the order of the board. That of their names is kept, and by status it takes no
 * comparisons: 10,000 flips cost as much as one, and none is looked up, since a changed check keeps its
 * place in the map.
 */
export function worstFirst(accountId: AccountId, checks: ReadonlyMap<CheckId, Check>): Ranks {
  const last = lastSorted.get(accountId)
  if (last?.checks === checks) return last.ranks
  const listed = [...checks.values()]
  const places =
    last === undefined ? sortedByName(listed, listed.keys()) : placesAfter(last, listed)
  const ranks = bySeverity(listed, places)
  lastSorted.set(accountId, { checks, listed, places, ranks })
  return ranks
}

/** From an order that may be nearly the right one, with which sorting is quick. */
function sortedByName(listed: readonly Check[], places: Iterable<number>): readonly number[] {
  return [...places]
    .flatMap((place) => {
      const check = listed[place]
      return check === undefined ? [] : [named(check, place)]
    })
    .sort(compareNamed)
    .map(({ item }) => item)
}

function placesAfter(last: Sorted, listed: readonly Check[]): readonly number[] {
  const { listed: old, places } = last
  const isAsBefore =
    old.length === listed.length && listed.every((one, n) => isNamedAs(one, old[n]))
  if (isAsBefore) return places
  const placeOf = new Map(listed.map(({ id }, place) => [id, place]))
  const kept = places.flatMap((place) => placeOf.get(old[place]?.id ?? '') ?? [])
  return sortedByName(listed, new Set([...kept, ...listed.keys()]))
}

function isNamedAs(check: Check, old: Check | undefined): boolean {
  return check.id === old?.id && check.name === old.name && check.slug === old.slug
}

/** Checks of one status stay in the order they came in. */
function bySeverity(listed: readonly Check[], places: readonly number[]): Ranks {
  const ranked: Check[][] = statusOrder.map(() => [])
  // In the order they lie in memory, which is not that of their names.
  const ranks = listed.map(rankOf)
  for (const place of places) {
    const check = listed[place]
    if (check !== undefined) ranked[ranks[place] ?? 0]?.push(check)
  }
  return ranked
}
