/** The app's own history: filled, and added to one by one. `node history-run.ts <entries>` */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { report } from '../child.ts'
import { each, inFolder } from './each.ts'
import { entry } from './entry.ts'
import { fill, openBenchHistory } from './filled.ts'

const count = Number(process.argv[2])
const singles = 300

const numbers = await inFolder(async (folder) => {
  const history = openBenchHistory(join(folder, 'history.db'))
  const bulkMs = await fill(history, count)
  const oneMs = await each(singles, (n) => {
    history.add([entry(count + n)])
    return history.settled()
  })
  const all = history.entries({ from: 0, limit: count + singles + 1 })
  assert.equal(all.length, count + singles)
  assert.deepEqual(all.at(-1), entry(count + singles - 1))
  history.close()
  return { bulkMs, oneMs }
})
report(numbers)
