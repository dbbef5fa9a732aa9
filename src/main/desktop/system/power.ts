import { app, powerMonitor } from 'electron'

/** Calls when the computer is there again: awake, or unlocked by its user. */
export function onWake(wake: () => void): void {
  powerMonitor.on('resume', wake)
  powerMonitor.on('unlock-screen', wake)
}

const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Quits, and so writes everything, when the computer asks for it: by a signal (a logout, a terminal that
 * closes, a service manager), or because the system is about to go down, which is then asked for the
 * moment that writing takes (Linux and macOS only).
 */
export function quitWhenAsked(): void {
  // Ours for as long as the app runs. Electron's own handlers end with the first listener for these
  // that anyone adds, and a package that electron-store brings along (when-exit) adds one to each: it
  // sends the signal again once it was called, which kills a process that no longer listens.
  for (const signal of endSignals) process.on(signal, () => app.quit())
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault()
    app.quit()
  })
}
