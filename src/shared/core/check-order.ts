import type { AccountId } from './account.ts'
import { type Check, type CheckId, type CheckStatus, checkName, statusOrder } from './check.ts'

/** For names and tags: "job 2" before "job 10", whatever the case. */
export const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

const rankOfStatus = new Map<CheckStatus, number>(statusOrder.map((status, rank) => [status, rank]))

/** By severity, then name, then id: the server's own order is undefined, and names are not unique. */
export function compareChecks(a: Check, b: Check): number {
  return rankOf(a) - rankOf(b) || compareNames(a, b)
}

function compareNames(a: Check, b: Check): number {
  return byName.compare(checkName(a), checkName(b)) || (a.id < b.id ? -1 : 1)
}

function rankOf({ status }: Check): number {
  return rankOfStatus.get(status) ?? 0
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
 * A project's checks in the order of the board. Comparing names by the rules of language is slow, so
 * their order is kept and only new names are put into it; by status it takes no comparisons. 10,000
 * flips cost as much as one, and none is looked up: a changed check keeps its place in the map.
 */
export function worstFirst(accountId: AccountId, checks: ReadonlyMap<CheckId, Check>): Ranks {
  const last = lastSorted.get(accountId)
  if (last?.checks === checks) return last.ranks
  const listed = [...checks.values()]
  const places = last === undefined ? placesByName(listed) : placesAfter(last, checks, listed)
  const ranks = bySeverity(listed, places)
  lastSorted.set(accountId, { checks, listed, places, ranks })
  return ranks
}

function placesByName(listed: readonly Check[]): readonly number[] {
  const named = listed.map((check, place) => ({ check, place, name: checkName(check) }))
  named.sort((a, b) => byName.compare(a.name, b.name) || (a.check.id < b.check.id ? -1 : 1))
  return named.map(({ place }) => place)
}

function placesAfter(
  last: Sorted,
  checks: ReadonlyMap<CheckId, Check>,
  listed: readonly Check[],
): readonly number[] {
  const { listed: old, places } = last
  const isAsBefore =
    old.length === listed.length && listed.every((one, n) => isNamedAs(one, old[n]))
  if (isAsBefore) return places
  const placeOf = new Map(listed.map((check, place) => [check, place]))
  return renamed(last, checks).map((check) => placeOf.get(check) ?? 0)
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

/** By name, where some came, went or have another one. */
function renamed(last: Sorted, checks: ReadonlyMap<CheckId, Check>): readonly Check[] {
  const kept: Check[] = []
  const moved: Check[] = []
  for (const place of last.places) {
    const old = last.listed[place]
    const check = old && checks.get(old.id)
    if (check === undefined) continue
    if (isNamedAs(check, old)) kept.push(check)
    else moved.push(check)
  }
  if (kept.length + moved.length < checks.size)
    for (const check of checks.values()) if (!last.checks.has(check.id)) moved.push(check)
  return moved.length === 0 ? kept : inserted(kept, moved.sort(compareNames))
}

/** Both are in order, and so is the result. */
function inserted(kept: readonly Check[], moved: readonly Check[]): readonly Check[] {
  const list: Check[] = []
  let next = 0
  for (const check of moved) {
    const place = placeOf(check, kept, next)
    while (next < place) {
      const before = kept[next]
      if (before !== undefined) list.push(before)
      next += 1
    }
    list.push(check)
  }
  return [...list, ...kept.slice(next)]
}

/** How many of `kept` come before the check, by halving; at least `from`. */
function placeOf(check: Check, kept: readonly Check[], from: number): number {
  let low = from
  let high = kept.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = kept[middle]
    if (other !== undefined && compareNames(other, check) < 0) low = middle + 1
    else high = middle
  }
  return low
}
