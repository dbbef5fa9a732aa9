/**
 * Prepares a fresh checkout so that the npm scripts work. Plain JavaScript without dependencies: it
 * also runs on the old Node that a machine may have.
 *
 *   node scripts/setup.mjs             the packages of package-lock.json and a Node that is new enough
 *   node scripts/setup.mjs browser     also what the tests need
 *   node scripts/setup.mjs electron    also what the tests on a real Electron need
 *   node scripts/setup.mjs package     also what the test of the package needs
 *   node scripts/setup.mjs installed   npm's postinstall: records that the packages match the lockfile
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  howToInstall,
  installDebian,
  installLocked,
  isOnPath,
  listed,
  mayInstall,
  scriptEnv,
  stepLimitMs,
} from './machine.mjs'
import { findChromium, projectRoot } from './programs.mjs'

/** Required by electron-store and undici. */
const oldestNode = { major: 22, minor: 19 }

/** npm and this script run on it; the project's own Node does the rest. */
const oldestMachineNode = 20

/**
 * Chromium for windows, its headless shell for tests without a display, a bus with notify-send,
 * openssl for the tests' certificates, and a wide and a narrow font for the tests of the layout.
 */
const debianPackages = [
  'chromium',
  'chromium-headless-shell',
  'dbus',
  'fontconfig',
  'fonts-dejavu-core',
  'fonts-urw-base35',
  'libnotify-bin',
  'openssl',
  'strace',
]

/**
 * For screens with a window manager and a Wayland compositor, and for unpacking Electron. The
 * libraries that it needs came with Chromium.
 */
const electronPackages = ['openbox', 'unzip', 'util-linux', 'weston', 'xvfb']

/** Validators for the package, and tools that see and act as a user does on an X screen. */
const packagePackages = [
  'appstream',
  'desktop-file-utils',
  'lintian',
  'x11-apps',
  'x11-utils',
  'xdotool',
]

const modules = join(projectRoot, 'node_modules')
const stamp = join(modules, '.setup')

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) {
  const wanted = process.argv[2]
  if (wanted === 'installed') writeStamp()
  else prepare(wanted)
}

/**
 * Ends the process, with what to do about it, if something is missing that it can't install.
 *
 * @param {string} [wanted] as on the command line
 */
export function prepare(wanted) {
  if (Number.parseInt(process.versions.node, 10) < oldestMachineNode)
    fail(
      `Node ${process.versions.node} is too old: install Node ${oldestMachineNode} or newer from https://nodejs.org and run this again`,
    )
  installPackages()
  linkOwnNode()
  checkNode()
  if (wanted === 'browser' || wanted === 'electron' || wanted === 'package') installBrowser()
  if (wanted === 'electron' || wanted === 'package')
    installPrograms(['Xvfb', 'openbox', 'unzip', 'setpriv', 'weston'], electronPackages)
  if (wanted === 'package')
    installPrograms(
      ['appstreamcli', 'desktop-file-validate', 'lintian', 'xdotool', 'xprop', 'xwd'],
      packagePackages,
    )
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(projectRoot, 'package-lock.json')))
    .digest('hex')
}

function writeStamp() {
  mkdirSync(modules, { recursive: true })
  writeFileSync(stamp, lockHash())
}

function installPackages() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash()) return
  say('installing the packages of package-lock.json')
  if (!installLocked(projectRoot, 'inherit'))
    fail('the packages could not be installed: see the lines above')
  writeStamp()
}

/**
 * Puts the project's own Node where npm scripts find it. npm 9 does not: it links no programs of
 * optional packages.
 */
