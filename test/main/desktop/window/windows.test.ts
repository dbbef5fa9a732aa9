import type { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Windows } from '../../../../src/main/desktop/window/windows.ts'

/** Electron's windows, in the order in which they were made. */
const electron = vi.hoisted(() => ({ made: [] as unknown[] }))

vi.mock('electron', async () => {
  const { EventEmitter } = await import('node:events')
  class BrowserWindow extends EventEmitter {
    readonly webContents = Object.assign(new EventEmitter(), { setZoomFactor: () => undefined })
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

interface Made extends EventEmitter {
  readonly options: object
  readonly webContents: EventEmitter
  readonly visible: boolean
  bounds: object
}

/** Calls `show()` for the first time, in an app with a tray; returns the window that it made. */
function open(place: object | null = null) {
  const written: unknown[] = []
  const windows = new Windows({
    preload: 'preload.cjs',
    icon: 'icon.png',
    page: 'app://main/index.html',
    safePage: null,
    saved: { read: () => place, write: async (_name, document) => void written.push(document) },
    hasTray: () => true,
    serve: () => undefined,
    firstPatch: () => [],
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
