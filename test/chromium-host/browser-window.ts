import { openAppWindow } from './chromium.ts'
import { emitNatively, emitPreventable, refuseDestroyed } from './preventable.ts'
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

/** Chromium's pages disappear before it exits. */
const endingMs = 1_000

/** What `app` has to know about windows. */
export const windowHooks = {
  created(_window: BrowserWindow): void {},
  /** Called when a window's close was prevented. */
  stays(): void {},
  allClosed(): void {},
}

function refuseUnsafe({ sandbox, contextIsolation, nodeIntegration }: WebPreferences): void {
  if (sandbox === false || contextIsolation === false || nodeIntegration === true) {
    throw new Error('chromium host: only sandboxed, isolated windows are stood in for')
  }
}

/** A window as a page of Chromium; in the headless shell the page has exactly the given size. */
export class BrowserWindow extends standIn('BrowserWindow') {
  readonly id: number
  readonly #contents: WebContents
  #bounds: Bounds
  /** Whether a position was given; otherwise the window manager chooses one. */
  readonly #placed: boolean
  #visible = false
  #minimized = false
  #maximized = false
  #focused = false
  #destroyed = false
  #windowId = 0

  constructor(options: WindowOptions = {}) {
    super()
    if (!running.ready) throw new Error('Cannot create BrowserWindow before app is ready')
    const { x = 0, y = 0, width = 800, height = 600, webPreferences = {} } = options
    refuseUnsafe(webPreferences)
    this.#bounds = { x, y, width, height }
    this.#placed = options.x !== undefined && options.y !== undefined
    this.#contents = new WebContents(() => this.#openTarget(), webPreferences)
    this.id = this.#contents.id
    windows.push(this)
    this.#contents.onClose = () => this.#goneWithPage()
    this.#contents.on('did-finish-load', () => {
      emitNatively(this, 'ready-to-show')
    })
    this.#contents.opened.then(
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

  /** Sets the page's own size: outside the headless shell, a window has a frame around it. */
  async #setSize(): Promise<void> {
    const { width, height } = this.#bounds
    const windowId = this.#windowId
    await chromium().send('Browser.setContentsSize', { windowId, width, height })
  }

  #listen(): void {
    const { targetId } = this.#contents
    chromium().on('Target.targetDestroyed', (gone) => {
      if (gone.targetId === targetId) void this.#closedBelow()
    })
  }

  async #setBounds(bounds: object): Promise<void> {
    try {
      await this.#contents.opened
      await chromium().send('Browser.setWindowBounds', { windowId: this.#windowId, bounds })
    } catch (error) {
      if (!running.exiting && !this.#destroyed) console.error('[chromium host]', error)
    }
  }

  get webContents(): WebContents {
    return this.#contents
  }

  loadURL(url: string): Promise<void> {
    return this.#contents.loadURL(url)
  }

  show(): void {
    this.showInactive()
    this.focus()
  }

  showInactive(): void {
    this.#visible = true
    if (this.#minimized) this.restore()
    else void this.#setBounds({ windowState: 'normal' })
    emitNatively(this, 'show')
  }

  hide(): void {
    this.blur()
    this.#visible = false
    void this.#setBounds({ windowState: 'minimized' })
    emitNatively(this, 'hide')
  }

  minimize(): void {
    void this.#setBounds({ windowState: 'minimized' })
    this.#later(() => {
      this.#minimized = true
      emitNatively(this, 'minimize')
    })
  }

  restore(): void {
    void this.#setBounds({ windowState: 'normal' })
    this.#later(() => {
      this.#minimized = false
      emitNatively(this, 'restore')
    })
  }

  /** Only emits the event, since a page of the headless shell keeps its size. */
  maximize(): void {
    this.#maximized = true
    emitNatively(this, 'resize')
  }

  /** Defers, since window managers answer late. */
  #later(happens: () => void): void {
    setImmediate(() => {
      if (!this.#destroyed) happens()
    })
  }

  focus(): void {
    if (this.#focused) return
    for (const window of windows) window.blur()
    this.#focused = true
    // Rejects only if the window is gone.
    this.#contents.command('Page.bringToFront').catch(() => undefined)
    emitNatively(this, 'focus')
  }

  blur(): void {
    if (!this.#focused) return
    this.#focused = false
    emitNatively(this, 'blur')
  }

  isVisible(): boolean {
    return this.#visible && !this.#minimized
  }

  isMinimized(): boolean {
    return this.#minimized
  }

  isMaximized(): boolean {
    return this.#maximized
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

  getNormalBounds(): Bounds {
    return this.getBounds()
  }

  setBounds(bounds: Partial<Bounds>): void {
    this.#bounds = { ...this.#bounds, ...bounds }
    const { x, y } = this.#bounds
    void this.#setBounds({ left: x, top: y })
      .then(() => this.#setSize())
      .then(() => {
        if (this.#destroyed) return
        emitNatively(this, 'move')
        emitNatively(this, 'resize')
      })
  }

  /** A listener of 'close' can prevent it; otherwise the window goes once its page has gone. */
  close(): void {
    if (emitPreventable(this, 'close')) setImmediate(() => this.#goneWithPage())
    else windowHooks.stays()
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#leave()
    emitNatively(this, 'closed')
    setImmediate(() => this.#contents.destroy())
    if (windows.length === 0) windowHooks.allClosed()
  }

  /**
   * Closed by its user, if it is a real window; when Chromium itself exits, the app's quit closes
   * it.
   */
  async #closedBelow(): Promise<void> {
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, endingMs, true))
    if (await Promise.race([chromium().exited.then(() => false), late])) this.#goneWithPage()
  }

  async #closeTarget(): Promise<void> {
    try {
      await this.#contents.opened
      await chromium().send('Target.closeTarget', { targetId: this.#contents.targetId })
    } catch {
      // It was closed already, or Chromium exited: either way it is gone.
    }
  }

  #goneWithPage(): void {
    if (this.#destroyed) return
    this.#contents.destroy()
    this.#leave()
    emitNatively(this, 'closed')
    if (windows.length === 0) windowHooks.allClosed()
  }

  #leave(): void {
    void this.#closeTarget()
    this.#destroyed = true
    windows.splice(windows.indexOf(this), 1)
  }
}

refuseDestroyed(BrowserWindow, ['destroy'])

export const webContents = {
  getAllWebContents: (): WebContents[] => windows.map((window) => window.webContents),
  fromId: (id: number) => webContents.getAllWebContents().find((contents) => contents.id === id),
  fromDevToolsTargetId: (targetId: string) =>
    webContents.getAllWebContents().find((contents) => contents.targetId === targetId),
}
