import { isRefused } from '../src/main/desktop/system/computer.ts'

/** What opens an app to a debugger, or gives it another page or program: for `npm run dev` alone. */
const forDevelopers = [
  ...['ELECTRON_RENDERER_URL', 'ELECTRON_RUN_AS_NODE', 'ELECTRON_CLI_ARGS', 'ELECTRON_ENTRY'],
  ...['REMOTE_DEBUGGING_PORT', 'V8_INSPECTOR_PORT', 'V8_INSPECTOR_BRK_PORT', 'NODE_OPTIONS'],
]

/**
 * Takes what is for developers out of the environment; returns the arguments without it.
 *
 * @param {readonly string[]} given
 * @param {Record<string, string | undefined>} env
 */
export function leaveToUsers(given, env) {
  for (const name of forDevelopers) delete env[name]
  return given.filter((one) => !isRefused(one))
}

/**
 * What the app can run on here.
 *
 * @typedef {object} Machine
 * @property {NodeJS.Platform} platform
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {boolean} electron Electron's program is there.
 * @property {boolean} chromium There is a Chromium that can show windows.
 *
 * @typedef {{ on: 'electron' | 'standIn', notes: string[] }} Host
 * @typedef {{ on: 'nothing', reason: string }} NoHost
 */

const fix =
  'set ELECTRON_MIRROR to a mirror of its releases that can be reached, or run `npx install-electron` with a network'

/**
 * Why no window can open, or null. Asked before anything is fetched or built.
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
 * Electron where its program is; else the system's Chromium through the stand-in, which speaks Linux
 * desktops only.
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
      reason: `Electron's program could not be fetched, and there is no Chromium to stand in for it. To mend it, ${fix}${other}.`,
    }
  }
  const notes = [
    `Electron's program could not be fetched: running on this system's Chromium instead. To run on Electron, ${fix}.`,
  ]
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '') {
    notes.push(
      'There is no session bus, which tray and notifications need: `dbus-run-session npm start` gives one.',
    )
  }
  return { on: 'standIn', notes }
}
