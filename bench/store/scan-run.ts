/**
 * The cost of reading without the history's index: searches every entry for a word that none has.
 * `node scan-run.ts <file of a filled history> <entries>`
 */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { report } from '../child.ts'
import { each } from './each.ts'

const [file = '', count = '0'] = process.argv.slice(2)
const db = new DatabaseSync(file, { readOnly: true })
const all = db.prepare('SELECT count(*) AS count FROM entries').get()
assert.equal(all?.['count'], Number(count))
const scan = db.prepare('SELECT data FROM entries WHERE data LIKE ? ORDER BY at DESC LIMIT 100')
const scanMs = await each(5, () => assert.deepEqual(scan.all('%nowhere-to-be-found%'), []))
db.close()
report({ scanMs })
