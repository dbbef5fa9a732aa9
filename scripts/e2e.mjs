/**
 * The end-to-end tests: `node scripts/e2e.mjs [--on electron|stand-in] [what Playwright is to be told]`.
 *
 * Without `--on`, on Electron where its own program was fetched, else on the stand-in.
 */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findElectron, projectRoot } from './programs.mjs'
import { fetchRealElectron } from './real-electron.mjs'

/** `nobody` and `nogroup`, on every Linux. */
const ordinaryUser = 65_534

const { on, rest } = readArguments(process.argv.slice(2))
const own = findElectron()
const electron = on === 'stand-in' ? '' : (own ?? (on === 'electron' ? fetchRealElectron() : ''))
process.exitCode = electron === '' ? run([], {}) : onElectron()

/** Electron's sandbox refuses to run as root, who is then nobody. */
function onElectron() {
  if (process.getuid?.() !== 0) return run([], {})
  const home = mkdtempSync(join(tmpdir(), 'belfry-home-'))
  const results = join(projectRoot, 'test-results', 'on-electron')
  for (const folder of [home, results]) {
    mkdirSync(folder, { recursive: true })
    chownSync(folder, ordinaryUser, ordinaryUser)
  }
  const user = [`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, '--clear-groups']
  const env = { HOME: home, XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '', XDG_RUNTIME_DIR: home }
  try {
    return run(['setpriv', ...user, '--'], env)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/**
 * @param {readonly string[]} before
 * @param {NodeJS.ProcessEnv} env
 */
function run(before, env) {
  const script = join(projectRoot, 'node_modules', 'playwright', 'cli.js')
  const config = join('test', 'playwright.config.ts')
  const [program = '', ...args] = [
    ...before,
    process.execPath,
    script,
    'test',
    '--config',
    config,
    ...rest,
  ]
  const { status, error } = spawnSync(program, args, {
    cwd: projectRoot,
    env: { ...process.env, ...env, BELFRY_E2E_ELECTRON: electron },
    stdio: ['ignore', 'inherit', 'inherit'],
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
