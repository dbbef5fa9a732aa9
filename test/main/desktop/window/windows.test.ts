import type { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Windows } from '../../../../src/main/desktop/window/windows.ts'
import { applyPatch, type Patch, patchBetween } from '../../../../src/shared/core/patch.ts'
import { type AppState, emptyState } from '../../../../src/shared/core/state.ts'

/** Electron's windows, in the order in which they were made. */
const electron = vi.hoisted(() => ({ made: [] as unknown[] }))

vi.mock('electron', async () => {
  const { EventEmitter } = await import('node:events')
  class BrowserWindow extends EventEmitter {
    readonly sent: unknown[] = []
    readonly webContents = Object.assign(new EventEmitter(), {
      setZoomFactor: () => undefined,
      send: (channel: string, patch: unknown) => {
        if (channel === 'patch') this.sent.push(patch)
      },
    })
    visible = false
    bounds = {}
    readonly options: object
    constructor(options: object) {
      super()
      this.options = options
      electron.made.push(this)
    }
    async loadURL() {}
    show() {
      this.visible = true
    }
    hide() {
      this.visible = false
    }
    focus() {}
    isVisible() {
      return this.visible
    }
    isMinimized() {
      return false
    }
    isMaximized() {
      return false
    }
    getNormalBounds() {
      return this.bounds
    }
    isDestroyed() {
      return false
    }
  }
  /** Of two displays side by side, the one that shows more of the rectangle. */
  const getDisplayMatching = ({ x, width }: Electron.Rectangle) => ({
    workArea: { x: x + width / 2 < 1920 ? 0 : 1920, y: 0, width: 1920, height: 1080 },
  })
  return {
    app: {},
    nativeTheme: { shouldUseDarkColors: false },
    screen: { getDisplayMatching },
    BrowserWindow,
  }
})

interface Live {
  state: AppState
}

interface Made extends EventEmitter {
  readonly options: object
  readonly webContents: EventEmitter
  readonly sent: readonly Patch[]
  readonly visible: boolean
  bounds: object
  show: () => void
}

/** Calls `show()` for the first time, in an app with a tray; returns the window that it made. */
function open(place: object | null = null, live: Live = { state: emptyState }) {
  const written: unknown[] = []
  const windows = new Windows({
    preload: 'preload.cjs',
    icon: 'icon.png',
    page: 'app://main/index.html',
    safePage: null,
    saved: { read: () => place, write: async (_name, document) => void written.push(document) },
    hasTray: () => true,
    serve: () => undefined,
    firstPatch: () => [{ path: [], value: live.state }],
    state: () => live.state,
    onVisible: () => undefined,
    onCrash: () => undefined,
    onClosedToTray: () => undefined,
    holdsInput: () => false,
    logBug: () => undefined,
  })
  windows.show()
  return { windows, made: electron.made.at(-1) as Made, written }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a new window', () => {
  test('opens on the display that showed more of the last one', () => {
    const { made } = open({ x: 1_500, y: 100, width: 1_000, height: 700 })
    expect(made.options).toMatchObject({ x: 1_920, y: 100, width: 1_000, height: 700 })
  })

  test('is shown with the first frame of its page', () => {
    const { made } = open()
    expect(made.visible).toBe(false)
    made.emit('ready-to-show')
    expect(made.visible).toBe(true)
  })

  // As on Wayland, where a hidden page draws nothing.
  test('is shown shortly after its page has loaded, if it draws nothing while hidden', () => {
    const { made } = open()
    vi.advanceTimersByTime(2_500)
    made.webContents.emit('did-finish-load')
    expect(made.visible).toBe(false)
    vi.advanceTimersByTime(100)
    expect(made.visible).toBe(true)
  })

  test('is shown after three seconds if its page has not loaded', () => {
    const { made } = open()
    vi.advanceTimersByTime(2_999)
    expect(made.visible).toBe(false)
    vi.advanceTimersByTime(1)
    expect(made.visible).toBe(true)
  })

  test('stays hidden if it was hidden before that', () => {
    const { windows, made } = open()
    windows.hide()
    made.webContents.emit('did-finish-load')
    made.emit('ready-to-show')
    vi.advanceTimersByTime(10_000)
    expect(made.visible).toBe(false)
  })

  test('is not shown again when its page reloads', () => {
    const { windows, made } = open()
    made.webContents.emit('did-finish-load')
    made.emit('ready-to-show')
    windows.hide()
    made.webContents.emit('did-finish-load')
    vi.advanceTimersByTime(10_000)
    expect(made.visible).toBe(false)
  })
})

