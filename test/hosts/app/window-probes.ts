import { app, BrowserWindow, webContents } from 'electron'
import {
  home,
  inPage,
  inWords,
  openPage,
  openWindow,
  type Probe,
  type Probes,
  preload,
  record,
  settle,
  stopped,
  until,
  withPage,
  withWindow,
} from './probe.ts'

/** The events of a window and its page when something ends them. */
async function ending(
  end: (window: BrowserWindow) => unknown,
  prepare?: (window: BrowserWindow) => void,
): Promise<unknown> {
  const window = await openPage()
  const { webContents: contents } = window
  prepare?.(window)
  const seen: string[] = []
  for (const name of ['close', 'closed'] as const)
    window.on(name as 'closed', () => seen.push(`window ${name}`))
  contents.on('destroyed', () => seen.push('page destroyed'))
  const result = await end(window)
  if (prepare === undefined) await until('it is gone', () => seen.includes('page destroyed'))
  await settle()
  const outcome = {
    seen: [...seen],
    result: result ?? null,
    isDestroyed: [window.isDestroyed(), contents.isDestroyed()],
  }
  if (!window.isDestroyed()) {
    window.removeAllListeners('close')
    window.destroy()
  }
  return outcome
}

async function afterEnd(use: (window: BrowserWindow, contents: Electron.WebContents) => unknown) {
  const window = await openPage()
  const { webContents: contents } = window
  window.destroy()
  await settle()
  return use(window, contents)
}

const calls: Readonly<Record<string, (window: BrowserWindow) => unknown>> = {
  'show()': (window) => window.show(),
  'hide()': (window) => window.hide(),
  'close()': (window) => window.close(),
  'destroy()': (window) => window.destroy(),
  'isVisible()': (window) => window.isVisible(),
  'isMinimized()': (window) => window.isMinimized(),
  'isDestroyed()': (window) => window.isDestroyed(),
  'getBounds()': (window) => window.getBounds(),
  'loadURL()': (window) => window.loadURL(home),
  webContents: (window) => typeof window.webContents,
  'on()': (window) => typeof window.on('show', () => undefined),
}

const pageCalls: Readonly<Record<string, (contents: Electron.WebContents) => unknown>> = {
  'send()': (contents) => contents.send('push', 1),
  'getURL()': (contents) => contents.getURL(),
  'isDestroyed()': (contents) => contents.isDestroyed(),
  'reload()': (contents) => contents.reload(),
  'loadURL()': (contents) => contents.loadURL(home),
  'executeJavaScript()': (contents) => contents.executeJavaScript('1'),
  'forcefullyCrashRenderer()': (contents) => contents.forcefullyCrashRenderer(),
}

const onDestroyed: Probes = Object.fromEntries<Probe>([
  ...Object.entries(calls).map(([name, call]): [string, Probe] => [
    `window: ${name} of a destroyed one`,
    () => afterEnd(call),
  ]),
  ...Object.entries(pageCalls).map(([name, call]): [string, Probe] => [
    `window: ${name} of a destroyed one’s page`,
    () => afterEnd((_window, contents) => call(contents)),
  ]),
])

/** How often the window emitted these events, once all consequences are over. */
async function heardOf(
  act: (window: BrowserWindow) => Promise<void> | void,
  ...names: string[]
): Promise<unknown> {
  return withWindow(async (window) => {
    const seen = record({ window }, names)
    await act(window)
    await settle()
    return seen
  })
}

/** Whether the window was minimized at once. */
async function minimized(window: BrowserWindow): Promise<boolean> {
  window.show()
  await until('it is visible', () => window.isVisible())
  await settle()
  const told = new Promise((resolve) => {
    window.once('minimize', () => resolve(null))
  })
  window.minimize()
  const atOnce = window.isMinimized()
  await told
  await until('it is minimised', () => window.isMinimized())
  return atOnce
}

const keep = (window: BrowserWindow): void => void window.on('close', (e) => e.preventDefault())

