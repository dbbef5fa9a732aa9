import {
  app,
  BrowserWindow,
  nativeImage,
  nativeTheme,
  protocol,
  screen,
  session,
  Tray,
} from 'electron'
import { inWords, type Probe, type Probes, record } from './probe.ts'

function tried(run: Probe): unknown {
  try {
    return run() ?? null
  } catch (error) {
    return inWords(error)
  }
}

const tooEarly: Readonly<Record<string, Probe>> = {
  'isReady()': () => app.isReady(),
  'a window': () => new BrowserWindow({ show: false }).id,
  'an icon': () => new Tray(nativeImage.createFromBuffer(Buffer.alloc(0))).isDestroyed(),
  'a session': () => session.defaultSession.constructor.name,
  'a handler of a scheme': () => protocol.handle('early', () => new Response('')),
  'a display': () => screen.getPrimaryDisplay().scaleFactor,
  'the theme': () => typeof nativeTheme.shouldUseDarkColors,
  'getName()': () => app.getName(),
  getVersion: () => app.getVersion(),
  argv: () => process.argv.slice(1).filter((arg) => !arg.startsWith('--user-data')),
  'the windows': () => BrowserWindow.getAllWindows(),
  'what process says of Electron': () => [
    process.type,
    process.defaultApp,
    typeof process.versions.electron,
  ],
}

const early: Record<string, unknown> = {}
const events: string[] = []

/** Runs before the app is ready. */
export function lookEarly(): void {
  for (const [name, run] of Object.entries(tooEarly)) early[name] = tried(run)
  const names = ['will-finish-launching', 'ready', 'window-all-closed', 'before-quit']
  events.push(...record({ app }, names))
  app.once('ready', (...args: unknown[]) => events.push(`ready ${args.length}`))
  void app.whenReady().then(() => events.push(`whenReady ${app.isReady()}`))
}

export const lifeProbes: Probes = {
  ...Object.fromEntries(
    Object.keys(tooEarly).map((name) => [`before ready: ${name}`, () => early[name]]),
  ),
  'control: which host it is': () => process.versions['chromium-host'] !== undefined,
  'life: ready, then whenReady()': () => events,
  'life: whenReady() once more': () => app.whenReady(),
  'life: isPackaged': () => app.isPackaged,
  'life: getAppPath()': () => app.getAppPath().split('/').length > 1,
  'life: setName()': () => {
    const before = app.getName()
    app.setName('Another')
    const after = app.getName()
    app.setName(before)
    return [before, after]
  },
  'life: setPath()': () => {
    app.setPath('userData', app.getPath('userData'))
    return app.getPath('userData').length > 1
  },
  'life: setPath() with a relative path': () => app.setPath('userData', 'not/absolute'),
  'life: appData is where the environment says': () =>
    app.getPath('appData') === process.env['XDG_CONFIG_HOME'],
  'life: the only instance': () => app.requestSingleInstanceLock(),
  'life: the only instance, asked again': () => app.requestSingleInstanceLock(),
  'life: a switch of the command line': () => [
    app.commandLine.hasSwitch('own-switch'),
    app.commandLine.getSwitchValue('own-switch'),
  ],
  'life: a missing switch': () => [
    app.commandLine.hasSwitch('no-switch'),
    app.commandLine.getSwitchValue('no-switch'),
  ],
  'life: a switch appended, and removed': () => {
    app.commandLine.appendSwitch('late-switch', 'value')
    const value = app.commandLine.getSwitchValue('late-switch')
    app.commandLine.removeSwitch('late-switch')
    return [value, app.commandLine.hasSwitch('late-switch')]
  },
  'life: on() gives the app itself': () => app.on('activate', () => undefined) === app,
  'life: nobody listens for a signal': () =>
    ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name)),
  'life: nobody listens for what nobody caught': () =>
    ['uncaughtException', 'unhandledRejection'].map((name) => process.listenerCount(name)),
}
