/**
 * Loaded into the app's main process by the stand-in (`-r`), like Playwright's loader: shows, hides
 * and destroys its window with Electron's own calls, and reads when its page was painted. Without
 * Playwright, whose focus emulation keeps hidden pages visible.
 */
import { join } from 'node:path'
import { app, BrowserWindow, dialog } from 'electron'

export type Order =
  | { readonly do: 'setUp'; readonly accounts: readonly unknown[] }
  /** A new window: ms until its rows were painted. */
  | { readonly do: 'open' }
  /** The kept window: ms until its first frame. */
  | { readonly do: 'show' }
  | { readonly do: 'hide' }
  | { readonly do: 'destroy' }
  /** A new window with a page without a script: ms until it was painted. It is then destroyed. */
  | { readonly do: 'blank' }
  | { readonly do: 'collect' }

export interface Answer {
  readonly ms: number
  readonly failure?: string
}

/** The stand-in's addition to Electron. */
type Contents = Electron.WebContents & { command(method: string, params: object): Promise<unknown> }

/** The app's static page without a script, for when its own page crashes. */
const blankPage = 'app://main/safe.html'
const size = { width: 420, height: 620 } as const

const preload = join(app.getAppPath(), 'out/preload/index.cjs')

/**
 * Runs before anything else in a page; looks once a frame, in the app's page and in the blank one.
 */
const watchPainted = (selector: string): string => `(() => {
  if (window !== window.top) return
  const painted = (done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => done(performance.timeOrigin + performance.now())
    port2.postMessage(0)
  })
  window.paintedAt = new Promise((done) => {
    const look = () => document.querySelector(${JSON.stringify(selector)})
      ? painted(done) : requestAnimationFrame(look)
    requestAnimationFrame(look)
  })
  window.untilShown = () => {
    window.shownAt = new Promise((done) => {
      document.addEventListener('visibilitychange', () => painted(done), { once: true })
    })
  }
})()`

const untilHidden = `new Promise((done) => {
  if (document.visibilityState === 'hidden') done()
  else document.addEventListener('visibilitychange', () => done(), { once: true })
})`

/** On the clock that pages use too. */
const now = (): number => performance.timeOrigin + performance.now()

const deeds: Readonly<Record<Order['do'], (order: Order) => Promise<number>>> = {
  async setUp(order) {
    const window = await loaded(() => app.emit('second-instance', {}, []))
    // The user says yes to each address.
    dialog.showMessageBox = () => Promise.resolve({ response: 1, checkboxChecked: false })
    for (const account of order.do === 'setUp' ? order.accounts : []) {
      const asked = `window.bridge.call('addAccount', ${JSON.stringify(account)})`
      const code = `${asked}.then((result) => result.ok || JSON.stringify(result))`
      const taken: unknown = await window.webContents.executeJavaScript(code)
      if (taken !== true) throw new Error(`an account was not taken: ${String(taken)}`)
    }
    return 0
  },
  open: () => openTimed('[role=treeitem]', () => app.emit('second-instance', {}, [])),
  async show() {
    const window = only()
    await evaluated(window, 'window.untilShown()')
    const from = now()
    app.emit('second-instance', {}, [])
    return Number(await evaluated(window, 'window.shownAt')) - from
  },
  async hide() {
    only().hide()
    await evaluated(only(), untilHidden)
    return 0
  },
  async destroy() {
    only().destroy()
    return 0
  },
  async blank() {
    let made: BrowserWindow | null = null
    const ms = await openTimed('p', () => {
      made = new BrowserWindow({ show: false, ...size, webPreferences: { preload } })
      void made.loadURL(blankPage)
      made.show()
    })
    // Set by the function above, which has run by now.
    ;(made as BrowserWindow | null)?.destroy()
    return ms
  },
  async collect() {
    globalThis.gc?.()
    return 0
  },
}

async function openTimed(selector: string, open: () => void): Promise<number> {
  const from = now()
  const window = await loaded(open, selector)
  return Number(await evaluated(window, 'window.paintedAt')) - from
}

function loaded(open: () => void, selector = 'p'): Promise<BrowserWindow> {
  return new Promise((resolve) => {
    app.once('browser-window-created', (_event, window) => {
      // This always runs on the stand-in.
      const contents = window.webContents as Contents
      void contents.command('Page.addScriptToEvaluateOnNewDocument', {
        source: watchPainted(selector),
      })
      contents.once('did-finish-load', () => resolve(window))
    })
    open()
  })
}

function only(): BrowserWindow {
  const [window, ...others] = BrowserWindow.getAllWindows()
  if (window === undefined || others.length > 0) throw new Error('there is not one window')
  return window
}

function evaluated(window: BrowserWindow, code: string): Promise<unknown> {
  return window.webContents.executeJavaScript(code)
}

process.on('message', (order: Order) => {
  void deeds[order.do](order)
    .catch((error: unknown): Answer => ({ ms: 0, failure: String(error) }))
    .then((answer) => process.send?.(typeof answer === 'number' ? { ms: answer } : answer))
})
// The app ends with the bench; nothing has to be saved.
process.on('disconnect', () => process.exit(0))
