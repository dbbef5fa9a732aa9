import { standIn } from './refuse.ts'
import type { WebContents } from './web-contents.ts'

interface SenderFrame {
  readonly url: string
  readonly origin: string
  /** Here, only a window's main frame has a preload. */
  readonly parent: null
}

export interface IpcEvent {
  readonly sender: WebContents
  readonly senderFrame: SenderFrame
}

type Handler = (event: IpcEvent, ...args: unknown[]) => unknown

class IpcMain extends standIn('ipcMain') {
  /** Named as in Electron, since specs use it. */
  readonly _invokeHandlers = new Map<string, Handler>()

  handle(channel: string, handler: Handler): void {
    if (this._invokeHandlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`)
    }
    this._invokeHandlers.set(channel, handler)
  }

  removeHandler(channel: string): void {
    this._invokeHandlers.delete(channel)
  }

  /** Returns the `packed` result for a window's `invoke`; a failure has Electron's own message. */
  async invoke(
    channel: string,
    event: IpcEvent,
    args: readonly unknown[],
    packed: (answer: unknown) => unknown = (answer) => answer,
  ): Promise<unknown> {
    const handler = this._invokeHandlers.get(channel)
    try {
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`)
      return packed(await Promise.resolve(handler(event, ...args)))
    } catch (error) {
      if (handler !== undefined) console.error(`Error occurred in handler for '${channel}':`, error)
      throw new Error(`Error invoking remote method '${channel}': ${String(error)}`)
    }
  }
}

export const ipcMain = new IpcMain()
