import assert from 'node:assert/strict'
import type { History } from '../../src/main/base/ports.ts'
import { openHistory } from '../../src/main/storage/history-database.ts'
import { entries, nowOfEntries } from './entry.ts'

/**
 * Entries that are added at once. The history splits them as it likes; after each batch, its log is
 * copied by a thread that takes some 50 ms to start.
 */
const batch = 10_000

/**
 * The app's own history in a file. Its limit of 64 MB is too small for 100,000 entries as long as a
 * message, so it is raised with the history's own option.
 */
export function openBenchHistory(file: string): History {
  return openHistory({
    file,
    now: () => nowOfEntries,
    onTrouble: ({ text }) => assert.fail(text ?? ''),
    bounds: { ageMs: 90 * 24 * 60 * 60_000, entries: 1_000_000, bytes: 2 ** 31 },
  })
}

/** Ms until all entries are stored as the app leaves them; creating the entries is not counted. */
export async function fill(history: History, count: number): Promise<number> {
  let ms = 0
  for (let n = 0; n < count; n += batch) {
    const some = entries(n, Math.min(n + batch, count))
    const from = performance.now()
    history.add(some)
    await history.settled()
    ms += performance.now() - from
  }
  return ms
}
