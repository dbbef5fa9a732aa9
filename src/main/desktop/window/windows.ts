import { availableParallelism, loadavg } from 'node:os'
import { app, BrowserWindow, nativeTheme, screen } from 'electron'
import { channels } from '../../../shared/contract.ts'
import type { Patch } from '../../../shared/core/patch.ts'
import type { Saved } from '../../base/ports.ts'
import { createPatchStream } from './patch-stream.ts'
import {
  createCrashRecovery,
  createWatchdog,
  fitted,
  keepForMinutes,
  readPlace,
  type WindowPlace,
  windowLimits,
} from './window-lifecycle.ts'

/** Delay after the last of many moves before the position is saved. */
const placeSettledMs = 500

/** A page normally loads well within this; a window whose page does not is shown without it. */
const loadMs = 3_000

/**
 * Time from a loaded page to its first frame, after which the window is shown in any case: a window
 * that a Wayland compositor hides draws none.
 */
const firstFrameMs = 100

/** A click on the panel takes the focus at most this long before the click event arrives. */
const clickMs = 500

interface Parts {
  readonly preload: string
  readonly icon: string
  /** `app://main/index.html`, or the dev server's address. */
  readonly page: string
  /** Replaces a page that keeps crashing; null where there is none to serve. */
  readonly safePage: string | null
  readonly saved: Saved
  /** Called before a window is created: sets up what its page is loaded from. */
  readonly serve: () => void
  /** Whether there is a tray to hide into. */
  readonly hasTray: () => boolean
  readonly firstPatch: () => Patch
  readonly onVisible: (visible: boolean) => void
  readonly onCrash: () => void
  /** The user closed the window, and the app goes on in the tray. */
  readonly onClosedToTray: () => void
  /** The window has input that exists only in its page. */
  readonly holdsInput: () => boolean
  readonly logBug: (where: string, error: unknown) => void
}

export type Windows = ReturnType<typeof createWindows>