describe('the place of a window', () => {
  const place = { x: 10, y: 20, width: 500, height: 700 }

  test('is saved once, as it was just before the window was hidden', () => {
    const { windows, made, written } = open()
    made.emit('ready-to-show')
    for (const x of [5, 10]) {
      made.bounds = { ...place, x }
      made.emit('move')
    }
    windows.hide()
    made.bounds = {}
    made.emit('move')
    vi.advanceTimersByTime(10_000)
    expect(written).toEqual([{ ...place, maximised: false }])
  })
})

describe('the state in the page', () => {
  /** A window whose page follows the state, and which is shown. */
  function follow() {
    const live: Live = { state: emptyState }
    const { windows, made } = open(null, live)
    windows.follow()
    made.emit('ready-to-show')
    made.emit('show')
    return {
      windows,
      made,
      hide() {
        windows.hide()
        made.emit('hide')
      },
      change(zoom: number) {
        const before = live.state
        live.state = { ...before, settings: { ...before.settings, zoom } }
        windows.push(patchBetween(before, live.state))
      },
      sent: () => made.sent.length,
      page: () => made.sent.reduce(applyPatch, emptyState),
      live,
    }
  }

  test('follows each change while the window is shown', () => {
    const { change, sent, page, live } = follow()
    for (const zoom of [110, 125, 150]) change(zoom)
    expect(sent()).toBe(4)
    expect(page()).toEqual(live.state)
  })

  test('gets what a hidden window has missed in one patch, before it is shown', () => {
    const { windows, made, hide, change, sent, page, live } = follow()
    hide()
    for (const zoom of [110, 125, 150]) change(zoom)
    expect(sent()).toBe(1)
    const shownAt: number[] = []
    made.show = () => shownAt.push(sent())
    windows.show()
    made.emit('show')
    expect(shownAt).toEqual([2])
    expect(page()).toEqual(live.state)
    expect(sent()).toBe(2)
    change(80)
    expect(sent()).toBe(3)
    expect(page()).toEqual(live.state)
  })

  test('follows each change once the window is visible again, even if no event said so', () => {
    const { made, hide, change, sent, page, live } = follow()
    hide()
    change(110)
    made.show()
    change(125)
    expect(page()).toEqual(live.state)
    change(150)
    expect(sent()).toBe(3)
    expect(page()).toEqual(live.state)
  })

  test('is sent nothing if nothing has changed', () => {
    const { windows, made, hide, change, sent } = follow()
    change(110)
    hide()
    windows.show()
    made.emit('show')
    expect(sent()).toBe(2)
  })

  test('catches up while hidden for the result of a command, and no further', () => {
    const { windows, hide, change, sent, page, live } = follow()
    hide()
    change(110)
    windows.catchUp()
    expect(page()).toEqual(live.state)
    windows.catchUp()
    change(125)
    expect(sent()).toBe(2)
    windows.catchUp()
    expect(page()).toEqual(live.state)
  })

  test('starts anew with a page that was loaded while the window was hidden', () => {
    const { windows, made, hide, change, sent, page, live } = follow()
    hide()
    change(110)
    made.webContents.emit('render-process-gone', {}, { reason: 'crashed' })
    windows.follow()
    expect(sent()).toBe(2)
    change(125)
    expect(sent()).toBe(2)
    windows.show()
    expect(sent()).toBe(3)
    expect(page()).toEqual(live.state)
  })

  test('follows each change while the window is minimised: it may come back without an event', () => {
    const { made, change, sent } = follow()
    made.emit('minimize')
    change(110)
    expect(sent()).toBe(2)
  })
})
