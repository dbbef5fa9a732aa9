/**
 * Runs what must pass: types, lint, unit, whole-app and component tests, the build, end-to-end
 * tests. With `all`, adds the long proofs: minutes each, of what a change rarely breaks. Runs all of
 * it, and then fails if any part failed. The last line counts each test, and each static check as
 * one. What keeps two cores busy runs alone; what mostly waits, or uses one core, runs beside
 * others, and its output is printed in one piece.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closingLine, countPlaywright, countProgram, countVitest } from './count-tests.mjs'
import { findElectron, projectRoot } from './programs.mjs'
import { findRealElectron, hasRealElectron } from './real-electron.mjs'

/** @typedef {import('./count-tests.mjs').Count} Count */

const results = join(projectRoot, 'test-results')

/** @type {Count} */
const nothing = { passed: 0, failed: 0, skipped: [], failures: [] }

/** Far more than any suite takes, even on a busy computer: only a hang reaches it. */
const suiteLimitMs = 60 * 60_000

const isCi = process.env['CI'] === 'true'
const isAll = process.argv[2] === 'all'
const ownElectron = findElectron() !== undefined
const onElectron =
  ownElectron || (isAll && (findRealElectron() !== undefined || (isCi && hasRealElectron)))
const onStandIn = (isAll && isCi) || !ownElectron
/** The package test installs the package, which is only acceptable on a machine made for tests. */
const mayInstall = isCi && hasRealElectron && process.getuid?.() === 0

/** Settles when the output of everything started so far has been written. */
let lastWritten = Promise.resolve()

mkdirSync(results, { recursive: true })
// Reports of an earlier run must not stand for this one.
for (const name of readdirSync(results)) if (/^security/.test(name)) rmSync(join(results, name))
const counts = [
  ...(await Promise.all([
    check('types', ['tsc', '-b']),
    check('format and lint', ['biome', 'ci', '--error-on-warnings', '.']),
    check('lint by types', [
      ...['oxlint', '--config', 'test/oxlint.json'],
      ...['src', 'test', 'bench', 'electron.vite.config.ts'],
    ]),
    check('nothing unused', ['knip', '--config', 'test/knip.json']),
    check('operations', ['node', 'scripts/check-operations.mjs']),
  ])),
  await vitest('unit, whole-app and component tests', ['core', 'unit', 'component']),
  await check('build', ['node', 'scripts/build.mjs']),
  ...(await endToEnd('short')),
  ...(isAll ? await longProofs() : []),
]
if (!isAll)
  write('left out: the long proofs (chaos, kill, watch and others); `npm run test:all` adds them\n')
else if (!onElectron)
  write(
    hasRealElectron
      ? 'left out: the end-to-end tests and the comparison of hosts on a real Electron (196 MB); `npm run e2e -- --on electron` fetches it and runs the tests\n'
      : 'left out: the end-to-end tests and the comparison of hosts on a real Electron; `node node_modules/electron/install.js` fetches it\n',
  )
if (isAll && !mayInstall)
  write(
    'left out: the test of the package, which installs it; run `npm run test:package` as root\n',
  )
// Repeated at the end: the output of the runners is thousands of lines above.
for (const name of counts.flatMap(({ failures }) => failures)) write(`failed: ${name}\n`)
for (const name of counts.flatMap(({ skipped }) => skipped)) write(`skipped: ${name}\n`)
const line = closingLine(counts)
writeFileSync(join(results, 'summary.txt'), `${line}\n`)
write(`${line}\n`)
process.exitCode = counts.some(({ failed }) => failed > 0) ? 1 : 0

async function longProofs() {
  return [
    ...(await Promise.all([
      vitest('long unit and whole-app tests', ['long']),
      program('chaos', ['test/chaos/run.ts']),
    ])),
    // Alone: in each of its short lives a process does less if others compute. Before packages are
    // written: while hundreds of megabytes go to the disk, each fsync waits for them.
    await program('kill', ['test/kill/run.ts', '--rounds', '60', '--seed', '1']),
    ...(await endToEnd('long')),
    ...(await Promise.all([
      ...(mayInstall ? [program('package', ['test/package/run.ts'])] : []),
      program('bench', ['bench/run.ts', '--smoke']),
      program('attention', ['test/attention/run.ts']),
      program('watch', ['test/watch/run.ts']),
      ...(onElectron ? [program('hosts', ['test/hosts/run.ts'])] : []),
      program('security', ['scripts/security.mjs', 'collect']),
    ])),
    // Alone: it waits for windows as a user does, and no longer.
    ...(isCi && process.getuid?.() === 0
      ? [await program('fresh', ['scripts/fresh.mjs', '--start'])]
      : []),
  ]
}

