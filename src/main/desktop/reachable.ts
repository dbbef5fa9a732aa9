import type { Saved } from '../ports.ts'
import type { TrayHost } from './tray/tray-host.ts'

/** Which hints were given on this computer: each is given once. */
const document = 'hints'
const hint = 'no-tray'
const words =
  'This desktop shows no tray icon, so Belfry stays in the task bar: closing its window minimises it. ' +
  'On GNOME the extension “AppIndicator and KStatusNotifierItem Support” shows the icon.'

/**
 * Never running and out of reach: a tray that goes away hands over to the window, and where there is
 * none from the start the user is told once how to get one.
 */
export function keepReachable(parts: {
  readonly host: TrayHost
  readonly saved: Pick<Saved, 'read' | 'write'>
  /** Shows the window if it is hidden. */
  readonly present: () => void
  readonly trouble: (id: string, text: string) => void
  readonly dismiss: (id: string) => void
  readonly logBug: (where: string, error: unknown) => void
}): void {
  let had = false
  let hinted = false
  parts.host.onChange((there) => {
    if (there) {
      had = true
      if (hinted) parts.dismiss(hint)
      hinted = false
      return
    }
    // Whoever had a tray knows what one is.
    if (had) return parts.present()
    if (wasGiven(parts.saved.read(document))) return
    hinted = true
    parts.trouble(hint, words)
    parts.saved.write(document, [hint]).catch((error: unknown) => {
      // It is given once more at the next start.
      parts.logBug('keep a hint', error)
    })
  })
}

function wasGiven(given: unknown): boolean {
  return Array.isArray(given) && given.includes(hint)
}
