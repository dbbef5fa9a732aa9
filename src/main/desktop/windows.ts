import { app, BrowserWindow, nativeTheme, screen } from 'electron'
import { channels } from '../../shared/contract.ts'
import type { Patch } from '../../shared/core/patch.ts'
import type { Saved } from '../ports.ts'
import { allowance } from './pace.ts'
import { fitted, readPlace, usualPlace, type WindowPlace, windowLimits } from './window-place.ts'

/** After the last of many moves. */
const placeSettledMs = 500
const reloads = { times: 3, spanMs: 60_000 } as const

export interface Windows {
  show(): void
  hide(): void
  /** The sender, if it is the page of a window of ours. */
  isOurs(contents: Electron.WebContents): boolean
  /** From now on the window gets patches; the first one is everything. */
  follow(): void
  push(patch: Patch): void
  /** For a dialog to stand in front of; null before the first one is made. */
  current(): BrowserWindow | null
  /** From now on closing closes. */
  letGo(): void
}

interface Parts {
  readonly preload: string
  readonly icon: string
  /** `app://main/index.html`, or the dev server's address. */
  readonly page: string
  readonly saved: Saved
  /** Whether there is a tray to hide into. */
  readonly hasTray: () => boolean
  readonly firstPatch: () => Patch
  readonly onVisible: (visible: boolean) => void
  readonly logBug: (where: string, error: unknown) => void
}

/** The app's one window: made when it is first needed, hidden and not closed after that. */
export function createWindows(parts: Parts): Windows {
  let window: BrowserWindow | null = null
  let following = false
  let leaving = false
  let broken = false
  const mayReload = allowance(reloads.times, reloads.spanMs, Date.now)

  const load = (target: BrowserWindow): void => {
    following = false
    target.loadURL(parts.page).catch((error: unknown) => parts.logBug('load the page', error))
  }

  const revive = (target: BrowserWindow): void => {
    following = false
    if (leaving || target.isDestroyed()) return
    // A page that dies as soon as it lives is left alone until the user asks for it again.
    if (mayReload()) load(target)
    else broken = true
  }

  const leave = (target: BrowserWindow): void => {
    if (parts.hasTray()) target.hide()
    else target.minimize()
  }

  const open = (): BrowserWindow => {
    const made = new BrowserWindow(windowOptions(parts))
    window = made
    broken = false
    made.on('page-title-updated', (event) => event.preventDefault())
    made.on('close', (event) => {
      if (leaving) return
      event.preventDefault()
      // Without a tray a hidden app could not be reached: the first closing minimises, and closing
      // the minimised window (from the task bar) ends the app.
      if (!parts.hasTray() && made.isMinimized()) app.quit()
      else leave(made)
    })
    made.on('closed', () => {
      window = null
      following = false
    })
    made.on('show', () => parts.onVisible(true))
    made.on('restore', () => parts.onVisible(true))
    made.on('hide', () => parts.onVisible(false))
    made.on('minimize', () => parts.onVisible(false))
    made.on('unresponsive', () => made.webContents.forcefullyCrashRenderer())
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') revive(made)
    })
    keepPlace(made, parts)
    load(made)
    return made
  }

  return {
    show: () => {
      if (broken) window?.destroy()
      const shown = window ?? open()
      if (shown.isMinimized()) shown.restore()
      shown.show()
      shown.focus()
    },
    hide: () => {
      if (window !== null) leave(window)
    },
    isOurs: (contents) => window !== null && contents === window.webContents,
    follow: () => {
      following = true
      window?.webContents.send(channels.patch, parts.firstPatch())
    },
    push: (patch) => {
      if (!following || window === null || window.isDestroyed()) return
      window.webContents.send(channels.patch, patch)
    },
    current: () => window,
    letGo: () => {
      leaving = true
    },
  }
}

function windowOptions(parts: Parts): Electron.BrowserWindowConstructorOptions {
  const place = fittedToScreen(readPlace(parts.saved.read('window')))
  return {
    show: false,
    title: 'Belfry',
    icon: parts.icon,
    width: place.width,
    height: place.height,
    ...(place.x === undefined || place.y === undefined ? {} : { x: place.x, y: place.y }),
    ...windowLimits,
    autoHideMenuBar: true,
    // Of the page's own colour, so that a slow first paint is not a white flash.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#16181d' : '#ffffff',
    webPreferences: {
      preload: parts.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      disableBlinkFeatures: 'Auxclick',
    },
  }
}

function fittedToScreen(place: WindowPlace): WindowPlace {
  const { width, height } = usualPlace
  const near = { x: place.x ?? 0, y: place.y ?? 0, width, height }
  return fitted(place, screen.getDisplayMatching(near).workArea)
}

function keepPlace(window: BrowserWindow, { saved, logBug }: Parts): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const keep = (): void => {
    if (window.isDestroyed() || window.isMinimized() || !window.isVisible()) return
    saved.write('window', window.getBounds()).catch((error: unknown) => {
      // Not worth a word to the user: the next window opens at the usual place.
      logBug('keep the window place', error)
    })
  }
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(keep, placeSettledMs)
  }
  window.on('resize', later)
  window.on('move', later)
  window.on('closed', () => clearTimeout(timer))
}
