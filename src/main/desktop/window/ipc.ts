import { type App, ipcMain, type Session } from 'electron'
import { channels } from '../../../shared/contract.ts'
import type { Result } from '../../../shared/core/failure.ts'
import { isOurSender } from './command-handler.ts'
import type { Windows } from './windows.ts'

/** The only place that listens to windows. */
export function listenToWindows(parts: {
  readonly windows: Pick<Windows, 'isOurs' | 'follow' | 'catchUp' | 'answered'>
  /** Address of our own page; every sender must be at its host. */
  readonly page: string
  readonly handler: (name: unknown, input: unknown) => Promise<Result<unknown>>
}): void {
  const { windows, page, handler } = parts
  const isOurs = (event: Electron.IpcMainEvent | Electron.IpcMainInvokeEvent): boolean =>
    isOurSender(event, (contents) => windows.isOurs(contents), page)

  ipcMain.handle(channels.command, async (event, name: unknown, input: unknown) => {
    if (isOurs(event)) {
      const result = await handler(name, input)
      // What the command changed is there before its result, even in a hidden window.
      windows.catchUp()
      return result
    }
    const failure = {
      kind: 'invalid',
      field: 'sender',
      message: 'This page is not allowed to send commands.',
    } as const
    return { ok: false, failure } satisfies Result<unknown>
  })
  ipcMain.on(channels.follow, (event) => {
    if (isOurs(event)) windows.follow()
  })
  ipcMain.on(channels.pong, (event) => {
    if (isOurs(event)) windows.answered()
  })
}

/**
 * Prevents pages from navigating, embedding another page or opening one. Applies to all web
 * contents ever created, not to one window at a time.
 */
export function guardPages(app: Pick<App, 'on'>, devServer: string | null): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (details) => {
      // The dev server reloads the whole page from time to time.
      if (devServer !== null && isAtHost(details.url, devServer)) return
      details.preventDefault()
    })
    contents.on('will-frame-navigate', (details) => {
      if (!details.isMainFrame) details.preventDefault()
    })
    contents.on('will-redirect', (details) => details.preventDefault())
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}

/** Compares origins, not prefixes: `http://localhost:5173.evil.example` would pass. */
function isAtHost(address: string, home: string): boolean {
  return URL.canParse(address) && new URL(address).origin === new URL(home).origin
}

/** No permission is ever needed: main writes the clipboard, and nothing is downloaded. */
export function denyPermissions(
  defaultSession: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'on'>,
): void {
  defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  defaultSession.setPermissionCheckHandler(() => false)
  defaultSession.on('will-download', (event) => event.preventDefault())
}
