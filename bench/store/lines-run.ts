/**
 * The bound of writing: the same entries as lines of a file, without any index. In bulk, syncs once
 * per 1,000 lines; one by one, each time. `node lines-run.ts <entries>`
 */
import assert from 'node:assert/strict'
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryEntry } from '../../src/shared/core/checks/history.ts'
import { report } from '../child.ts'
import { each, inFolder } from './each.ts'
import { entries, entry } from './entry.ts'

const count = Number(process.argv[2])
const singles = 300
const line = (one: HistoryEntry): string => `${JSON.stringify(one)}\n`

const numbers = await inFolder(async (folder) => {
  const path = join(folder, 'history.ndjson')
  const file = openSync(path, 'a', 0o600)
  let bulkMs = 0
  for (let n = 0; n < count; n += 1_000) {
    const some = entries(n, Math.min(n + 1_000, count))
    const from = performance.now()
    writeSync(file, some.map(line).join(''))
    fdatasyncSync(file)
    bulkMs += performance.now() - from
  }
  const oneMs = await each(singles, (n) => {
    writeSync(file, line(entry(count + n)))
    fdatasyncSync(file)
  })
  closeSync(file)
  assert.equal(readFileSync(path, 'utf8').split('\n').length, count + singles + 1)
  return { bulkMs, oneMs }
})
report(numbers)
