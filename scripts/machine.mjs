/**
 * This machine: the programs on its PATH, and how a Debian gets more of them. Plain JavaScript
 * without dependencies: it also runs on the old Node that a machine may have.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { projectRoot } from './programs.mjs'

/** Limits each step: one that takes longer is on a network that drops packets. */
export const stepLimitMs = 15 * 60_000

const modules = join(projectRoot, 'node_modules')

/** What the scripts leave behind for the next start, and for whoever asks what they did. */
export const cacheFolder = join(modules, '.cache', 'belfry')

/** As npm's scripts have it: the project's own programs first. */
export const scriptEnv = {
  ...process.env,
  PATH: `${join(modules, '.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
}

/** @param {string} program */
export function isOnPath(program) {
  return scriptEnv.PATH.split(delimiter).some((folder) => existsSync(join(folder, program)))
}

/** Only Debian itself: its derivatives lack some of the packages. */
function isDebian() {
  return (
    existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
  )
}

export function mayInstall() {
  return process.env['BELFRY_INSTALL'] !== '0' && isDebian() && process.getuid?.() === 0
}

const aptInstall = ['install', '-y', '--no-install-recommends']

/** @param {readonly string[]} packages */
export function installDebian(packages) {
  const env = { ...scriptEnv, DEBIAN_FRONTEND: 'noninteractive' }
  const patience = ['-o', 'Acquire::http::Timeout=60', '-o', 'DPkg::Lock::Timeout=300']
  // What packages write while they are installed is for all users, whatever root's own umask is.
  const own = process.umask(0o022)
  try {
    runQuietly('apt.log', 'apt-get', ['update', '-q', ...patience], env)
    runQuietly('apt.log', 'apt-get', [...aptInstall, '-q', ...patience, ...packages], env)
  } finally {
    process.umask(own)
  }
}

/**
 * What the user is to do about programs that are missing, in one line.
 *
 * @param {readonly string[]} packages Debian's
 * @returns {string}
 */
export function howToInstall(packages) {
  if (!isDebian()) return `install ${listed(packages)} as your system does, and run this again`
  const command = `apt-get update && apt-get ${[...aptInstall, ...packages].join(' ')}`
  if (process.getuid?.() === 0) return `run: ${command}`
  // A bare Debian has no sudo; without the dash, su keeps a PATH that lacks what apt-get calls.
  return `run: ${isOnPath('sudo') ? `sudo sh -c '${command}'` : `su - -c '${command}'`}`
}

/** @param {readonly string[]} names */
export function listed(names) {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/**
 * Whether files can be created at that path, where folders may still be missing.
 *
 * @param {string} path
 * @returns {boolean}
 */
export function isWritable(path) {
  if (!existsSync(path)) return dirname(path) !== path && isWritable(dirname(path))
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Runs the npm that runs this script, in the project's folder. Where its cache can't be written, it
 * gets another one for this run.
 *
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [how]
 */
export function runNpm(args, how) {
  const { npm_execpath: npm, npm_node_execpath: node, npm_config_cache: usual } = process.env
  // There may be no other npm, and Debian's own runs on Debian's own Node only.
  const [program, ...before] = npm === undefined ? ['npm'] : [node ?? process.execPath, npm]
  const mayKeep = isWritable(usual ?? join(homedir(), '.npm'))
  const cache = mayKeep ? null : mkdtempSync(join(tmpdir(), 'belfry-npm-'))
  try {
    return spawnSync(program, [...before, ...args], {
      cwd: projectRoot,
      timeout: stepLimitMs,
      shell: process.platform === 'win32' && npm === undefined,
      ...how,
      encoding: 'utf8',
      env: { ...process.env, ...(cache === null ? {} : { npm_config_cache: cache }) },
    })
  } finally {
    if (cache !== null) rmSync(cache, { recursive: true, force: true })
  }
}

/**
 * Installs exactly what a folder's package-lock.json lists, without install scripts: none of the
 * packages needs one.
 *
 * @param {string} cwd
 * @param {'inherit' | 'ignore'} output
 */
export function installLocked(cwd, output) {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  return runNpm(args, { cwd, stdio: ['ignore', output, 'inherit'] }).status === 0
}

/**
 * Runs a step whose output nobody reads unless it fails: then the end of it is printed. All of it
 * is in the log, whose path is returned by `logFile`.
 *
 * @param {string} log a name
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean} whether it succeeded
 */
export function runQuietly(log, program, args, env) {
  mkdirSync(cacheFolder, { recursive: true })
  const output = openSync(logFile(log), 'w')
  const { status, error } = spawnSync(program, args, {
    cwd: projectRoot,
    env,
    stdio: ['ignore', output, output],
    timeout: stepLimitMs,
  })
  closeSync(output)
  if (status === 0) return true
  const lines = readFileSync(logFile(log), 'utf8').trimEnd().split('\n').slice(-20)
  process.stderr.write(`${[...lines, ...(error ? [error.message] : [])].join('\n')}\n`)
  return false
}

/** @param {string} log */
export function logFile(log) {
  return join(cacheFolder, log)
}

/**
 * Runs a program in this one's place: signals reach it, and its end is the end.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the exit code
 */
export function runInstead(program, args, env = process.env) {
  const child = spawn(program, args, { cwd: projectRoot, env, stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal))
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
