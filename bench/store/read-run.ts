/**
 * Reads the app's own history when it is as full as possible. `node read-run.ts <file of a filled
 * history> <entries>`
 */
import assert from 'node:assert/strict'
import { report } from '../child.ts'
import { each } from './each.ts'
import { account, entry, subjectOf, subjects } from './entry.ts'
import { openBenchHistory } from './filled.ts'

const [file = '', given = '0'] = process.argv.slice(2)
const count = Number(given)
const wanted = 100

const history = openBenchHistory(file)
const lastOf = (n: number) =>
  history.entries({ from: 0, accountId: account, subject: subjectOf(n * 7), limit: wanted })
const lastMs = await each(31, lastOf)
const found = lastOf(3)
const all = history.entries({ from: 0, subject: subjectOf(21), limit: count })
assert.equal(all.length, Math.ceil((count - 21) / subjects))
assert.deepEqual(found, all.slice(-wanted))
assert.deepEqual(all[0], entry(21))
history.close()
report({ lastMs })
