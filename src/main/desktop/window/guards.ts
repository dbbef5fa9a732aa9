import type { App, Session } from 'electron'

/**
 * Closes every way by which a page could become another page, open one, or ask the computer for
 * something: for all web contents that are ever created, not for one window at a time.
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

/** Not by prefix: `http://localhost:5173.evil.example` has the same one. */
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
