import { app, session, type WebContents } from 'electron'

/**
 * Shuts every way by which a page could become another page, open one, or ask the computer for
 * something: for all web contents there will ever be, not for one window at a time.
 */
export function guardPages(devServer: string | null): void {
  app.on('web-contents-created', (_event, contents) => guard(contents, devServer))
}

function guard(contents: WebContents, devServer: string | null): void {
  contents.on('will-navigate', (details) => {
    // The dev server reloads the whole page now and then.
    if (devServer !== null && details.url.startsWith(devServer)) return
    details.preventDefault()
  })
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame) details.preventDefault()
  })
  contents.on('will-redirect', (details) => details.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** No permission is ever needed: the clipboard is written by main, and nothing is downloaded. */
export function denyPermissions(): void {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  defaultSession.setPermissionCheckHandler(() => false)
  defaultSession.on('will-download', (event) => event.preventDefault())
}
