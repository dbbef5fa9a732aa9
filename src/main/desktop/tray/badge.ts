import { app, type BrowserWindow, nativeImage } from 'electron'
import type { SessionBus } from '../system/session-bus.ts'
import { createLauncherBadge } from './launcher-badge.ts'
import { png } from './png.ts'
import { trayImage } from './tray-image.ts'

/** The number of the tray icon on the dock, the task bar's button or the launcher's icon. */
export interface Badge {
  /** How many are down; 0 takes the number away. Nothing is done when nothing changed. */
  show(count: number): void
  /** Before the app ends: what is left on a launcher would stay there. */
  clear(): void
}

export function createBadge(parts: {
  readonly platform: NodeJS.Platform
  readonly window: () => BrowserWindow | null
  readonly openBus: () => Promise<SessionBus>
}): Badge {
  if (parts.platform === 'darwin') return changing((count) => void app.setBadgeCount(count))
  if (parts.platform === 'win32') return overlayBadge(parts.window)
  return createLauncherBadge(parts.openBus)
}

function changing(set: (count: number) => void): Badge {
  let shown = 0
  let cleared = false
  const show = (count: number): void => {
    if (cleared || shown === count) return
    shown = count
    set(count)
  }
  return {
    show,
    clear: () => {
      show(0)
      cleared = true
    },
  }
}

/** Windows draws a small picture over the button of a window, so a new window is given its own. */
function overlayBadge(window: () => BrowserWindow | null): Badge {
  let shown: { readonly window: BrowserWindow; readonly count: number } | null = null
  const show = (count: number): void => {
    const current = window()
    if (current === null) return
    if (shown?.window === current ? shown.count === count : count === 0) return
    shown = { window: current, count }
    current.setOverlayIcon(count === 0 ? null : overlay(count), count === 0 ? '' : `${count} down`)
  }
  return { show, clear: () => show(0) }
}

function overlay(count: number): Electron.NativeImage {
  const look = { shape: 'down', count, mark: 'none', hidden: false, quiet: false } as const
  const at = (size: number): Buffer => Buffer.from(png(trayImage(look, size, 'light')))
  const image = nativeImage.createFromBuffer(at(16), { scaleFactor: 1 })
  for (const scaleFactor of [1.25, 1.5, 2, 3])
    image.addRepresentation({ scaleFactor, buffer: at(16 * scaleFactor) })
  return image
}
