/**
 * Runs the app, on the project's own Node: see start.mjs.
 *
 * Runs on Electron, whose program is fetched if missing; if that fails, runs the same build on the
 * system's Chromium. Fetches and builds nothing twice.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from './build.mjs'
import {
  chooseHost,
  hasDisplay,
  leaveToUsers,
  missingParts,
  takePictureOption,
} from './choose-host.mjs'
import {
  cacheFolder,
  howToInstall,
  installDebian,
  isOnPath,
  isWritable,
  listed,
  mayInstall,
  runInstead,
} from './machine.mjs'
import { findChromium, findElectron, projectRoot, standIn } from './programs.mjs'
import { startVirtualDesktop } from './virtual-desktop.mjs'

/** A refusal takes less than a second; this is for networks that drop packets. */
const fetchLimitMs = 5 * 60_000

const { env, platform } = process
const [mode = 'preview', ...given] = process.argv.slice(2)
const isPreview = mode !== 'dev'
const { picture, rest } = isPreview ? takePictureOption(given) : { picture: undefined, rest: given }
if (picture === '') fail('--picture needs the name of a file')
const chosenByHand = (env['ELECTRON_EXEC_PATH'] ?? '') !== ''
const chosen = isPreview ? leaveToUsers(rest, env) : rest

if (!chosenByHand && findElectron() === undefined) fetchElectron()
installMissing()
if (!chosenByHand) prepareHost()
const desktop = hasDisplay({ platform, env }) ? undefined : await showNowhere()
if (isPreview && !build()) fail('it could not be built: see the lines above')
const folder = temporaryFolder(chosen)
const appArguments = folder === undefined ? chosen : [...chosen, `--user-data=${folder}`]
process.exitCode = await (picture === undefined ? run() : runForPicture(resolveFrom(picture)))
if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
desktop?.end()

/** Not tried again where it was refused, unless something about it has changed. */
function fetchElectron() {
  const script = join(projectRoot, 'node_modules', 'electron', 'install.js')
  const refused = join(cacheFolder, 'electron-refused')
  const about = readFileSync(join(projectRoot, 'node_modules', 'electron', 'package.json'))
  const matters = Object.entries(env).filter(([name]) => /electron|proxy/i.test(name))
  const attempt = createHash('sha256').update(about).update(JSON.stringify(matters)).digest('hex')
  if (existsSync(refused) && readFileSync(refused, 'utf8') === attempt) return
  say("fetching Electron's program")
  const { XDG_CACHE_HOME: own = '' } = env
  const keeps = isWritable(own === '' ? join(homedir(), '.cache') : own)
  // On failure it only prints "fetch failed" and a stack.
  spawnSync(process.execPath, [script], {
    env: keeps ? env : { ...env, electron_config_cache: join(cacheFolder, 'electron') },
    stdio: 'ignore',
    timeout: fetchLimitMs,
  })
  if (findElectron() !== undefined) return
  mkdirSync(cacheFolder, { recursive: true })
  writeFileSync(refused, attempt)
}

/** What this machine lacks to show the app is installed by root on a Debian, and else named. */
function installMissing() {
  const missing = () =>
    missingParts({
      ...{ platform, env, isOnPath },
      electron: chosenByHand || findElectron() !== undefined,
      libraries: chosenByHand || hasLibraries(findElectron()),
      chromium: findChromium('headed') !== undefined,
    })
  const first = missing()
  if (first.length === 0) return
  const packages = first.map((part) => part.package)
  const why = listed(Array.from(new Set(first.flatMap((part) => part.why))))
  if (mayInstall()) {
    say(`${why}: installing ${listed(packages)} with apt-get (BELFRY_INSTALL=0 prevents that)`)
    installDebian(packages)
  }
  if (missing().length > 0) fail(`${why}: ${howToInstall(packages)}`)
}

/**
 * Whether Linux finds the libraries that Electron's program is linked with.
 *
 * @param {string | undefined} program
 */
function hasLibraries(program) {
  if (platform !== 'linux' || program === undefined) return true
  return !/not found/.test(spawnSync('ldd', [program], { encoding: 'utf8' }).stdout ?? '')
}

/** Sets the variables that tell which program to start. */
function prepareHost() {
  const electron = findElectron() !== undefined
  const chromium = findChromium('headed') !== undefined
  const host = chooseHost({ platform, env, electron, chromium })
  if (host.on === 'nothing') {
    fail(host.reason)
  } else if (host.on === 'standIn') {
    env['ELECTRON_EXEC_PATH'] = standIn
    env['BELFRY_HOST_HEADED'] = '1'
    for (const note of host.notes) say(note)
  } else if (platform === 'linux' && process.getuid?.() === 0) {
    // Chromium's sandbox refuses to run as root.
    env['NO_SANDBOX'] = '1'
  }
}

async function showNowhere() {
  const virtual = await startVirtualDesktop(env)
  Object.assign(env, virtual.env)
  const hint = picture === undefined ? '; `--picture FILE` saves what its window shows' : ''
  say(`there is no display: running on a virtual one (Xvfb)${hint}`)
  return virtual
}

/**
 * Where nothing can be stored at home, a folder for this run.
 *
 * @param {readonly string[]} args
 */
function temporaryFolder(args) {
  if (platform !== 'linux' || args.some((one) => one.startsWith('--user-data='))) return undefined
  const { XDG_CONFIG_HOME: own = '' } = env
  const home = own === '' ? join(homedir(), '.config') : own
  if (isWritable(join(home, 'Belfry'))) return undefined
  say(`${home} can't be written: what you enter is forgotten when Belfry quits`)
  return mkdtempSync(join(tmpdir(), 'belfry-data-'))
}

/** @param {readonly string[]} [before] what precedes the app on the command line */
function run(before = []) {
  const viteArguments = [
    join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'),
    // Without --watch, changes to main and preload would not be noticed.
    ...['dev', '--watch', '--', ...appArguments],
  ]
  const app = env['ELECTRON_EXEC_PATH'] || (findElectron() ?? '')
  const sandbox = env['NO_SANDBOX'] === '1' ? ['--no-sandbox'] : []
  const args = isPreview
    ? [app, ...before, '.', ...appArguments, ...sandbox]
    : [process.execPath, ...viteArguments]
  // The app's memory contains keys, which a crash must not write to disk.
  const [program = '', ...rest] =
    platform === 'win32' ? args : ['sh', '-c', 'ulimit -c 0; exec "$@"', 'belfry', ...args]
  return runInstead(program, rest)
}

/** @param {string} file */
async function runForPicture(file) {
  rmSync(file, { force: true })
  env['BELFRY_PICTURE'] = file
  const code = await run(['-r', join(projectRoot, 'scripts', 'picture.cjs')])
  if (existsSync(file)) say(`saved ${file}`)
  else if (code === 0)
    fail('no picture was taken: it ended too early; another Belfry may be running')
  return code
}

/** npm changes to the project's folder first. @param {string} file */
function resolveFrom(file) {
  return resolve(env['INIT_CWD'] ?? process.cwd(), file)
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`belfry: ${text}\n`)
}

/**
 * @param {string} text
 * @returns {never}
 */
function fail(text) {
  say(text)
  process.exit(1)
}
