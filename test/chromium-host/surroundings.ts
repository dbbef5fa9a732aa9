import { spawn } from 'node:child_process'
import { webContents } from './browser-window.ts'
import { hasSystemBus, openBus } from './bus.ts'
import { askInWindow, type MessageBox } from './message-box.ts'
import { emitNatively, emitPreventable } from './preventable.ts'
import { standIn, standInObject } from './refuse.ts'
import { chromium, running } from './running.ts'

/** Opens addresses in the user's browser or mail program. */
export const shell = standInObject('shell', {
  openExternal: (address: string): Promise<void> => {
    const url = URL.canParse(address) ? new URL(address).href : ''
    const program = url.startsWith('mailto:') ? 'xdg-email' : 'xdg-open'
    spawn(program, [url], { stdio: 'ignore', detached: true }).on('error', () => {
      console.error(`[chromium host] no ${program} here; not opened: ${url}`)
    })
    return Promise.resolve()
  },
})

/**
 * There is no file dialog: nothing is ever chosen, unless a spec replaces these functions.
 * Questions are asked in a window of their own.
 */
export const dialog = standInObject('dialog', {
  showSaveDialog: (..._given: unknown[]) => Promise.resolve({ canceled: true, filePath: '' }),
  showOpenDialog: (..._given: unknown[]) =>
    Promise.resolve<{ canceled: boolean; filePaths: string[] }>({ canceled: true, filePaths: [] }),
  showMessageBox: async (...given: unknown[]) => ({
    response: await askInWindow(given.at(-1) as MessageBox),
    checkboxChecked: false,
  }),
})

/** The headless shell has no keyboard, so specs call the registered functions. */
const shortcuts = new Map<string, () => void>()

export const globalShortcut = standInObject('globalShortcut', {
  register: (keys: string, act: () => void): boolean => {
    if (shortcuts.has(keys)) return false
    shortcuts.set(keys, act)
    return true
  },
  isRegistered: (keys: string): boolean => shortcuts.has(keys),
  unregisterAll: (): void => shortcuts.clear(),
})

let copied = ''

export const clipboard = standInObject('clipboard', {
  readText: () => copied,
  writeText: async (text: string) => {
    copied = text
  },
})

/** The size of the headless shell's screen. */
const display = {
  id: 1,
  bounds: { x: 0, y: 0, width: 1280, height: 800 },
  workArea: { x: 0, y: 0, width: 1280, height: 800 },
  scaleFactor: 1,
}

export const screen = new (class Screen extends standIn('screen') {
  /** Specs change its scale and emit 'display-metrics-changed'. */
  getPrimaryDisplay(): typeof display {
    if (!running.ready)
      throw new Error("The 'screen' module can't be used before the app 'ready' event")
    return display
  }

  getDisplayMatching(): typeof display {
    return this.getPrimaryDisplay()
  }
})()

const logind = ['/org/freedesktop/login1', 'org.freedesktop.login1.Manager'] as const

/**
 * Emits what logind signals. Specs also emit, as in `app.evaluate(({ powerMonitor }) =>
 * powerMonitor.emit('resume'))`.
 */
export const powerMonitor = new (class PowerMonitor extends standIn('powerMonitor') {
  listen(): void {
    if (!hasSystemBus()) return
    const bus = openBus('system')
    bus.onSignal(...logind, 'PrepareForSleep', ([sleeps]) => {
      emitNatively(this, sleeps === true ? 'suspend' : 'resume')
    })
    bus.onSignal(...logind, 'PrepareForShutdown', ([begins]) => {
      if (begins === true) emitPreventable(this, 'shutdown')
    })
  }
})()

export const nativeTheme = new (class NativeTheme extends standIn('nativeTheme') {
  get themeSource(): string {
    return running.theme
  }

  set themeSource(source: string) {
    if (source !== 'system' && source !== 'light' && source !== 'dark')
      throw new TypeError(`Error processing argument at index 0, conversion failure from ${source}`)
    const before = this.shouldUseDarkColors
    running.theme = source
    if (this.shouldUseDarkColors === before) return
    for (const contents of webContents.getAllWebContents()) contents.showTheme()
    emitNatively(this, 'updated')
  }

  /** The headless shell's own theme is light. */
  get shouldUseDarkColors(): boolean {
    return running.theme === 'dark'
  }
})()

/** Chromium's permissions that a page can query, in DevTools' spelling. */
const permissions = [
  ...['geolocation', 'notifications', 'midi', 'camera', 'microphone', 'clipboard-read'],
  ...['background-sync', 'accelerometer', 'gyroscope', 'magnetometer', 'persistent-storage'],
  ...['local-fonts', 'window-management', 'screen-wake-lock', 'idle-detection'],
]

type CheckPermission = (contents: null, permission: string, origin: string) => boolean

/** Sets permissions to what the app's check handler says; downloads never happen here. */
class DefaultSession extends standIn('session') {
  /** No proxy, since the stand-in's app only connects to this computer. */
  resolveProxy(_url: string): Promise<string> {
    return Promise.resolve('DIRECT')
  }

  setPermissionRequestHandler(_handler: unknown): void {}

  setPermissionCheckHandler(handler: CheckPermission): void {
    // Some checks start the app without a browser.
    if (running.chromium === undefined) return
    for (const name of permissions) {
      const setting = handler(null, name, '') ? 'granted' : 'denied'
      chromium()
        .send('Browser.setPermission', { permission: { name }, setting })
        .catch((error: unknown) => console.error('[chromium host]', name, error))
    }
  }

  /** Emits an event for each download, and refuses it in any case. */
  watchDownloads(): void {
    const refuse = { behavior: 'deny', eventsEnabled: true }
    chromium()
      .send('Browser.setDownloadBehavior', refuse)
      .catch((error: unknown) => console.error('[chromium host]', error))
    chromium().on('Browser.downloadWillBegin', ({ url }) => {
      const prevented = !emitPreventable(this, 'will-download')
      this.downloads.push({ url, prevented })
    })
  }

  /** The downloads that pages tried, for specs. */
  readonly downloads: { url: string; prevented: boolean }[] = []
}

export const defaultSession = new DefaultSession()

export const session = standInObject('session', {
  get defaultSession() {
    if (!running.ready) throw new TypeError('Session can only be received when app is ready')
    return defaultSession
  },
})
