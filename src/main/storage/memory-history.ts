import type { AccountId } from '../../shared/core/account.ts'
import type { HistoryEntry, HistoryFilter } from '../../shared/core/checks/history.ts'
import type { History } from '../base/ports.ts'

/** Entries kept in memory: some days of a lively project, a few MB. */
export const memoryLimit = 20_000

/**
 * A history that lasts as long as the process and drops the oldest entries first: for the demo, and
 * where nothing can be stored.
 */
export function memoryHistory(): History {
  let entries: HistoryEntry[] = []

  return {
    add(added) {
      for (const entry of added.slice(-memoryLimit)) entries.push(withoutText(entry))
      // A tenth of slack, so that the list is not copied for every entry.
      if (entries.length > memoryLimit * 1.1) entries = entries.slice(-memoryLimit)
    },
    entries: (filter) => newest(filter, entries),
    forget(accountId) {
      entries = entries.filter((entry) => entry.accountId !== accountId)
    },
    rename(from, to) {
      entries = entries.map((entry) => renamedEntry(entry, from, to))
    },
    settled: async () => undefined,
    close: () => undefined,
  }
}

/** Without `json`, which would keep the same data in memory twice. */
export function withoutText({ json: _json, ...entry }: HistoryEntry): HistoryEntry {
  return entry
}

/** Account ids are random, so wherever one stands in the text, it means the account. */
function renamedEntry(entry: HistoryEntry, from: AccountId, to: AccountId): HistoryEntry {
  const text = JSON.stringify(entry)
  // The same entry with another id.
  return text.includes(from) ? (JSON.parse(text.replaceAll(from, to)) as HistoryEntry) : entry
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