/** The app's one window: created when needed, then hidden instead of closed, and kept for some minutes. */
export function createWindows(parts: Parts) {
  let window: BrowserWindow | null = null
  let following = false
  let leaving = false
  /** Shows a new window even if it has drawn nothing; null once it is shown. */
  let undrawn: NodeJS.Timeout | null = null
  /** When another window, or the panel, took the focus. */
  let blurredAt = Number.NEGATIVE_INFINITY
  /** 1 is 100 %. */
  let zoom = 1
  /**
   * Tracked from its events and our requests: on Wayland it cannot be queried, and window managers
   * report it late.
   */
  let minimised = false
  const monotonic = (): number => performance.now()
  const crashRecovery = createCrashRecovery({ hasSafePage: parts.safePage !== null, monotonic })
  const watchdog = createWatchdog({
    ask: () => {
      if (window?.isVisible() === true) window.webContents.send(channels.ping)
      else watchdog.answered()
    },
    onHung: () => {
      // With the dev server, a page that stands still may be stopped in a debugger.
      if (parts.safePage === null) return
      parts.logBug('window', new Error('the page hangs'))
      window?.webContents.forcefullyCrashRenderer()
    },
    monotonic,
    load: () => (loadavg()[0] ?? 0) / availableParallelism(),
  })

  const kept = keepForMinutes({
    // Without a tray, the window is the only way to reach the app.
    mayGo: () => parts.hasTray() && !parts.holdsInput(),
    letGo: () => window?.destroy(),
  })

  const patches = createPatchStream({
    send: (part, isLast) => {
      if (window?.isDestroyed() === false) window.webContents.send(channels.patch, part, isLast)
    },
    onLarge: watchdog.busy,
  })

  const unfollow = (): void => {
    following = false
    patches.clear()
    watchdog.stop()
  }

  const load = (target: BrowserWindow, address: string): void => {
    unfollow()
    target.loadURL(address).catch((error: unknown) => parts.logBug('load the page', error))
  }

  const revive = (target: BrowserWindow): void => {
    unfollow()
    if (leaving || target.isDestroyed()) return
    parts.onCrash()
    const next = crashRecovery.crashed()
    if (next === 'page') load(target, parts.page)
    else if (next === 'safePage') load(target, parts.safePage ?? parts.page)
  }

  const begin = (target: BrowserWindow): void => {
    crashRecovery.begin()
    load(target, parts.page)
  }

  const sank = (): void => {
    minimised = true
    parts.onVisible(false)
  }
  const surfaced = (): void => {
    if (minimised) parts.onVisible(true)
    minimised = false
  }
  const leave = (target: BrowserWindow): void => {
    if (parts.hasTray()) {
      target.hide()
    } else {
      target.minimize()
      sank()
    }
  }

  const drawn = (): void => {
    if (undrawn !== null) clearTimeout(undrawn)
    undrawn = null
  }
  const present = (target: BrowserWindow): void => {
    drawn()
    if (minimised) target.restore()
    target.show()
    target.focus()
  }

  const open = (): BrowserWindow => {
    parts.serve()
    // Spelled out here, where readers and the security scanner look for it.
    const made = new BrowserWindow({
      ...windowOptions(parts),
      webPreferences: {
        preload: parts.preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        disableBlinkFeatures: 'Auxclick',
      },
    })
    window = made
    made.webContents.on('did-finish-load', () => made.webContents.setZoomFactor(zoom))
    const presentWithin = (ms: number): void => {
      drawn()
      undrawn = setTimeout(() => present(made), ms)
    }
    presentWithin(loadMs)
    made.webContents.once('did-finish-load', () => {
      if (undrawn !== null) presentWithin(firstFrameMs)
    })
    made.once('ready-to-show', () => {
      if (undrawn !== null) present(made)
    })
    made.on('page-title-updated', (event) => event.preventDefault())
    made.on('close', (event) => {
      if (leaving) return
      event.preventDefault()
      // Without a tray a hidden app could not be reached: closing first minimises, and closing the
      // minimised window (from the taskbar) quits.
      if (!parts.hasTray() && minimised) app.quit()
      else {
        if (parts.hasTray()) parts.onClosedToTray()
        leave(made)
      }
    })
    made.on('closed', () => {
      window = null
      minimised = false
      drawn()
      kept.shown()
      unfollow()
    })
    // Not before the first `show`, because maximising shows the window.
    if (readPlace(parts.saved.read('window')).maximised === true)
      made.once('show', () => made.maximize())
    made.on('show', () => {
      minimised = false
      kept.shown()
      watchdog.shown()
      parts.onVisible(true)
    })
    made.on('restore', surfaced)
    // The only event that a Wayland compositor sends when a window is back.
    made.on('focus', surfaced)
    made.on('hide', () => {
      kept.hidden()
      watchdog.hidden()
      parts.onVisible(false)
    })
    made.on('minimize', sank)
    made.on('blur', () => {
      blurredAt = performance.now()
    })
    made.on('unresponsive', () => made.webContents.forcefullyCrashRenderer())
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') revive(made)
    })
    // `guardPages` blocks this navigation too; the link on the safe page stands for our page.
    made.webContents.on('will-navigate', ({ url }) => {
      if (crashRecovery.shows() === 'safePage' && url === parts.page) begin(made)
    })
    keepPlace(made, parts)
    begin(made)
    return made
  }

  return {
    show: () => {
      if (crashRecovery.shows() === 'nothing') window?.destroy()
      const shown = window ?? open()
      if (crashRecovery.shows() === 'safePage') begin(shown)
      if (undrawn === null) present(shown)
    },
    hide: () => {
      drawn()
      if (window !== null) leave(window)
    },
    /** Whether the user looks at the window, or did until the click that is being handled. */
    isInFront: () =>
      window?.isVisible() === true &&
      !minimised &&
      (window.isFocused() || performance.now() - blurredAt < clickMs),
    setZoom: (percent: number) => {
      zoom = percent / 100
      if (window?.isDestroyed() === false) window.webContents.setZoomFactor(zoom)
    },
    /** Whether the sender is the page of one of our windows. */
    isOurs: (contents: Electron.WebContents) => window !== null && contents === window.webContents,
    /** From now on the window gets patches; the first one is the whole state. */
    follow: () => {
      // The preload of the safe page calls this too, but that page shows nothing of the state.
      if (crashRecovery.shows() !== 'page') return
      following = true
      watchdog.start()
      patches.clear()
      patches.push(parts.firstPatch())
    },
    push: (patch: Patch) => {
      if (!following || window === null || window.isDestroyed()) return
      patches.push(patch)
    },
    /** The page answered a heartbeat. */
    answered: watchdog.answered,
    /** The window to put a dialog in front of; null before the first one exists. */
    current: () => window,
    /** From now on, closing the window really closes it. */
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
    // In the page's own colour, so that a slow first paint is not a white flash.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#16181d' : '#ffffff',
  }
}

function fittedToScreen(place: WindowPlace): WindowPlace {
  const near = { ...place, x: place.x ?? 0, y: place.y ?? 0 }
  return fitted(place, screen.getDisplayMatching(near).workArea)
}

function keepPlace(window: BrowserWindow, { saved, logBug }: Parts): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (): void => {
    if (window.isDestroyed() || window.isMinimized() || !window.isVisible()) return
    // Read now: the window may be hidden or gone when this is written.
    const place = { ...window.getNormalBounds(), maximised: window.isMaximized() }
    const keep = (): void => {
      saved.write('window', place).catch((error: unknown) => {
        // Not worth telling the user: the next window opens at the default position.
        logBug('keep the window place', error)
      })
    }
    clearTimeout(timer)
    timer = setTimeout(keep, placeSettledMs)
  }
  window.on('resize', later)
  window.on('move', later)
}
