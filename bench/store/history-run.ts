/** The app's own history: filled, then extended one by one. `node history-run.ts <entries>` */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { openHistoryFile } from '../../src/main/storage/history-database.ts'
import { historyTables } from '../../src/main/storage/history-tables.ts'
import { report } from '../child.ts'
import { each, inFolder } from './each.ts'
import { entry } from './entry.ts'
import { fill, openBenchHistory } from './filled.ts'

const count = Number(process.argv[2])
const singles = 300

const numbers = await inFolder(async (folder) => {
  const file = join(folder, 'history.db')
  const history = openBenchHistory(file)
  const bulkMs = await fill(history, count)
  // Only the transaction: the app makes one some 250 ms after an entry, and waits for the disk only
  // when it quits.
  const tables = historyTables(openHistoryFile(file))
  const oneMs = await each(singles, (n) => tables.write([entry(count + n)]))
  tables.close()
  const all = history.entries({ from: 0, limit: count + singles + 1 })
  assert.equal(all.length, count + singles)
  assert.deepEqual(all.at(-1), entry(count + singles - 1))
  history.close()
  return { bulkMs, oneMs }
})
report(numbers)
