import { type Check, statusOrder } from '#shared/core/checks/check.ts'

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/**
 * The board's order, as the lists compared with the app keep it: names are collated once, since
 * they don't change; after that, only numbers are compared.
 */
export function ordered(checks: readonly Check[]): (checks: readonly Check[]) => readonly Check[] {
  const places = new Map<string, number>()
  const named = [...checks].sort((a, b) => byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1))
  for (const [place, { id }] of named.entries()) places.set(id, place)
  const ranks = new Map(statusOrder.map((status, rank) => [status, rank]))
  return (next) =>
    next
      .map((check) => ({
        check,
        rank: ranks.get(check.status) ?? 0,
        since: check.since ?? 0,
        place: places.get(check.id) ?? 0,
      }))
      .sort((a, b) => a.rank - b.rank || a.since - b.since || a.place - b.place)
      .map(({ check }) => check)
}

/** Px, as in the app: rows in trouble have two lines. */
export const rowHeight = 32
export const troubleHeight = 48
export const headHeight = 32

export function isTrouble({ status }: Check): boolean {
  return status === 'down' || status === 'grace' || status === 'unknown'
}
