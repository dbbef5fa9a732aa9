import { openAppWindow } from './chromium.ts'
import { emitPreventable } from './preventable.ts'
import { standIn } from './refuse.ts'
import { chromium, headed, running } from './running.ts'
import { WebContents, type WebPreferences } from './web-contents.ts'

interface Bounds {
  x: number
  y: number
  width: number
  height: number
}

interface WindowOptions extends Partial<Bounds> {
  readonly show?: boolean
  readonly webPreferences?: WebPreferences
}

const windows: BrowserWindow[] = []

/** What `app` wants to know of windows. */
export const windowHooks = {
  created(_window: BrowserWindow): void {},
  allClosed(): void {},
}

function refuseUnsafe({ sandbox, contextIsolation, nodeIntegration }: WebPreferences): void {
  if (sandbox === false || contextIsolation === false || nodeIntegration === true) {
    throw new Error('chromium host: only sandboxed, isolated windows are stood in for')
  }
}

/** A window as a page of Chromium: in the headless shell the asked size is the page's, exactly. */
export class BrowserWindow extends standIn('BrowserWindow') {
  readonly id: number
  readonly webContents: WebContents
  #bounds: Bounds
  /** Whether a place was asked for; else the window manager chooses one. */
  readonly #placed: boolean
  #visible = false
  #minimized = false
  #focused = false
  #destroyed = false
  #shownOnce = false
  #windowId = 0

  constructor(options: WindowOptions = {}) {
    super()
    if (!running.ready) throw new Error('Cannot create BrowserWindow before app is ready')
    const { x = 0, y = 0, width = 800, height = 600, webPreferences = {} } = options
    refuseUnsafe(webPreferences)
    this.#bounds = { x, y, width, height }
    this.#placed = options.x !== undefined && options.y !== undefined
    this.webContents = new WebContents(() => this.#openTarget(), webPreferences)
    this.id = this.webContents.id
    windows.push(this)
    this.webContents.on('did-finish-load', () => {
      if (!this.#shownOnce) this.emit('ready-to-show')
      this.#shownOnce = true
    })
    this.webContents.opened.then(
      () => this.#listen(),
      (error: unknown) => {
        if (!running.exiting) console.error('[chromium host] a window did not open:', error)
      },
    )
    if (options.show === false) void this.#setBounds({ windowState: 'minimized' })
    else this.show()
    windowHooks.created(this)
  }

  static getAllWindows(): BrowserWindow[] {
    return [...windows]
  }

  static fromWebContents(contents: WebContents): BrowserWindow | null {
    return windows.find((window) => window.webContents === contents) ?? null
  }

  static getFocusedWindow(): BrowserWindow | null {
    return windows.find((window) => window.isFocused()) ?? null
  }

  async #openTarget(): Promise<string> {
    const { x, y, width, height } = this.#bounds
    const browser = chromium()
    if (headed) {
      const targetId = await openAppWindow(browser, `data:,${crypto.randomUUID()}`)
      await this.#adopt(targetId)
      if (this.#placed) {
        const bounds = { left: x, top: y }
        await browser.send('Browser.setWindowBounds', { windowId: this.#windowId, bounds })
      }
      await this.#setSize()
      return targetId
    }
    const shape = { left: x, top: y, width, height, newWindow: true }
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank', ...shape })
    await this.#adopt(targetId)
    await this.#setSize()
    return targetId
  }

  async #adopt(targetId: string): Promise<void> {
    const { windowId } = await chromium().send('Browser.getWindowForTarget', { targetId })
    this.#windowId = windowId
  }

  /** The page's own size: outside the headless shell a window has a frame around it. */
  async #setSize(): Promise<void> {
    const { width, height } = this.#bounds
    const windowId = this.#windowId
    await chromium().send('Browser.setContentsSize', { windowId, width, height })
  }

  #listen(): void {
    const { targetId } = this.webContents
    chromium().on('Target.targetDestroyed', (gone) => {
      if (gone.targetId === targetId) this.#gone()
    })
  }

  async #setBounds(bounds: object): Promise<void> {
    try {
      await this.webContents.opened
      await chromium().send('Browser.setWindowBounds', { windowId: this.#windowId, bounds })
    } catch (error) {
      if (!running.exiting && !this.#destroyed) console.error('[chromium host]', error)
    }
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url)
  }

  show(): void {
    if (!this.#visible) {
      this.#visible = true
      void this.#setBounds({ windowState: 'normal' })
      this.emit('show')
    }
    this.focus()
  }

  showInactive(): void {
    if (this.#visible) return
    this.#visible = true
    void this.#setBounds({ windowState: 'normal' })
    this.emit('show')
  }

  hide(): void {
    if (!this.#visible) return
    this.blur()
    this.#visible = false
    void this.#setBounds({ windowState: 'minimized' })
    this.emit('hide')
  }

  minimize(): void {
    this.#minimized = true
    void this.#setBounds({ windowState: 'minimized' })
    this.emit('minimize')
  }

  restore(): void {
    this.#minimized = false
    void this.#setBounds({ windowState: 'normal' })
    this.emit('restore')
  }

  focus(): void {
    if (this.#focused) return
    for (const window of windows) window.blur()
    this.#focused = true
    // Rejects only when the window is gone.
    this.webContents.command('Page.bringToFront').catch(() => undefined)
    this.emit('focus')
  }

  blur(): void {
    if (!this.#focused) return
    this.#focused = false
    this.emit('blur')
  }

  isVisible(): boolean {
    return this.#visible && !this.#minimized
  }

  isMinimized(): boolean {
    return this.#minimized
  }

  isFocused(): boolean {
    return this.#focused
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  getBounds(): Bounds {
    return { ...this.#bounds }
  }

  setBounds(bounds: Partial<Bounds>): void {
    this.#bounds = { ...this.#bounds, ...bounds }
    const { x, y } = this.#bounds
    void this.#setBounds({ left: x, top: y })
      .then(() => this.#setSize())
      .then(() => {
        this.emit('move')
        this.emit('resize')
      })
  }

  /** True when it closes: a listener of 'close' can keep it. */
  close(): boolean {
    const closes = this.#destroyed || emitPreventable(this, 'close')
    if (closes) this.destroy()
    return closes
  }

  destroy(): void {
    if (this.#destroyed) return
    void this.#closeTarget()
    this.#gone()
  }

  async #closeTarget(): Promise<void> {
    try {
      await this.webContents.opened
      await chromium().send('Target.closeTarget', { targetId: this.webContents.targetId })
    } catch {
      // It closed by itself, or Chromium ended: either way it is gone.
    }
  }

  #gone(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    windows.splice(windows.indexOf(this), 1)
    this.webContents.destroy()
    this.emit('closed')
    if (windows.length === 0) windowHooks.allClosed()
  }
}

export const webContents = {
  getAllWebContents: (): WebContents[] => windows.map((window) => window.webContents),
  fromId: (id: number) => webContents.getAllWebContents().find((contents) => contents.id === id),
  fromDevToolsTargetId: (targetId: string) =>
    webContents.getAllWebContents().find((contents) => contents.targetId === targetId),
}
