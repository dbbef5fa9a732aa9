import { channels } from '../../src/shared/contract.ts'
import type { Result } from '../../src/shared/core/failure.ts'
import type { Patch } from '../../src/shared/core/patch.ts'
import type { IpcEvent } from '../chromium-host/ipc-main.ts'
import { ipcMain } from '../chromium-host/ipc-main.ts'
import { standIn } from '../chromium-host/refuse.ts'
import { running } from '../chromium-host/running.ts'
import { tellParent } from './channel.ts'

/**
 * Replaces `chromium-host/browser-window.ts` (see `host.ts`), with the exports that are imported
 * from it. The killed app opens no second page, so nothing listens for one.
 */
export const windowHooks: { created: unknown; allClosed: unknown } = {
  created: null,
  allClosed: null,
}
export const webContents = {}

/** The event that accompanies a page's calls; the app checks the sender and its address. */
let page: IpcEvent | null = null

/** The page of an invisible window: what is pushed to it goes to the harness. */
class Contents extends standIn('webContents') {
  send(channel: string, patch: Patch): void {
    if (channel === channels.patch) tellParent({ kind: 'patch', patch })
    // Like a page, answers asynchronously when asked whether it is still running.
    else if (channel === channels.ping) setImmediate(() => ipcMain.emit(channels.pong, page))
  }

  forcefullyCrashRenderer(): void {}
}

/** A window without a browser, so that a start costs only a Node process. */
export class BrowserWindow extends standIn('BrowserWindow') {
  readonly webContents = new Contents()
  #visible = false

  /** Nothing has to be closed before the app ends. */
  static getAllWindows(): readonly { close(): boolean }[] {
    return []
  }

  async loadURL(url: string): Promise<void> {
    const { origin } = new URL(url)
    // The app compares the sender with its own window's contents, whatever their class.
    const sender = this.webContents as unknown as IpcEvent['sender']
    page = { sender, senderFrame: { url, origin, parent: null } }
    // Like the page's script once it has loaded.
    ipcMain.emit(channels.follow, page)
    this.emit('ready-to-show')
    // And once it has drawn what it got, for which main waits with its first requests.
    const place = { view: 'checks' } as const
    setImmediate(() => void askApp('showing', { view: 'checks', place, holdsInput: false }))
  }

  show(): void {
    if (this.#visible) return
    this.#visible = true
    this.emit('show')
  }

  hide(): void {
    if (!this.#visible) return
    this.#visible = false
    this.emit('hide')
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

/** Calls a command of the app like its page. Throws before there is a page. */
export async function askApp(name: string, input: unknown): Promise<Result<unknown>> {
  if (page === null) throw new Error('kill: the app has no window yet')
  // The handler of this channel always returns a `Result`.
  return (await ipcMain.invoke(channels.command, page, [name, input])) as Result<unknown>
}
