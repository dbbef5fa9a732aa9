/**
 * Runs the end-to-end tests: `node scripts/e2e.mjs [--on electron|stand-in] [Playwright's arguments]`.
 * Ends with the result on that host, such as `electron 33.2.1: N passed, N failed, N known`.
 *
 * Without `--on`, runs on Electron if its own program was fetched, else on the stand-in.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { countPlaywright, laneLine } from './count-tests.mjs'
import { findElectron, projectRoot } from './programs.mjs'
import {
  fetchRealElectron,
  hasRealElectron,
  ordinaryUser,
  realElectronVersion,
} from './real-electron.mjs'
import { endToEndSuites } from './security-line.mjs'

/** Far more than it takes, and less than `test.mjs` waits: only a hang reaches it. */
const limitMs = 55 * 60_000

const { on, rest } = readArguments(process.argv.slice(2))
const own = findElectron()
const electron = on === 'stand-in' ? '' : (own ?? (on === 'electron' ? fetched() : ''))
const results = join(projectRoot, 'test-results', electron === '' ? '.' : 'on-electron')
const report = join(results, 'playwright.json')
const leftBySuites = endToEndSuites.map((suite) => join(results, `security-${suite}.json`))
for (const name of [report, ...leftBySuites]) rmSync(name, { force: true })
process.exitCode = electron === '' ? run([], projectRoot, {}) : onElectron()
// There is no report if Playwright was given another reporter or never started.
if (existsSync(report)) {
  const count = countPlaywright(JSON.parse(readFileSync(report, 'utf8')))
  process.stdout.write(`${laneLine(hostName(), count)}\n`)
}

function fetched() {
  if (!hasRealElectron) return missing('install its program: node node_modules/electron/install.js')
  const setup = join(projectRoot, 'scripts', 'setup.mjs')
  const { status } = spawnSync(process.execPath, [setup, 'electron'], { stdio: 'inherit' })
  if (status !== 0) return missing('setup failed, see the lines above')
  try {
    return fetchRealElectron()
  } catch (error) {
    return missing(`${error}; npm needs a registry it can reach, and 1 GB of disk space`)
  }
}

/**
 * @param {string} reason
 * @returns {never}
 */
function missing(reason) {
  process.stderr.write(`e2e: there is no Electron to run on: ${reason}\n`)
  process.exit(1)
}

function hostName() {
  if (electron === '') return 'stand-in'
  if (own === undefined) return `electron ${realElectronVersion}`
  const about = join(projectRoot, 'node_modules', 'electron', 'package.json')
  return `electron ${JSON.parse(readFileSync(about, 'utf8')).version}`
}

function onElectron() {
  const user = ordinaryUser(electron, results)
  try {
    return run(user.before, user.root, user.env)
  } finally {
    user.end()
  }
}

/**
 * @param {readonly string[]} before
 * @param {string} root the checkout as the command sees it, with a trailing separator
 * @param {NodeJS.ProcessEnv} env
 */
function run(before, root, env) {
  const there = (/** @type {string} */ path) => path.replace(projectRoot, root)
  const script = join(root, 'node_modules', 'playwright', 'cli.js')
  const [program = '', ...args] = [
    ...before,
    there(process.execPath),
    ...[script, 'test', '--config', join('test', 'playwright.config.ts'), ...rest],
  ]
  const { status, error } = spawnSync(program, args, {
    cwd: projectRoot,
    env: { ...process.env, ...env, BELFRY_E2E_ELECTRON: there(electron) },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limitMs,
  })
  if (error !== undefined) throw error
  return status ?? 1
}

/** @param {readonly string[]} args */
function readArguments(args) {
  const at = args.indexOf('--on')
  if (at === -1) return { on: null, rest: args }
  const on = args[at + 1]
  if (on !== 'electron' && on !== 'stand-in') throw new Error('--on takes electron or stand-in')
  return { on, rest: args.toSpliced(at, 2) }
}
