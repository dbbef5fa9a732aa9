/**
 * Scans a folder: `node scan-folder.mjs <the scanner's package folder> <folder to scan> <Electron's
 * version>`; prints the findings as JSON. Uses the scanner's API, since its program always exits
 * with 0; in its own process, since it leaves things running.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [home = '', input = '', electronVersionOverride = ''] = process.argv.slice(2)
const require = createRequire(join(home, 'package.json'))
/** Installed only in that folder. */
const scanner = '@doyensec/electronegativity'

/**
 * Stubs the scanner's network access: it would fetch translations and releases, and the result must
 * not depend on the day.
 */
const offline = async () => {
  throw new Error('the scanner stays offline')
}
const got = createRequire(require.resolve(scanner)).resolve('got')
require.cache[got] = Object.assign(new (require('node:module'))(got), {
  loaded: true,
  exports: Object.assign(offline, { get: offline }),
})

const scan = require(scanner)
const write = process.stdout.write.bind(process.stdout)
// Its own output goes to standard error, so that it does not mix with the JSON.
process.stdout.write = process.stderr.write.bind(process.stderr)

try {
  const options = { input, verbose: false, customScan: [], parserPlugins: [] }
  const result = await scan({ ...options, electronVersionOverride })
  /** @type {{ id: string, file: string, location: { line: number, column: number }, sample?: string }[]} */
  const issues = result.issues
  const found = issues.map(({ id, file, location, sample = '' }) => ({
    id,
    file,
    ...location,
    sample: String(sample).slice(0, 200),
  }))
  const checks = result.globalChecks + result.atomicChecks
  const text = JSON.stringify({ checks, errors: result.errors, found })
  write(text, () => process.exit(0))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
