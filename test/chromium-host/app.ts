import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { BrowserWindow, windowHooks } from './browser-window.ts'
import { hasSessionBus } from './bus.ts'
import { startChromium } from './chromium.ts'
import { emitNatively, emitPreventable } from './preventable.ts'
import { standIn } from './refuse.ts'
import { headed, running } from './running.ts'
import { createInstanceLock } from './single-instance.ts'
import { defaultSession, powerMonitor } from './surroundings.ts'

/** How long Chromium may take to exit; it exits with its pipe in any case. */
const closingMs = 2_000

/** Node's own, since Electron turns an app's `process.exit` into `app.exit`. */
const endProcess = process.exit.bind(process)

class App extends standIn('app') {
  readonly isPackaged = false
  readonly #ready = Promise.withResolvers<void>()
  readonly #paths = new Map<string, string>()
  readonly #lock = createInstanceLock(({ argv, cwd }) => {
    emitNatively(this, 'second-instance', {}, argv, cwd, null)
  })
  /** The arguments of each relaunch at the end of this process. */
  readonly #relaunches: string[][] = []
  #quitting = false
  #shut = false

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
    if (!isAbsolute(path)) throw new Error('Path must be absolute')
    this.#paths.set(name, path)
  }

  /** Every window of the stand-in is sandboxed. */
  enableSandbox(): void {}

  requestSingleInstanceLock(): boolean {
    return this.#lock.request(join(this.getPath('userData'), 'SingletonHost'))
  }

  relaunch({ args }: { readonly args: string[] }): void {
    this.#relaunches.push(args)
  }

  isReady(): boolean {
    return running.ready
  }

  whenReady(): Promise<void> {
    return this.#ready.promise
  }

  /**
   * Follows Electron's order and its ways out: a window that stays cancels the quit, and a quit
   * within 'before-quit' is a separate one.
   */
  quit(): void {
    if (!this.#quitting) this.#closeAll(emitPreventable(this, 'before-quit'))
  }

  /** A quit started by the system: promises settled by the listeners run before the rest. */
  async quitNatively(): Promise<void> {
    if (this.#quitting) return
    const quits = emitPreventable(this, 'before-quit')
    await new Promise((resolve) => process.nextTick(resolve))
    this.#closeAll(quits)
  }

  #closeAll(quits: boolean): void {
    this.#quitting = quits
    if (!quits || running.exiting) return
    const windows = BrowserWindow.getAllWindows()
    if (windows.length === 0) this.#shutDown()
    for (const window of windows) window.close()
  }

  #shutDown(): void {
    this.#quitting = emitPreventable(this, 'will-quit')
    if (this.#quitting) void this.#finish(0)
  }

  exit(code = 0): void {
    if (!running.ready) endProcess(code)
    running.exiting = true
    for (const window of BrowserWindow.getAllWindows()) window.destroy()
    void this.#finish(code)
  }

  async #finish(code: number): Promise<void> {
    if (this.#shut) return
    this.#shut = true
    running.exiting = true
    emitNatively(this, 'quit', {}, code)
    this.#lock.release()
    const { chromium } = running
    if (chromium !== undefined) {
      // Rejects if Chromium exits before it has answered.
      chromium.send('Browser.close').catch(() => undefined)
      const late = new Promise((resolve) => setTimeout(resolve, closingMs))
      await Promise.race([chromium.exited, late])
    }
    for (const args of this.#relaunches)
      spawn(join(import.meta.dirname, 'electron'), args, { detached: true, stdio: 'ignore' })
    // If the app isn't ready yet, it becomes ready first.
    if (running.ready) endProcess(code)
  }

  /**
   * Called after the app's main script, since Electron becomes ready after it. `openBrowser` is a
   * parameter because some checks start the app hundreds of times and look at no page.
   */
  async start(openBrowser: () => Promise<void> = () => this.#openChromium()): Promise<void> {
    windowHooks.created = (window) => {
      emitNatively(this, 'web-contents-created', {}, window.webContents)
      emitNatively(this, 'browser-window-created', {}, window)
    }
    windowHooks.stays = () => {
      this.#quitting = false
    }
    windowHooks.allClosed = () => {
      if (running.exiting) return
      if (this.#quitting) return this.#shutDown()
      // A real window closed by its user is gone, whatever a 'close' listener says. Without a
      // session bus there is no tray either, so nothing would be left to reach the app by.
      const unreachable = headed && !hasSessionBus()
      if (!emitNatively(this, 'window-all-closed') || unreachable) this.quit()
    }
    if (!this.#shut) await openBrowser()
    running.ready = true
    this.#ready.resolve()
    emitNatively(this, 'ready', {}, {})
    if (this.#shut) endProcess(0)
  }

  async #openChromium(): Promise<void> {
    const profile = join(this.getPath('userData'), 'Chromium')
    mkdirSync(profile, { recursive: true, mode: 0o700 })
    const chromium = await startChromium(profile)
    running.chromium = chromium
    defaultSession.watchDownloads()
    powerMonitor.listen()
    void chromium.exited.then(() => {
      if (running.exiting) return
      void this.quitNatively()
    })
  }
}

export const app = new App()
