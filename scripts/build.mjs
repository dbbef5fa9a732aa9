/**
 * Builds the app into `out`, unless it holds the build of just these sources: `node
 * scripts/build.mjs [--verbose]`. `--verbose` shows what the build says, which otherwise goes to a
 * log.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cacheFolder, logFile, runQuietly } from './machine.mjs'
import { projectRoot } from './programs.mjs'

/** What a build is made from. The lockfile stands for the packages. */
const sources = [
  'electron.vite.config.ts',
  'package-lock.json',
  'package.json',
  'resources',
  'src',
  'tsconfig.json',
]

const stamp = join(cacheFolder, 'built')

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url)
  process.exitCode = build(process.argv.includes('--verbose')) ? 0 : 1

/**
 * @param {boolean} [verbose]
 * @returns {boolean} whether `out` holds the current build
 */
export function build(verbose = false) {
  if (isBuilt()) {
    if (verbose) say('nothing has changed since the last build')
    return true
  }
  rmSync(stamp, { force: true })
  const before = hashOf(sources)
  if (!verbose) say(`building; the details are in ${logFile('build.log')}`)
  if (!run(verbose)) return false
  mkdirSync(cacheFolder, { recursive: true })
  writeFileSync(stamp, `${before} ${hashOf(['out'])}`)
  return true
}

/** Also whether it still is what was built: `npm run dev` builds into the same folder. */
function isBuilt() {
  return (
    existsSync(stamp) && readFileSync(stamp, 'utf8') === `${hashOf(sources)} ${hashOf(['out'])}`
  )
}

/** @param {boolean} verbose */
function run(verbose) {
  const script = join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const args = [script, 'build']
  if (!verbose) return runQuietly('build.log', process.execPath, args, process.env)
  return spawnSync(process.execPath, args, { cwd: projectRoot, stdio: 'inherit' }).status === 0
}

/** @param {readonly string[]} places relative to the project */
function hashOf(places) {
  const hash = createHash('sha256')
  for (const place of places.flatMap(filesIn))
    hash.update(`${place}\0`).update(createHash('sha256').update(readFileSync(place)).digest())
  return hash.digest('hex')
}

/**
 * @param {string} place
 * @returns {string[]}
 */
function filesIn(place) {
  const path = join(projectRoot, place)
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`belfry: ${text}\n`)
}