export const windowProbes: Probes = {
  ...onDestroyed,
  'window close(): its events': () => ending((window) => window.close()),
  'window close(): prevented': () => ending((window) => window.close(), keep),
  'window destroy(): its events': () => ending((window) => window.destroy()),
  'window destroy(): where closing is prevented': () =>
    ending(
      (window) => window.destroy(),
      (window) => void window.on('close', (event) => event.preventDefault()),
    ),
  'window: a page that closes itself': () =>
    ending((window) => {
      inPage(window, 'window.close()').catch(() => undefined)
      return until('it is gone', () => window.isDestroyed())
    }),
  'window: a page that closes itself where closing is prevented': () =>
    ending(async (window) => {
      inPage(window, 'window.close()').catch(() => undefined)
      await settle()
      await settle()
      return window.isDestroyed()
    }, keep),
  'window: close() in the listener of close': () =>
    ending(
      (window) => window.close(),
      (window) => void window.once('close', () => window.close()),
    ),
  'window: destroy() in the listener of close': () =>
    ending(
      (window) => window.close(),
      (window) => void window.once('close', () => window.destroy()),
    ),
  'window close(): isDestroyed() in closed': async () => {
    const window = await openPage()
    const seen: unknown[] = []
    window.on('closed', () => seen.push(window.isDestroyed(), BrowserWindow.getAllWindows().length))
    const before = BrowserWindow.getAllWindows().length
    window.destroy()
    await until('closed', () => seen.length > 0)
    return [seen[0], Number(seen[1]) - before]
  },
  'window destroy(): at once': () => {
    const window = openWindow()
    window.destroy()
    return window.isDestroyed()
  },
  'window close(): at once': () => {
    const window = openWindow()
    window.close()
    return window.isDestroyed()
  },
  'window: getAllWindows() knows it at once': () =>
    withWindow((window) => BrowserWindow.getAllWindows().includes(window)),
  'window: getAllWindows() forgets a destroyed one at once': () => {
    const window = openWindow()
    window.destroy()
    return BrowserWindow.getAllWindows().includes(window)
  },
  'window: fromWebContents()': () =>
    withWindow((window) => BrowserWindow.fromWebContents(window.webContents) === window),
  'window: webContents is one object': () =>
    withWindow((window) => {
      const before = window.webContents
      return window.webContents === before
    }),
  'window: webContents.fromId()': () =>
    withWindow((window) => webContents.fromId(window.webContents.id) === window.webContents),
  'window: webContents.fromId() of none': () => String(webContents.fromId(99_999)),
  'window: getAllWebContents()': () =>
    withWindow((window) => webContents.getAllWebContents().includes(window.webContents)),
  'window: created, in order': async () => {
    const seen = record({ app }, ['browser-window-created', 'web-contents-created'])
    const before = seen.length
    openWindow().destroy()
    app.removeAllListeners('browser-window-created')
    app.removeAllListeners('web-contents-created')
    return seen.slice(before)
  },
  'window: its size as asked': () =>
    withWindow((window) => {
      const { width, height } = window.getBounds()
      return [width, height]
    }),
  'window: its size without being asked': () => {
    const window = new BrowserWindow({ show: false })
    const { width, height } = window.getBounds()
    window.destroy()
    return [width, height]
  },
  'window: its place as asked': () =>
    withWindow(
      (window) => {
        const { x, y } = window.getBounds()
        return [x, y]
      },
      { x: 40, y: 50 },
    ),
  'window setBounds(): size and place at once': () =>
    withWindow((window) => {
      window.setBounds({ x: 20, y: 30, width: 420, height: 310 })
      return window.getBounds()
    }),
  'window setBounds(): a part of it': () =>
    withWindow(
      (window) => {
        window.setBounds({ width: 430 })
        return window.getBounds()
      },
      { x: 40, y: 50 },
    ),
  'window: the page has its size': () =>
    withPage((window) => inPage(window, '[innerWidth, innerHeight]')),
  'window: hidden at first': () => withWindow((window) => window.isVisible()),
  'window: shown without being asked': () => {
    const window = new BrowserWindow()
    const visible = window.isVisible()
    window.destroy()
    return visible
  },
  'window: neither minimised nor focused at first': () =>
    withWindow((window) => [window.isMinimized(), window.isFocused()]),
  'window: no focus where none is shown': () => String(BrowserWindow.getFocusedWindow()),
  'window show(): visible at once': () =>
    withWindow((window) => {
      window.show()
      return window.isVisible()
    }),
  'window show(): focused in the end': () =>
    withWindow(async (window) => {
      window.show()
      await until('it has the focus', () => window.isFocused())
      return BrowserWindow.getFocusedWindow() === window
    }),
  'window hide(): hidden at once': () =>
    withWindow((window) => {
      window.show()
      window.hide()
      return window.isVisible()
    }),
  'window show(): says so each time': () =>
    heardOf((window) => {
      window.show()
      window.show()
    }, 'show'),
  'window hide(): says so each time': () =>
    heardOf((window) => {
      window.show()
      window.hide()
      window.hide()
    }, 'hide'),
  'window hide(): where it was never shown': () => heardOf((window) => window.hide(), 'hide'),
  'window showInactive(): visible, and says so each time': () =>
    withWindow(async (window) => {
      const seen = record({ window }, ['show'])
      window.showInactive()
      window.showInactive()
      await settle()
      return [window.isVisible(), seen]
    }),
  'window show(): says so at once': () =>
    withWindow((window) => {
      const seen = record({ window }, ['show'])
      window.show()
      return seen
    }),
  'window hide(): says so at once': () =>
    withWindow((window) => {
      window.show()
      const seen = record({ window }, ['hide'])
      window.hide()
      return seen
    }),
  'window minimize(): minimised and not visible': () =>
    withWindow(async (window) => {
      const atOnce = await minimized(window)
      const state = [atOnce, window.isMinimized(), window.isVisible()]
      // Electron 33 exits some time after a minimised window is destroyed.
      window.restore()
      await until('it is back', () => !window.isMinimized())
      return state
    }),
  'window restore(): as before, and says so': () =>
    withWindow(async (window) => {
      await minimized(window)
      const seen = record({ window }, ['restore'])
      window.restore()
      await until('it is back', () => !window.isMinimized() && seen.length > 0)
      return [window.isMinimized(), window.isVisible(), seen]
    }),
  'window show(): of a minimised one': () =>
    withWindow(async (window) => {
      await minimized(window)
      window.show()
      await until('it is back', () => !window.isMinimized())
      return window.isVisible()
    }),
  'window setBounds(): says so': () =>
    withWindow(async (window) => {
      window.show()
      await settle()
      const seen = record({ window }, ['resize', 'move'])
      window.setBounds({ x: 100, y: 120, width: 460, height: 350 })
      await until('both', () => new Set(seen).size === 2)
      return [...new Set(seen)].sort()
    }),
  'window: ready-to-show comes once': () =>
    withWindow(
      async (window) => {
        const seen = record({ window }, ['ready-to-show'])
        await window.loadURL(`${home}index.html`)
        await until('it came', () => seen.length > 0)
        await stopped(window)
        await window.loadURL(`${home}other.html`)
        await settle()
        return seen
      },
      { webPreferences: { preload } },
    ),
  'window: the title of the page': () =>
    withWindow(async (window) => {
      const seen: unknown[] = []
      window.on('page-title-updated', (_event, title, explicit) => seen.push([title, explicit]))
      await window.loadURL(`${home}index.html`)
      await until('it came', () => seen.length > 0)
      return seen.at(-1)
    }),
  'window: a crash, and back again': () =>
    withPage(async (window) => {
      const { webContents: contents } = window
      const seen: unknown[] = []
      contents.on('render-process-gone', (_event, { reason }) => seen.push(reason))
      contents.forcefullyCrashRenderer()
      await until('it is gone', () => seen.length > 0)
      await window.loadURL(`${home}other.html`)
      return [seen, await inPage(window, 'document.body.textContent')]
    }),
  'window: the address of a page that crashed': () =>
    withPage(async (window) => {
      const gone = new Promise((resolve) => {
        window.webContents.once('render-process-gone', resolve)
      })
      window.webContents.forcefullyCrashRenderer()
      await gone
      return window.webContents.getURL()
    }),
  'window: a preload that fails': () =>
    withWindow(
      async (window) => {
        const seen: unknown[] = []
        window.webContents.on('preload-error', (_event, path, error) =>
          seen.push([path.endsWith('failing.cjs'), inWords(error)]),
        )
        await window.loadURL(`${home}index.html`)
        await until('it was said', () => seen.length > 0)
        return seen
      },
      { webPreferences: { preload: preload.replace('preload.cjs', 'failing.cjs') } },
    ),
  'window: a missing preload': () =>
    withWindow(
      async (window) => {
        const seen: unknown[] = []
        window.webContents.on('preload-error', (_event, path) => seen.push(path.slice(-11)))
        await window.loadURL(`${home}index.html`)
        await until('it was said', () => seen.length > 0)
        return seen
      },
      { webPreferences: { preload: preload.replace('preload.cjs', 'missing.cjs') } },
    ),
}
