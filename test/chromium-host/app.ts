import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { BrowserWindow, windowHooks } from './browser-window.ts'
import { hasSessionBus } from './bus.ts'
import { startChromium } from './chromium.ts'
import { emitPreventable } from './preventable.ts'
import { standIn } from './refuse.ts'
import { headed, running } from './running.ts'
import { createInstanceLock } from './single-instance.ts'
import { session } from './surroundings.ts'

/** How long Chromium gets to end by itself; it ends with its pipe in any case. */
const closingMs = 2_000

class App extends standIn('app') {
  readonly isPackaged = false
  readonly #ready = Promise.withResolvers<void>()
  readonly #paths = new Map<string, string>()
  readonly #lock = createInstanceLock(({ argv, cwd }) => {
    this.emit('second-instance', {}, argv, cwd, null)
  })
  #quitting = false

  /** Playwright reads it. */
  readonly commandLine = {
    appendSwitch: (name: string, value = '') => void running.switches.set(name, value),
    hasSwitch: (name: string) => running.switches.has(name),
    removeSwitch: (name: string) => void running.switches.delete(name),
    getSwitchValue: (name: string) => running.switches.get(name) ?? '',
  }

  getName(): string {
    return running.name
  }

  setName(name: string): void {
    running.name = name
  }

  getVersion(): string {
    return running.version
  }

  getAppPath(): string {
    return running.appPath
  }

  getPath(name: string): string {
    const set = this.#paths.get(name)
    if (set !== undefined) return set
    if (name === 'appData') return process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
    if (name === 'userData') return join(this.getPath('appData'), running.name)
    throw new Error(`chromium host: app.getPath('${name}') is not stood in for`)
  }

  setPath(name: string, path: string): void {
    this.#paths.set(name, path)
  }

  /** Every window of the stand-in is sandboxed. */
  enableSandbox(): void {}

  requestSingleInstanceLock(): boolean {
    return this.#lock.request(join(this.getPath('userData'), 'SingletonHost'))
  }

  isReady(): boolean {
    return running.ready
  }

  whenReady(): Promise<void> {
    return this.#ready.promise
  }

  quit(): void {
    void this.#quit()
  }

  exit(code = 0): void {
    void this.#finish(code)
  }

  async #quit(): Promise<void> {
    if (this.#quitting || running.exiting) return
    this.#quitting = true
    const closed =
      emitPreventable(this, 'before-quit') &&
      BrowserWindow.getAllWindows().every((window) => window.close())
    if (closed && emitPreventable(this, 'will-quit')) await this.#finish(0)
    this.#quitting = false
  }

  async #finish(code: number): Promise<void> {
    if (running.exiting) return
    running.exiting = true
    this.emit('quit', {}, code)
    this.#lock.release()
    const { chromium } = running
    if (chromium !== undefined) {
      // Rejects when Chromium ends before it has answered.
      chromium.send('Browser.close').catch(() => undefined)
      const late = new Promise((resolve) => setTimeout(resolve, closingMs))
      await Promise.race([chromium.exited, late])
    }
    process.exit(code)
  }

  /**
   * Called once the app's main script has run, as Electron becomes ready after it. What shows its
   * pages is an argument, since some checks start the app hundreds of times and look at none.
   */
  async start(openBrowser: () => Promise<void> = () => this.#openChromium()): Promise<void> {
    windowHooks.created = (window) => {
      this.emit('web-contents-created', {}, window.webContents)
      this.emit('browser-window-created', {}, window)
    }
    windowHooks.allClosed = () => {
      if (this.#quitting || running.exiting) return
      // A real window that its user closes is gone, whatever a 'close' listener says; without a
      // session bus there is no tray either, and nothing left to reach the app by.
      const unreachable = headed && !hasSessionBus()
      if (!this.emit('window-all-closed') || unreachable) this.quit()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => this.quit())
    }
    await openBrowser()
    running.ready = true
    this.#ready.resolve()
    this.emit('ready', {}, {})
  }

  async #openChromium(): Promise<void> {
    const profile = join(this.getPath('userData'), 'Chromium')
    mkdirSync(profile, { recursive: true, mode: 0o700 })
    const chromium = await startChromium(profile)
    running.chromium = chromium
    session.defaultSession.watchDownloads()
    void chromium.exited.then(() => {
      if (running.exiting) return
      console.error('[chromium host] Chromium ended')
      this.exit(1)
    })
  }
}

export const app = new App()
