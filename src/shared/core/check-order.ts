import { type Check, type CheckId, type CheckStatus, checkName, statusOrder } from './check.ts'

/** For names and tags: "job 2" before "job 10", whatever the case. */
export const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

const ranks = new Map<CheckStatus, number>(statusOrder.map((status, rank) => [status, rank]))

/** By severity, then name, then id: the server's own order is undefined, and names are not unique. */
export function compareChecks(a: Check, b: Check): number {
  return (
    (ranks.get(a.status) ?? 0) - (ranks.get(b.status) ?? 0) ||
    byName.compare(checkName(a), checkName(b)) ||
    (a.id < b.id ? -1 : 1)
  )
}

/** A board whose checks did not change keeps its map (`withChecks`), and so its sorted list here. */
const sortedOnce = new WeakMap<ReadonlyMap<CheckId, Check>, readonly Check[]>()

/** A project's checks in the order of the board; sorted once for as long as nothing changes. */
export function worstFirst(checks: ReadonlyMap<CheckId, Check>): readonly Check[] {
  const known = sortedOnce.get(checks)
  if (known !== undefined) return known
  const sorted = [...checks.values()].sort(compareChecks)
  sortedOnce.set(checks, sorted)
  return sorted
}
