/** The app's own history: filled, added to one by one, and read. `node history-run.ts <entries>` */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { report } from '../child.ts'
import { each, inFolder } from './each.ts'
import { account, entry, subjectOf, subjects } from './entry.ts'
import { fill, openBenchHistory } from './filled.ts'

const count = Number(process.argv[2])
const singles = 300
const wanted = 100

const numbers = await inFolder(async (folder) => {
  const history = openBenchHistory(join(folder, 'history.db'))
  const bulkMs = await fill(history, count)
  const oneMs = await each(singles, (n) => {
    history.add([entry(count + n)])
    return history.settled()
  })
  const lastOf = (n: number) =>
    history.entries({ from: 0, accountId: account, subject: subjectOf(n * 7), limit: wanted })
  const lastMs = await each(31, lastOf)
  const found = lastOf(3)
  const all = history.entries({ from: 0, subject: subjectOf(21), limit: 1_000_000 })
  assert.equal(all.length, Math.ceil((count + singles - 21) / subjects))
  assert.deepEqual(found, all.slice(-wanted))
  assert.deepEqual(all[0], entry(21))
  assert.equal(history.entries({ from: 0, limit: 1_000_000 }).length, count + singles)
  history.close()
  return { bulkMs, oneMs, lastMs }
})
report(numbers)
