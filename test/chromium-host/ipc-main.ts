import { standIn } from './refuse.ts'
import type { WebContents } from './web-contents.ts'

interface SenderFrame {
  readonly url: string
  readonly origin: string
  /** Only a window's main frame has a preload here. */
  readonly parent: null
}

export interface IpcEvent {
  readonly sender: WebContents
  readonly senderFrame: SenderFrame
}

type Handler = (event: IpcEvent, ...args: unknown[]) => unknown

class IpcMain extends standIn('ipcMain') {
  readonly #handlers = new Map<string, Handler>()

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`)
    }
    this.#handlers.set(channel, handler)
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel)
  }

  /** What a window's `invoke` gets; a failure carries Electron's own words. */
  async invoke(channel: string, event: IpcEvent, args: readonly unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel)
    try {
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`)
      return await Promise.resolve(handler(event, ...args))
    } catch (error) {
      if (handler !== undefined) console.error(`Error occurred in handler for '${channel}':`, error)
      throw new Error(`Error invoking remote method '${channel}': ${String(error)}`)
    }
  }
}

export const ipcMain = new IpcMain()
