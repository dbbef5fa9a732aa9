/** Creates a filled history. `node fill-run.ts <file> <entries>` */
import { report } from '../child.ts'
import { fill, openBenchHistory } from './filled.ts'

const [file = '', count = '0'] = process.argv.slice(2)
const history = openBenchHistory(file)
await fill(history, Number(count))
history.close()
report({})
