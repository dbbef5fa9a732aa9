import { availableParallelism, loadavg } from 'node:os'
import { app, BrowserWindow, nativeTheme, screen } from 'electron'
import { channels } from '../../../shared/contract.ts'
import { type Patch, patchBetween } from '../../../shared/core/patch.ts'
import type { AppState } from '../../../shared/core/state.ts'
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
  readonly state: () => AppState
  readonly onVisible: (visible: boolean) => void
  readonly onCrash: () => void
  /** The user closed the window, and the app goes on in the tray. */
  readonly onClosedToTray: () => void
  /** The window has input that exists only in its page. */
  readonly holdsInput: () => boolean
  readonly logBug: (where: string, error: unknown) => void
}

function monotonic(): number {
  return performance.now()
}

/** The app's one window: created when needed, then hidden instead of closed, and kept for some minutes. */
export class Windows {
  readonly #parts: Parts
  #window: BrowserWindow | null = null
  #following = false
  #hidden = false
  /**
   * The state that a hidden window's page has: patches would only wake it, so it gets one of all
   * changes later. Null: it gets each. A minimised window gets each too, as on Wayland it may come
   * back without any event.
   */
  #left: AppState | null = null
  #leaving = false
  /** Shows a new window even if it has drawn nothing; null once it is shown. */
  #undrawn: NodeJS.Timeout | null = null
  /** When another window, or the panel, took the focus. */
  #blurredAt = Number.NEGATIVE_INFINITY
  /** 1 is 100 %. */
  #zoom = 1
  /**
   * Tracked from its events and our requests: on Wayland it cannot be queried, and window managers
   * report it late.
   */
  #minimised = false
  readonly #crashRecovery: ReturnType<typeof createCrashRecovery>
  readonly #watchdog: ReturnType<typeof createWatchdog>
  readonly #kept: ReturnType<typeof keepForMinutes>
  readonly #patches: ReturnType<typeof createPatchStream>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#crashRecovery = createCrashRecovery({
      hasSafePage: parts.safePage !== null,
      monotonic,
    })
    this.#watchdog = createWatchdog({
      ask: () => {
        if (this.#window?.isVisible() === true) this.#window.webContents.send(channels.ping)
        else this.#watchdog.answered()
      },
      onHung: () => {
        // With the dev server, a page that stands still may be stopped in a debugger.
        if (parts.safePage === null) return
        parts.logBug('window', new Error('the page hangs'))
        this.#window?.webContents.forcefullyCrashRenderer()
      },
      monotonic,
      load: () => (loadavg()[0] ?? 0) / availableParallelism(),
    })
    this.#kept = keepForMinutes({
      // Without a tray, the window is the only way to reach the app.
      mayGo: () => parts.hasTray() && !parts.holdsInput(),
      letGo: () => this.#window?.destroy(),
    })
    this.#patches = createPatchStream({
      send: (part, isLast) => {
        if (this.#window?.isDestroyed() === false)
          this.#window.webContents.send(channels.patch, part, isLast)
      },
      onLarge: () => this.#watchdog.busy(),
    })
  }

  show(): void {
    if (this.#crashRecovery.shows() === 'nothing') this.#window?.destroy()
    const shown = this.#window ?? this.#open()
    if (this.#crashRecovery.shows() === 'safePage') this.#begin(shown)
    if (this.#undrawn === null) this.#present(shown)
  }

  hide(): void {
    this.#drawn()
    if (this.#window !== null) this.#leave(this.#window)
  }

  /** Whether the user looks at the window, or did until the click that is being handled. */
  isInFront() {
    return (
      this.#window?.isVisible() === true &&
      !this.#minimised &&
      (this.#window.isFocused() || performance.now() - this.#blurredAt < clickMs)
    )
  }

  setZoom(percent: number) {
    this.#zoom = percent / 100
    if (this.#window?.isDestroyed() === false) this.#window.webContents.setZoomFactor(this.#zoom)
  }

  /** Whether the sender is the page of one of our windows. */
  isOurs(contents: Electron.WebContents) {
    return this.#window !== null && contents === this.#window.webContents
  }

  /** From now on the window gets patches; the first one is the whole state. */
  follow() {
    // The preload of the safe page calls this too, but that page shows nothing of the state.
    if (this.#crashRecovery.shows() !== 'page') return
    this.#following = true
    this.#watchdog.start()
    this.#patches.clear()
    this.#patches.push(this.#parts.firstPatch())
    if (this.#hidden) this.#left = this.#parts.state()
  }

  push(patch: Patch): void {
    if (this.#left === null) this.#send(patch)
    // Whatever events came: what is on the screen must be true.
    else if (this.#window?.isVisible() === true) this.#sendEach()
  }

  /** Sends what a hidden window has not been sent yet, as one patch. */
  catchUp(): void {
    if (this.#left === null) return
    const before = this.#left
    this.#left = this.#parts.state()
    const patch = patchBetween(before, this.#left)
    if (patch.length > 0) this.#send(patch)
  }

  /** The window to put a dialog in front of; null before the first one exists. */
  readonly current = (): BrowserWindow | null => this.#window

  /** The page answered a heartbeat. */
  answered(): void {
    this.#watchdog.answered()
  }

  /** From now on, closing the window really closes it. */
  letGo() {
    this.#leaving = true
  }

  readonly #sank = (): void => {
    this.#minimised = true
    this.#parts.onVisible(false)
  }

  readonly #surfaced = (): void => {
    if (this.#minimised) this.#parts.onVisible(true)
    this.#minimised = false
  }

  #holdBack(): void {
    this.#hidden = true
    if (this.#following) this.#left ??= this.#parts.state()
  }

  #sendEach(): void {
    this.#hidden = false
    this.catchUp()
    this.#left = null
  }

  #send(patch: Patch): void {
    if (!this.#following || this.#window === null || this.#window.isDestroyed()) return
    this.#patches.push(patch)
  }

  #unfollow(): void {
    this.#following = false
    this.#left = null
    this.#patches.clear()
    this.#watchdog.stop()
  }

  #load(target: BrowserWindow, address: string): void {
    this.#unfollow()
    target.loadURL(address).catch((error: unknown) => this.#parts.logBug('load the page', error))
  }

  #revive(target: BrowserWindow): void {
    this.#unfollow()
    if (this.#leaving || target.isDestroyed()) return
    this.#parts.onCrash()
    const next = this.#crashRecovery.crashed()
    if (next === 'page') this.#load(target, this.#parts.page)
    else if (next === 'safePage') this.#load(target, this.#parts.safePage ?? this.#parts.page)
  }

  #begin(target: BrowserWindow): void {
    this.#crashRecovery.begin()
    this.#load(target, this.#parts.page)
  }

  #leave(target: BrowserWindow): void {
    if (this.#parts.hasTray()) {
      target.hide()
    } else {
      target.minimize()
      this.#sank()
    }
  }

  #drawn(): void {
    if (this.#undrawn !== null) clearTimeout(this.#undrawn)
    this.#undrawn = null
  }

  #present(target: BrowserWindow): void {
    this.#drawn()
    // Before it is shown, so that its first frame is not of the past.
    this.#sendEach()
    if (this.#minimised) target.restore()
    target.show()
    target.focus()
  }

  #open(): BrowserWindow {
    const parts = this.#parts
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
    this.#window = made
    made.webContents.on('did-finish-load', () => made.webContents.setZoomFactor(this.#zoom))
    const presentWithin = (ms: number): void => {
      this.#drawn()
      this.#undrawn = setTimeout(() => this.#present(made), ms)
    }
    presentWithin(loadMs)
    made.webContents.once('did-finish-load', () => {
      if (this.#undrawn !== null) presentWithin(firstFrameMs)
    })
    made.once('ready-to-show', () => {
      if (this.#undrawn !== null) this.#present(made)
    })
    made.on('page-title-updated', (event) => event.preventDefault())
    made.on('close', (event) => {
      if (this.#leaving) return
      event.preventDefault()
      // Without a tray a hidden app could not be reached: closing first minimises, and closing the
      // minimised window (from the taskbar) quits.
      if (!this.#parts.hasTray() && this.#minimised) app.quit()
      else {
        if (this.#parts.hasTray()) this.#parts.onClosedToTray()
        this.#leave(made)
      }
    })
    made.on('closed', () => {
      this.#window = null
      this.#minimised = false
      this.#hidden = false
      this.#drawn()
      this.#kept.shown()
      this.#unfollow()
    })
    // Not before the first `show`, because maximising shows the window.
    if (readPlace(this.#parts.saved.read('window')).maximised === true)
      made.once('show', () => made.maximize())
    made.on('show', () => {
      this.#minimised = false
      this.#kept.shown()
      this.#watchdog.shown()
      this.#sendEach()
      this.#parts.onVisible(true)
    })
    made.on('restore', this.#surfaced)
    // The only event that a Wayland compositor sends when a window is back.
    made.on('focus', this.#surfaced)
    made.on('hide', () => {
      this.#kept.hidden()
      this.#watchdog.hidden()
      this.#holdBack()
      this.#parts.onVisible(false)
    })
    made.on('minimize', this.#sank)
    made.on('blur', () => {
      this.#blurredAt = performance.now()
    })
    made.on('unresponsive', () => made.webContents.forcefullyCrashRenderer())
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') this.#revive(made)
    })
    // `guardPages` blocks this navigation too; the link on the safe page stands for our page.
    made.webContents.on('will-navigate', ({ url }) => {
      if (this.#crashRecovery.shows() === 'safePage' && url === this.#parts.page) this.#begin(made)
    })
    keepPlace(made, this.#parts)
    this.#begin(made)
    return made
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