/**
 * A check that passes or fails as a whole.
 *
 * @param {string} name
 * @param {string[]} command
 * @returns {Promise<Count>}
 */
async function check(name, command) {
  const passed = await run(name, command)
  return passed ? { ...nothing, passed: 1 } : failure(name)
}

/**
 * A runner with its own report. It also fails if it ends badly without a failed test (it crashed,
 * or ran nothing).
 *
 * @template Report
 * @param {string} name
 * @param {string[]} command
 * @param {string} reportFile
 * @param {(report: Report) => Count} count
 * @returns {Promise<Count>}
 */
async function suite(name, command, reportFile, count) {
  rmSync(reportFile, { force: true })
  const ran = await run(name, command)
  if (!existsSync(reportFile)) return failure(name)
  const counted = count(JSON.parse(readFileSync(reportFile, 'utf8')))
  const { passed, failed, skipped, failures } = counted
  if (failed > 0) return { ...counted, failures: failures.length > 0 ? failures : [name] }
  return ran && passed + skipped.length > 0 ? counted : { ...failure(name), passed, skipped }
}

/**
 * Tests of some projects of Vitest's configuration.
 *
 * @param {string} name
 * @param {readonly string[]} projects
 */
function vitest(name, projects) {
  const report = join(results, `vitest-${projects.join('-')}.json`)
  const command = [
    ...['vitest', 'run', '--config', 'test/vitest.config.ts'],
    ...projects.flatMap((project) => ['--project', project]),
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  ]
  return suite(name, command, report, countVitest)
}

/**
 * Tests of a project of Playwright's configuration, on each host that is wanted, one after the other.
 * The short ones run on one host, unless everything is asked for.
 *
 * @param {'short' | 'long'} project
 * @returns {Promise<Count[]>}
 */
async function endToEnd(project) {
  const counts = []
  for (const host of /** @type {const} */ (['stand-in', 'electron'])) {
    if (!(host === 'electron' ? onElectron : onStandIn)) continue
    const name = `${project} end-to-end tests on ${host}`
    const report = join(
      host === 'electron' ? join(results, 'on-electron') : results,
      'playwright.json',
    )
    const command = ['node', 'scripts/e2e.mjs', '--on', host, '--project', project]
    const count = await suite(name, command, report, countPlaywright)
    counts.push({ ...count, failures: count.failures.map((failed) => `on ${host}: ${failed}`) })
  }
  return counts
}

/**
 * One of our own programs, which writes its result beside the other reports.
 *
 * @param {string} name
 * @param {string[]} args
 * @returns {Promise<Count>}
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
 * Resolves to whether it succeeded, once its output and that of everything started before it are
 * written.
 *
 * @param {string} name
 * @param {string[]} command
 * @returns {Promise<boolean>}
 */
async function run(name, command) {
  const [program = '', ...args] = command
  // Not every platform has the project's own Node among its programs; this script runs on the right
  // one.
  const path =
    program === 'node' ? process.execPath : join(projectRoot, 'node_modules', '.bin', program)
  const startedAt = performance.now()
  const child = spawn(path, args, {
    cwd: projectRoot,
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(suiteLimitMs),
    shell: process.platform === 'win32' && program !== 'node',
  })
  let isItsTurn = false
  let held = `\n== ${name}\n`
  const say = (/** @type {string} */ text) => {
    if (isItsTurn) write(text)
    else held += text
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say)
  child.once('error', ({ message }) => say(`${program}: ${message}\n`))
  const ended = new Promise((resolve) => {
    child.once('close', (status) => resolve({ passed: status === 0, at: performance.now() }))
  })
  const before = lastWritten
  const { promise, resolve: wrote } = Promise.withResolvers()
  lastWritten = promise
  await before
  write(held)
  isItsTurn = true
  const { passed, at } = await ended
  const seconds = Math.round((at - startedAt) / 1_000)
  write(`-- ${passed ? 'passed' : 'failed'} after ${seconds} s: ${name}\n`)
  wrote(undefined)
  return passed
}

/** @param {string} text */
function write(text) {
  process.stdout.write(text)
}
