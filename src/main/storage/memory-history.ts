import type { AccountId } from '../../shared/core/account.ts'
import type { CheckId } from '../../shared/core/checks/check.ts'
import type { Flip, HistoryEntry, HistoryFilter } from '../../shared/core/checks/history.ts'
import type { History } from '../ports.ts'

/** Entries and flips kept in memory: some days of a lively project, a few MB. */
export const memoryLimit = 20_000

export interface StoredFlip extends Flip {
  readonly accountId: AccountId
  readonly checkId: CheckId
}

/**
 * A history that lasts as long as the process and drops the oldest entries first: for the demo, and
 * where nothing can be stored.
 */
export function memoryHistory(limit: number = memoryLimit): History {
  let entries: HistoryEntry[] = []
  const flips = new Map<string, StoredFlip>()

  return {
    add(added) {
      for (const entry of added.slice(-limit)) entries.push(withoutText(entry))
      // A tenth of slack, so that the list is not copied for every entry.
      if (entries.length > limit * 1.1) entries = entries.slice(-limit)
    },
    addFlips(accountId, checkId, added) {
      putFlips(flips, accountId, checkId, added, limit)
    },
    entries: (filter) => newest(filter, entries),
    flips: (accountId, checkId, from) => flipsOf(flips.values(), { accountId, checkId, from }),
    forget(accountId) {
      entries = entries.filter((entry) => entry.accountId !== accountId)
      forgetFlips(flips, accountId)
    },
    settled: async () => undefined,
    close: () => undefined,
  }
}

/** Adds flips; beyond `limit`, those added first are dropped. */
export function putFlips(
  flips: Map<string, StoredFlip>,
  accountId: AccountId,
  checkId: CheckId,
  added: readonly Flip[],
  limit: number = memoryLimit,
): void {
  for (const { at, up } of added) {
    const flip = { accountId, checkId, at, up }
    flips.set(flipKey(flip), flip)
  }
  for (const key of flips.keys()) {
    if (flips.size <= limit) break
    flips.delete(key)
  }
}

export function forgetFlips(flips: Map<string, StoredFlip>, accountId: AccountId): void {
  for (const [key, flip] of flips) if (flip.accountId === accountId) flips.delete(key)
}

/** Without `json`, which would keep the same data in memory twice. */
export function withoutText({ json: _json, ...entry }: HistoryEntry): HistoryEntry {
  return entry
}

/** Identifies a flip: a server returns each one many times. */
function flipKey({ accountId, checkId, at, up }: StoredFlip): string {
  return `${accountId}/${checkId}/${at}/${up}`
}

/** The newest of the matching entries, ascending by time. */
export function newest(filter: HistoryFilter, entries: readonly HistoryEntry[]): HistoryEntry[] {
  const passing = entries.filter((entry) => passes(filter, entry))
  return filter.limit <= 0
    ? []
    : passing.sort((one, other) => one.at - other.at).slice(-filter.limit)
}

function passes(filter: HistoryFilter, entry: HistoryEntry): boolean {
  const { from, to = Number.POSITIVE_INFINITY, accountId, subject, kinds } = filter
  return (
    entry.at >= from &&
    entry.at < to &&
    (accountId === undefined || entry.accountId === accountId) &&
    (subject === undefined || entry.subject === subject) &&
    (kinds === undefined || kinds.includes(entry.kind))
  )
}

/** Ascending by time; within a second, flips to “not up” come first. */
export function flipsOf(
  flips: Iterable<StoredFlip>,
  which: { accountId: AccountId; checkId: CheckId; from: number },
): Flip[] {
  return [...flips]
    .filter(
      ({ accountId, checkId, at }) =>
        accountId === which.accountId && checkId === which.checkId && at >= which.from,
    )
    .sort((one, other) => one.at - other.at || Number(one.up) - Number(other.up))
    .map(({ at, up }) => ({ at, up }))
}
