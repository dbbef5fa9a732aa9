import { powerMonitor } from 'electron'

/** Calls when the computer is there again: awake, or unlocked by its user. */
export function onWake(wake: () => void): void {
  powerMonitor.on('resume', wake)
  powerMonitor.on('unlock-screen', wake)
}