function linkOwnNode() {
  const link = join(modules, '.bin', 'node')
  if (process.platform === 'win32' || existsSync(link)) return
  const own = join('..', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  // One that does not run here must not hide the machine's.
  if (askVersion(join(modules, '.bin', own)).status === 0) symlinkSync(own, link)
}

/** @param {string} node */
function askVersion(node) {
  return spawnSync(node, ['-p', 'process.versions.node'], { env: scriptEnv, encoding: 'utf8' })
}

/**
 * Checks the Node that npm scripts use: npm puts node_modules/.bin first in PATH, which on most
 * systems has the project's own Node.
 */
function checkNode() {
  const { stdout, stderr, status, error } = askVersion('node')
  if (status !== 0) {
    // The one from npm needs glibc, and a system as new as its own.
    const why = error?.message ?? (stderr.trim().split('\n')[0] || `exit code ${status}`)
    fail(
      `the Node that npm scripts use does not run here (${why}): install Node 24 from https://nodejs.org, delete node_modules/.bin/node if it is there, and run this again`,
    )
  }
  const version = stdout.trim()
  if (isNewEnough(version)) return
  fail(`Node ${version} is too old: install Node 24 from https://nodejs.org and run this again`)
}

/**
 * Whether the app's scripts run on this version of Node.
 *
 * @param {string} version
 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldestNode.major || (major === oldestNode.major && minor >= oldestNode.minor)
}

function installBrowser() {
  // The full browser works too, but is slower and puts a frame around each window.
  const better = mayInstall() && findChromium('headless')?.endsWith('/chromium') === true
  if (missingForTests().length === 0 && !better) return
  if (mayInstall()) installForTests(debianPackages)
  // It alone: who has to install other programs installs the system's Chromium with them.
  if (listed(missingForTests()) === 'Chromium' && process.env['BELFRY_INSTALL'] !== '0') {
    say("installing Playwright's Chromium for the tests")
    run('node', [join(modules, 'playwright', 'cli.js'), 'install', 'chromium'], scriptEnv)
  }
  failWithout(missingForTests(), debianPackages)
}

/**
 * @param {readonly string[]} programs
 * @param {readonly string[]} packages
 */
function installPrograms(programs, packages) {
  const missing = () => programs.filter((program) => !isOnPath(program))
  if (missing().length > 0 && mayInstall()) installForTests(packages)
  failWithout(missing(), packages)
}

/** @param {readonly string[]} packages */
function installForTests(packages) {
  say(
    `installing ${listed(packages)} for the tests with apt-get; BELFRY_INSTALL=0 prevents that and prints the command`,
  )
  installDebian(packages)
}

/**
 * @param {readonly string[]} missing
 * @param {readonly string[]} packages
 */
function failWithout(missing, packages) {
  if (missing.length > 0) fail(`the tests need ${listed(missing)}; ${howToInstall(packages)}`)
}

function missingForTests() {
  const chromium = findChromium('headless') ?? playwrightChromium()
  const missing = chromium === undefined ? ['Chromium'] : []
  const programs =
    process.platform === 'linux'
      ? ['dbus-daemon', 'fc-list', 'notify-send', 'openssl', 'strace']
      : []
  return [...missing, ...programs.filter((program) => !isOnPath(program)), ...missingFonts()]
}

function missingFonts() {
  if (process.platform !== 'linux' || !isOnPath('fc-list')) return []
  const { stdout } = spawnSync('fc-list', [':', 'family'], { encoding: 'utf8' })
  return ['DejaVu Sans', 'Nimbus Sans Narrow'].filter((font) => !stdout.includes(font))
}

/** @returns {string | undefined} */
function playwrightChromium() {
  const script = "process.stdout.write(require('playwright').chromium.executablePath())"
  const { stdout } = spawnSync('node', ['-e', script], {
    cwd: projectRoot,
    env: scriptEnv,
    encoding: 'utf8',
  })
  return stdout !== '' && existsSync(stdout) ? stdout : undefined
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} environment
 * @returns {boolean}
 */
function run(command, args, environment) {
  const { status, error } = spawnSync(command, args, {
    cwd: projectRoot,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: stepLimitMs,
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (error !== undefined) say(`${command}: ${error.message}`)
  return status === 0
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`setup: ${text}\n`)
}

/**
 * @param {string} text
 * @returns {never}
 */
function fail(text) {
  say(text)
  process.exit(1)
}
