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
import { delimiter, join } from 'node:path'
import { findChromium, projectRoot } from './programs.mjs'

/** Limits each step: one that takes longer is on a network that drops packets. */
const stepLimitMs = 15 * 60_000

/** Required by electron-store and undici. */
const oldestNode = { major: 22, minor: 19 }

/**
 * Chromium for windows, its headless shell for tests without a display, a bus with notify-send, and
 * openssl for the tests' certificates.
 */
const debianPackages = [
  'chromium',
  'chromium-headless-shell',
  'dbus',
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

const aptInstall = ['install', '-q', '-y', '--no-install-recommends']

const modules = join(projectRoot, 'node_modules')
const stamp = join(modules, '.setup')
const searchPath = `${join(modules, '.bin')}${delimiter}${process.env['PATH'] ?? ''}`
const env = { ...process.env, PATH: searchPath }
const wanted = process.argv[2]

if (wanted === 'installed') {
  writeStamp()
} else {
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
  // None of our packages needs an install script.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env['npm_execpath']
  // Uses the npm and the Node that run this script: there may be no others.
  const ran =
    npm === undefined
      ? run('npm', args, process.env)
      : run(process.execPath, [npm, ...args], process.env)
  if (!ran) fail('the packages could not be installed: see the lines above')
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
  return spawnSync(node, ['-p', 'process.versions.node'], { env, encoding: 'utf8' })
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
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldestNode.major || (major === oldestNode.major && minor >= oldestNode.minor)) return
  fail(`Node ${version} is too old: install Node 24 from https://nodejs.org and run this again`)
}

function installBrowser() {
  // The full browser works too, but is slower and puts a frame around each window.
  const better = mayInstall() && findChromium('headless')?.endsWith('/chromium') === true
  if (missingForTests().length === 0 && !better) return
  if (mayInstall()) installDebian(debianPackages)
  if (missingForTests().includes('Chromium') && process.env['BELFRY_INSTALL'] !== '0') {
    say("installing Playwright's Chromium for the tests")
    run('node', [join(modules, 'playwright', 'cli.js'), 'install', 'chromium'], env)
  }
  failWithout(missingForTests(), debianPackages)
}

/**
 * @param {readonly string[]} programs
 * @param {readonly string[]} packages
 */
function installPrograms(programs, packages) {
  const missing = () => programs.filter((program) => !isOnPath(program))
  if (missing().length > 0 && mayInstall()) installDebian(packages)
  failWithout(missing(), packages)
}

/** @param {readonly string[]} packages */
function installDebian(packages) {
  say(
    `installing ${packages.join(', ')} for the tests with apt-get; BELFRY_INSTALL=0 prevents that and prints the command`,
  )
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive' }
  const patience = ['-o', 'Acquire::http::Timeout=60', '-o', 'DPkg::Lock::Timeout=300']
  run('apt-get', ['update', '-q', ...patience], quiet)
  run('apt-get', [...aptInstall, ...patience, ...packages], quiet)
}

/**
 * @param {readonly string[]} missing
 * @param {readonly string[]} packages
 */
function failWithout(missing, packages) {
  if (missing.length === 0) return
  const command = ['apt-get', ...aptInstall, ...packages].join(' ')
  fail(`the tests need ${missing.join(' and ')}; on Debian: apt-get update && ${command}`)
}

function mayInstall() {
  return process.env['BELFRY_INSTALL'] !== '0' && isDebian() && process.getuid?.() === 0
}

function missingForTests() {
  const chromium = findChromium('headless') ?? playwrightChromium()
  const missing = chromium === undefined ? ['Chromium'] : []
  const programs =
    process.platform === 'linux' ? ['dbus-daemon', 'notify-send', 'openssl', 'strace'] : []
  return [...missing, ...programs.filter((program) => !isOnPath(program))]
}

/** @returns {string | undefined} */
function playwrightChromium() {
  const script = "process.stdout.write(require('playwright').chromium.executablePath())"
  const { stdout } = spawnSync('node', ['-e', script], { cwd: projectRoot, env, encoding: 'utf8' })
  return stdout !== '' && existsSync(stdout) ? stdout : undefined
}

/** Only Debian itself: its derivatives lack some of the packages. */
function isDebian() {
  return (
    existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
  )
}

/** @param {string} program */
function isOnPath(program) {
  return searchPath.split(delimiter).some((folder) => existsSync(join(folder, program)))
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
