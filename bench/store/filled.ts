import assert from 'node:assert/strict'
import type { History } from '../../src/main/ports.ts'
import { openHistory } from '../../src/main/storage/history-database.ts'
import { entries, nowOfEntries } from './entry.ts'

/**
 * Entries that are handed over at once; the history cuts them up as it likes, and at the end of each has
 * its log copied on a thread that takes some 50 ms to begin.
 */
const batch = 10_000

/**
 * The app's own history on a file. It keeps 64 MB, which 100,000 entries as long as a message do not
 * fit into, so the bound is raised by the history's own option.
 */
export function openBenchHistory(file: string): History {
  return openHistory({
    file,
    now: () => nowOfEntries,
    onTrouble: ({ text }) => assert.fail(text ?? ''),
    bounds: { ageMs: 90 * 24 * 60 * 60_000, entries: 1_000_000, bytes: 2 ** 31 },
  })
}

/** Ms until all of them are where the app leaves them; what is made up for it is not counted. */
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
