import { isRefused } from '../src/main/desktop/system/computer.ts'

/** What opens an app to a debugger, or gives it another page or program: only for `npm run dev`. */
const forDevelopers = [
  ...['ELECTRON_RENDERER_URL', 'ELECTRON_RUN_AS_NODE', 'ELECTRON_CLI_ARGS', 'ELECTRON_ENTRY'],
  ...['REMOTE_DEBUGGING_PORT', 'V8_INSPECTOR_PORT', 'V8_INSPECTOR_BRK_PORT', 'NODE_OPTIONS'],
]

/**
 * Removes what is only for developers from the environment, and from the returned arguments.
 *
 * @param {readonly string[]} given
 * @param {Record<string, string | undefined>} env
 */
export function leaveToUsers(given, env) {
  for (const name of forDevelopers) delete env[name]
  return given.filter((one) => !isRefused(one))
}

/**
 * What this machine can run the app on.
 *
 * @typedef {object} Machine
 * @property {NodeJS.Platform} platform
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {boolean} electron Electron's program is installed.
 * @property {boolean} chromium A Chromium that can show windows is installed.
 *
 * @typedef {{ on: 'electron' | 'standIn', notes: string[] }} Host
 * @typedef {{ on: 'nothing', reason: string }} NoHost
 */

const fix =
  'set ELECTRON_MIRROR to a reachable mirror of its releases, or run `node node_modules/electron/install.js` with network access'

/**
 * Returns why no window can open, or null. Called before anything is fetched or built.
 *
 * @param {Pick<Machine, 'platform' | 'env'>} machine
 * @returns {string | null}
 */
export function missingDisplay({ platform, env }) {
  if (platform !== 'linux') return null
  if ((env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '') return null
  return 'There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): run this in a desktop session, or under a virtual display with `xvfb-run npm start`.'
}

/**
 * Chooses Electron if its program is installed, else the system's Chromium through the stand-in,
 * which supports Linux desktops only.
 *
 * @param {Machine} machine
 * @returns {Host | NoHost}
 */
export function chooseHost({ platform, env, electron, chromium }) {
  if (electron) return { on: 'electron', notes: [] }
  if (platform !== 'linux' || !chromium) {
    const other =
      platform === 'linux' ? ', or install Chromium (Debian: `apt-get install chromium`)' : ''
    return {
      on: 'nothing',
      reason: `Electron's program could not be fetched, and there is no Chromium to stand in for it. To fix this, ${fix}${other}.`,
    }
  }
  const notes = [
    `Electron's program could not be fetched: running on this system's Chromium instead. To run on Electron, ${fix}.`,
  ]
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '') {
    notes.push(
      'There is no session bus, which the tray and notifications need: `dbus-run-session npm start` starts one.',
    )
  }
  return { on: 'standIn', notes }
}
