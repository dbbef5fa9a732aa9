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
 * Takes `--picture FILE` or `--picture=FILE` from the app's arguments; '' if the file is missing.
 *
 * @param {readonly string[]} given
 * @returns {{ picture: string | undefined, rest: string[] }}
 */
export function takePictureOption(given) {
  const at = given.findIndex((one) => /^--picture(=|$)/.test(one))
  if (at === -1) return { picture: undefined, rest: [...given] }
  const [option = '', next = ''] = given.slice(at)
  const isApart = option === '--picture'
  const picture = isApart ? next : option.slice('--picture='.length)
  return { picture, rest: given.toSpliced(at, isApart ? 2 : 1) }
}

/**
 * Whether a window can be seen.
 *
 * @param {Pick<Machine, 'platform' | 'env'>} machine
 */
export function hasDisplay({ platform, env }) {
  return platform !== 'linux' || isSet(env['DISPLAY']) || isSet(env['WAYLAND_DISPLAY'])
}

/**
 * What a Linux machine lacks to show the app: Debian's package for it, and the reasons.
 *
 * @param {Machine & { libraries: boolean, isOnPath: (program: string) => boolean }} machine
 *   `libraries`: those that Electron's program needs are installed, or it is missing itself
 * @returns {{ package: string, why: string[] }[]}
 */
export function missingParts({ platform, env, electron, libraries, chromium, isOnPath }) {
  if (platform !== 'linux') return []
  const browser = electron ? !libraries : !chromium
  const why = electron
    ? ["Electron's program needs libraries, which come with Chromium"]
    : ["Electron's program could not be fetched", 'Chromium is not installed']
  const lacksBus = !isSet(env['DBUS_SESSION_BUS_ADDRESS']) && !isOnPath('dbus-daemon')
  const noDisplay = ['there is no display']
  return [
    ...(browser ? [{ package: 'chromium', why }] : []),
    ...(hasDisplay({ platform, env })
      ? []
      : [
          ...(isOnPath('Xvfb') ? [] : [{ package: 'xvfb', why: noDisplay }]),
          ...(lacksBus ? [{ package: 'dbus', why: noDisplay }] : []),
        ]),
  ]
}

/** @param {string | undefined} variable */
function isSet(variable) {
  return (variable ?? '') !== ''
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
  if (platform !== 'linux' || !chromium)
    return {
      on: 'nothing',
      reason: `Electron's program could not be fetched. To fix this, ${fix}.`,
    }
  const notes = [
    `Electron's program could not be fetched: running on this system's Chromium instead. To run on Electron, ${fix}.`,
  ]
  // A virtual display gets a session bus with it.
  if (hasDisplay({ platform, env }) && !isSet(env['DBUS_SESSION_BUS_ADDRESS'])) {
    notes.push(
      'There is no session bus, which the tray and notifications need: `dbus-run-session npm start` starts one.',
    )
  }
  return { on: 'standIn', notes }
}
