import { channels } from '../../src/shared/contract.ts'
import type { Result } from '../../src/shared/core/failure.ts'
import type { Patch } from '../../src/shared/core/patch.ts'
import type { IpcEvent } from '../chromium-host/ipc-main.ts'
import { ipcMain } from '../chromium-host/ipc-main.ts'
import { standIn } from '../chromium-host/refuse.ts'
import { running } from '../chromium-host/running.ts'
import { tellParent } from './channel.ts'

/**
 * In place of `chromium-host/browser-window.ts` (see `host.ts`), with what is imported from there.
 * The app that is killed opens no second page, so nothing listens for one.
 */
export const windowHooks: { created: unknown; allClosed: unknown } = {
  created: null,
  allClosed: null,
}
export const webContents = {}

/** What a page would send along; the app looks at the sender and at its address. */
let page: IpcEvent | null = null

/** The page of a window that nobody sees: what is pushed to it goes to the harness. */
class Contents extends standIn('webContents') {
  send(channel: string, patch: Patch): void {
    if (channel === channels.patch) tellParent({ kind: 'patch', patch })
    // Asked whether it still runs; like a page, it answers a little later.
    else if (channel === channels.ping) setImmediate(() => ipcMain.emit(channels.pong, page))
  }

  forcefullyCrashRenderer(): void {}
}

/** A window without a browser: a start costs a process of Node and no more. */
export class BrowserWindow extends standIn('BrowserWindow') {
  readonly webContents = new Contents()
  #visible = false

  /** Nothing to close before the app ends. */
  static getAllWindows(): readonly { close(): boolean }[] {
    return []
  }

  async loadURL(url: string): Promise<void> {
    const { origin } = new URL(url)
    // The app compares the sender with its own window's contents, whatever their class.
    const sender = this.webContents as unknown as IpcEvent['sender']
    page = { sender, senderFrame: { url, origin, parent: null } }
    // As the page's script does once it is there.
    ipcMain.emit(channels.follow, page)
    this.emit('ready-to-show')
  }

  show(): void {
    if (this.#visible) return
    this.#visible = true
    this.emit('show')
  }

  focus(): void {}
  isMinimized(): boolean {
    return false
  }
  isVisible(): boolean {
    return this.#visible
  }
  isDestroyed(): boolean {
    return running.exiting
  }
  isMaximized(): boolean {
    return false
  }
  getNormalBounds() {
    return { x: 0, y: 0, width: 800, height: 600 }
  }
}

/** Asks the app as its page would. Throws before there is a page. */
export async function askApp(name: string, input: unknown): Promise<Result<unknown>> {
  if (page === null) throw new Error('kill: the app has no window yet')
  // The door behind this channel answers with nothing else.
  return (await ipcMain.invoke(channels.command, page, [name, input])) as Result<unknown>
}
