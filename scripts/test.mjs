/**
 * Everything that has to hold: types, lint, unit and whole-app tests, the build, end-to-end tests.
 * All of it runs, then it fails if any part did. The last line counts each test, and each static
 * check as one.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closingLine, countPlaywright, countProgram, countVitest } from './count-tests.mjs'
import { projectRoot } from './programs.mjs'

/** @typedef {import('./count-tests.mjs').Count} Count */

const results = join(projectRoot, 'test-results')
const vitestReport = join(results, 'vitest.json')
const playwrightReport = join(results, 'playwright.json')

/** @type {Count} */
const nothing = { passed: 0, failed: 0, skipped: [], failures: [] }

/** Far more than any suite takes: only a hang meets it. */
const suiteLimitMs = 20 * 60_000

mkdirSync(results, { recursive: true })
// What suites write of themselves: none of an earlier run may stand for this one.
for (const name of readdirSync(results)) if (/^security/.test(name)) rmSync(join(results, name))
const counts = [
  check('types', ['tsc', '-b']),
  check('format and lint', ['biome', 'ci', '--error-on-warnings', '.']),
  check('lint by types', [
    ...['oxlint', '--config', 'test/oxlint.json'],
    ...['src', 'test', 'bench', 'electron.vite.config.ts'],
  ]),
  check('nothing unused', ['knip', '--config', 'test/knip.json']),
  check('operations', ['node', 'scripts/check-operations.mjs']),
  suite(
    'unit, whole-app and component tests',
    [
      ...['vitest', 'run', '--config', 'test/vitest.config.ts'],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
    ],
    vitestReport,
    countVitest,
  ),
  check('build', ['electron-vite', 'build']),
  suite(
    'end-to-end tests',
    ['playwright', 'test', '--config', 'test/playwright.config.ts', '--reporter=list,json'],
    playwrightReport,
    countPlaywright,
  ),
  program('bench', ['bench/run.ts', '--smoke']),
  program('attention', ['test/attention/run.ts']),
  program('kill', ['test/kill/run.ts', '--rounds', '60', '--seed', '1']),
  program('chaos', ['test/chaos/run.ts']),
  program('security', ['scripts/security.mjs', 'collect']),
]
// Once more at the end: what a runner said stands thousands of lines above.
for (const name of counts.flatMap(({ failures }) => failures)) write(`failed: ${name}\n`)
for (const name of counts.flatMap(({ skipped }) => skipped)) write(`skipped: ${name}\n`)
const line = closingLine(counts)
writeFileSync(join(results, 'summary.txt'), `${line}\n`)
write(`${line}\n`)
process.exitCode = counts.some(({ failed }) => failed > 0) ? 1 : 0

/**
 * A check that passes or fails as a whole.
 *
 * @param {string} name
 * @param {string[]} command
 * @returns {Count}
 */
function check(name, command) {
  const passed = run(name, command)
  return passed ? { ...nothing, passed: 1 } : failure(name)
}

/**
 * A runner with a report of its own. One that ends badly without a failed test (it crashed, or ran
 * nothing) is a failure too.
 *
 * @template Report
 * @param {string} name
 * @param {string[]} command
 * @param {string} reportFile
 * @param {(report: Report) => Count} count
 * @returns {Count}
 */
function suite(name, command, reportFile, count) {
  rmSync(reportFile, { force: true })
  const ran = run(name, command)
  if (!existsSync(reportFile)) return failure(name)
  const counted = count(JSON.parse(readFileSync(reportFile, 'utf8')))
  const { passed, failed, skipped, failures } = counted
  if (failed > 0) return { ...counted, failures: failures.length > 0 ? failures : [name] }
  return ran && passed > 0 ? counted : { ...failure(name), passed, skipped }
}

/**
 * A program of ours that proves something, and writes what it came to beside the other reports.
 *
 * @param {string} name
 * @param {string[]} args
 * @returns {Count}
 */
function program(name, args) {
  return suite(name, ['node', ...args], join(results, `${name}.json`), countProgram)
}

/**
 * @param {string} name
 * @returns {Count}
 */
function failure(name) {
  return { ...nothing, failed: 1, failures: [name] }
}

/**
 * @param {string} name
 * @param {string[]} command
 * @returns {boolean}
 */
function run(name, command) {
  write(`\n== ${name}\n`)
  const [program = '', ...args] = command
  // Not every platform has the project's own Node among its programs; this script runs on the right one.
  const path =
    program === 'node' ? process.execPath : join(projectRoot, 'node_modules', '.bin', program)
  const { status, error } = spawnSync(path, args, {
    cwd: projectRoot,
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: suiteLimitMs,
    shell: process.platform === 'win32' && program !== 'node',
  })
  if (error !== undefined) write(`${program}: ${error.message}\n`)
  if (status !== 0) write(`-- failed: ${name}\n`)
  return status === 0
}

/** @param {string} text */
function write(text) {
  process.stdout.write(text)
}
