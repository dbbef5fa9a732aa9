import { app, powerMonitor } from 'electron'

/** Calls when the computer is there again: awake, or unlocked by its user. */
export function onWake(wake: () => void): void {
  powerMonitor.on('resume', wake)
  powerMonitor.on('unlock-screen', wake)
}

/** Asks the system that is about to go down for the moment that writing takes. Linux and macOS only. */
export function quitOnShutdown(): void {
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault()
    app.quit()
  })
}
