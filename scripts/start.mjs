/**
 * Runs the app: `node scripts/start.mjs <preview | dev> [the app's own arguments]`.
 *
 * Runs on Electron, whose program is fetched if missing; if that fails, runs the same build on the
 * system's Chromium.
 */
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { chooseHost, leaveToUsers, missingDisplay } from './choose-host.mjs'
import { findChromium, findElectron, projectRoot, standIn } from './programs.mjs'

/** A refusal takes less than a second; this is for networks that drop packets. */
const fetchLimitMs = 5 * 60_000

const [mode = 'preview', ...given] = process.argv.slice(2)
const { env, platform } = process
const appArguments = mode === 'dev' ? given : leaveToUsers(given, env)
const chosenByHand = (env['ELECTRON_EXEC_PATH'] ?? '') !== ''

const noDisplay = missingDisplay({ platform, env })
if (noDisplay !== null) fail(noDisplay)
if (!chosenByHand) prepareHost()
run()

/** Sets the variables that tell electron-vite which program to start. */
function prepareHost() {
  if (findElectron() === undefined) fetchElectron()
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

function fetchElectron() {
  say("fetching Electron's program")
  const script = join(projectRoot, 'node_modules', 'electron', 'install.js')
  // On failure it only prints "fetch failed" and a stack.
  spawnSync(process.execPath, [script], { stdio: 'ignore', timeout: fetchLimitMs })
}

function run() {
  const script = join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  // Without --watch, changes to main and preload would not be noticed.
  const command = mode === 'dev' ? ['dev', '--watch'] : [mode]
  const args = [process.execPath, script, ...command, '--', ...appArguments]
  // The app's memory contains keys, which a crash must not write to disk.
  const [program = '', ...rest] =
    platform === 'win32' ? args : ['sh', '-c', 'ulimit -c 0; exec "$@"', 'belfry', ...args]
  const child = spawn(program, rest, { cwd: projectRoot, stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('exit', (code) => process.exit(code ?? 1))
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
