import { app, type BrowserWindow, protocol } from 'electron'
import { asked, lastHeaders } from './page.ts'
import {
  home,
  inPage,
  inWords,
  type Probes,
  record,
  settle,
  sharedPage,
  until,
  withPage,
  withWindow,
} from './probe.ts'

async function failure(address: string): Promise<unknown> {
  return withWindow(async (window) => {
    const seen: unknown[] = []
    window.webContents.on('did-fail-load', (_event, code, text, url, isMain) =>
      seen.push([code, text, url, isMain]),
    )
    try {
      await window.loadURL(address)
      return ['loaded', seen]
    } catch (error) {
      const { code, errno, url } = error as { code?: string; errno?: number; url?: string }
      return [inWords(error), code, errno, url, seen]
    }
  })
}

interface Tried {
  /** The events whose default is prevented. */
  readonly prevent?: readonly string[]
  readonly path?: string
}

/** The navigation events that `code` in the page causes, and where the page is afterwards. */
function tried(code: string, { prevent = [], path = 'free.html' }: Tried = {}): Promise<unknown> {
  return withPage(async (window) => {
    const { webContents: contents } = window
    const seen: unknown[] = []
    for (const name of ['will-frame-navigate', 'will-navigate', 'will-redirect'] as const)
      contents.on(name as 'will-navigate', (details, url: unknown) => {
        seen.push([name, details.url, details.isMainFrame, details.isSameDocument, url ?? null])
        if (prevent.includes(name)) details.preventDefault()
      })
    const loads = record({ page: contents }, ['did-finish-load'])
    await inPage(window, code)
    const leads = prevent.length === 0 && code.includes('other')
    if (leads) await until('it has loaded', () => loads.length > 0)
    else await settle()
    if (prevent.length > 0) await until('it was asked', () => seen.length > 0)
    await settle()
    return { seen, at: contents.getURL(), loads: loads.length }
  }, path)
}

interface Asked {
  readonly url: string
  readonly frameName: string
  readonly disposition: string
}

/** The details of a window that the page asks for. */
function opening(code: string): Promise<unknown> {
  return withPage(async (window) => {
    const seen: Asked[] = []
    window.webContents.setWindowOpenHandler(({ url, frameName, disposition }) => {
      seen.push({ url, frameName, disposition })
      return { action: 'deny' }
    })
    const result = await inPage(window, code)
    await until('it was asked', () => seen.length > 0)
    return [result, seen, window.webContents.getURL()]
  }, 'free.html')
}

const load = async (path: string, code: string): Promise<unknown> =>
  withPage((window) => inPage(window, code), path)

const loadedTwice = async (window: BrowserWindow, first: string, second: string) => {
  const loads = [window.loadURL(first), window.loadURL(second)]
  return (await Promise.allSettled(loads)).map((one) =>
    one.status === 'fulfilled' ? 'loaded' : inWords(one.reason),
  )
}

export const navigationProbes: Probes = {
  'load: an invalid address': () => failure('no address'),
  'load: an unknown scheme': () => failure('nobody://knows/it'),
  'load: a port where nobody listens': () => failure('http://127.0.0.1:9/'),
  'load: an unknown host': () => failure('http://nowhere.invalid/'),
  'load: a missing file': () => failure('file:///not/there.html'),
  'load: an error response': () => failure(`${home}error.html`),
  'load: a handler that throws': () => failure(`${home}throwing.html`),
  'load: a handler that rejects': () => failure(`${home}rejecting.html`),
  'load: a 404 response': () => failure(`${home}missing.html`),
  'load: a 500 response': () => failure(`${home}broken.html`),
  'load: a 204 response': () => failure(`${home}nothing.html`),
  'load: one after the other': () =>
    withWindow((window) => loadedTwice(window, `${home}slow.html`, `${home}other.html`)),
  'load: a window that goes meanwhile': () =>
    withWindow(async (window) => {
      const loading = window.loadURL(`${home}slow.html`)
      await until('it was asked for', () => asked.at(-1)?.includes('slow') === true)
      window.destroy()
      return Promise.race([loading.catch(inWords), settle().then(() => 'nothing')])
    }),
  'load: its events': () =>
    withWindow(async (window) => {
      const { webContents } = window
      const seen = record({ page: webContents }, ['did-finish-load', 'did-fail-load'])
      await window.loadURL(`${home}other.html`).then(() => seen.push('resolved'))
      return seen
    }),
  'load: the address before, meanwhile and after': () =>
    withWindow(async (window) => {
      const before = window.webContents.getURL()
      const loading = window.loadURL(`${home}other.html#part`)
      const meanwhile = window.webContents.getURL()
      await loading
      return [before, meanwhile, window.webContents.getURL()]
    }),
  'load: the same address again': () =>
    withPage(async (window) => {
      await window.loadURL(`${home}other.html`)
      return window.webContents.getURL()
    }, 'other.html'),
  'load: a part of the same page': () =>
    withPage(async (window) => {
      await inPage(window, 'window.kept = 1')
      await window.loadURL(`${home}other.html#part`)
      return [window.webContents.getURL(), await inPage(window, 'window.kept')]
    }, 'other.html'),
  'load: what is data': () =>
    withWindow(async (window) => {
      await window.loadURL('data:text/html,<p>data</p>')
      return [window.webContents.getURL(), await inPage(window, 'document.body.textContent')]
    }),
  'load: a redirect': () =>
    withWindow(async (window) => {
      await window.loadURL(`${home}redirecting.html`)
      return window.webContents.getURL()
    }),
  'load: asks nobody whether it may': () =>
    withWindow(async (window) => {
      const names = ['will-navigate', 'will-frame-navigate']
      const seen = record({ page: window.webContents }, names)
      await window.loadURL(`${home}other.html`)
      return seen
    }),
  'reload: loads again, and asks nobody': () =>
    withPage(async (window) => {
      const names = ['will-navigate', 'will-frame-navigate', 'did-finish-load']
      const seen = record({ page: window.webContents }, names)
      window.webContents.reload()
      await until('it has loaded', () => seen.includes('page did-finish-load'))
      return [seen, window.webContents.getURL()]
    }),
  'navigate: a link': () => tried('document.getElementById("link").click() /* other */'),
  'navigate: a link, prevented at will-navigate': () =>
    tried('document.getElementById("link").click()', { prevent: ['will-navigate'] }),
  'navigate: a link, prevented at will-frame-navigate': () =>
    tried('document.getElementById("link").click()', { prevent: ['will-frame-navigate'] }),
  'navigate: location': () => tried('void (location.href = "other.html")'),
  'navigate: location, prevented': () =>
    tried('void (location.href = "https://elsewhere.invalid/")', { prevent: ['will-navigate'] }),
  'navigate: to another program, prevented': () =>
    tried('void (location.href = "mailto:a@example.org")', { prevent: ['will-navigate'] }),
  'navigate: a form': () => tried('document.getElementById("form").submit() /* other */'),
  'navigate: a form, prevented': () =>
    tried('document.getElementById("form").submit()', { prevent: ['will-navigate'] }),
  'navigate: a part of the page': () => tried('void (location.hash = "part")'),
  'navigate: pushState': () => tried('history.pushState({}, "", "pushed.html")'),
  'navigate: location.reload()': () =>
    withPage(async (window) => {
      const names = ['will-navigate', 'will-frame-navigate', 'did-finish-load']
      const seen = record({ page: window.webContents }, names)
      await inPage(window, 'location.reload()').catch(() => undefined)
      await until('it has loaded', () => seen.includes('page did-finish-load'))
      return seen
    }),
  'navigate: by a script of main': () =>
    withPage(async (window) => {
      const seen = record({ page: window.webContents }, ['will-navigate', 'did-finish-load'])
      await window.webContents.executeJavaScript('void location.assign("other.html")')
      await until('it has loaded', () => seen.includes('page did-finish-load'))
      return [seen, window.webContents.getURL()]
    }, 'free.html'),
  'navigate: a redirect, prevented': () =>
    withPage(async (window) => {
      const seen: unknown[] = []
      window.webContents.on('will-redirect', (details) => {
        seen.push([details.url, details.isMainFrame])
        details.preventDefault()
      })
      await inPage(window, 'void (location.href = "redirecting.html")')
      await until('it was asked', () => seen.length > 0)
      await settle()
      return [seen, window.webContents.getURL()]
    }, 'free.html'),
  'navigate: a frame in the page': () =>
    withWindow(async (window) => {
      const seen: unknown[] = []
      window.webContents.on('will-frame-navigate', ({ url, isMainFrame }) =>
        seen.push([url, isMainFrame]),
      )
      await window.loadURL(`${home}framed.html`)
      return [seen, await inPage(window, 'frames.length')]
    }),
  'navigate: a frame in the page, later': () =>
    withPage(async (window) => {
      const seen: unknown[] = []
      window.webContents.on('will-frame-navigate', (details) => {
        seen.push([details.url, details.isMainFrame])
        details.preventDefault()
      })
      await inPage(window, 'void (frames[0].location.href = "free.html")')
      await until('it was asked', () => seen.length > 0)
      return seen
    }, 'framed.html'),
  'open: window.open()': () =>
    opening('window.open("https://elsewhere.invalid/a", "named") === null'),
  'open: window.open() of the own page': () => opening('window.open("other.html") === null'),
  'open: window.open() of nothing': () => opening('window.open() === null'),
  'open: a link to a new window': () =>
    opening(
      '((link) => { link.target = "_blank"; link.click() })(document.getElementById("link"))',
    ),
  'open: a link with ctrl': () =>
    opening(
      'void document.getElementById("link").dispatchEvent(new MouseEvent("click", { ctrlKey: true, bubbles: true, cancelable: true }))',
    ),
  'open: a link with shift': () =>
    opening(
      'void document.getElementById("link").dispatchEvent(new MouseEvent("click", { shiftKey: true, bubbles: true, cancelable: true }))',
    ),
  'script: its value': () =>
    withPage((window) => window.webContents.executeJavaScript('({ a: [1, "two", null] })')),
  'script: of a promise': () =>
    withPage((window) => window.webContents.executeJavaScript('Promise.resolve(7)')),
  'script: that throws': () =>
    withPage((window) => window.webContents.executeJavaScript('throw new TypeError("no")')),
  'script: that rejects': () =>
    withPage((window) => window.webContents.executeJavaScript('Promise.reject(new Error("no"))')),
  'script: that can’t be read': () =>
    withPage((window) => window.webContents.executeJavaScript('(')),
  'protocol: a second handler': () => protocol.handle('app', () => new Response('')),
  'protocol: privileges once ready': () => protocol.registerSchemesAsPrivileged([{ scheme: 'b' }]),
  'protocol: what a page asks for': () =>
    withWindow(async (window) => {
      asked.length = 0
      await window.loadURL(`${home}script.html?query#part`)
      await settle()
      return [...asked].sort()
    }),
  'protocol: an address without a path': () =>
    withWindow(async (window) => {
      asked.length = 0
      await window.loadURL('app://main')
      return [asked, window.webContents.getURL()]
    }),
  'protocol: another host': () =>
    withWindow(async (window) => {
      await window.loadURL('app://other/other.html')
      return [asked.at(-1), window.webContents.getURL()]
    }),
  'protocol: the headers of a request': () =>
    withWindow(async (window) => {
      await window.loadURL(`${home}other.html`)
      return ['accept', 'user-agent', 'cookie'].map((name) => lastHeaders.has(name))
    }),
  'protocol: a form that is posted': () =>
    withPage(async (window) => {
      await inPage(window, '((form) => { form.method = "post"; form.submit() })(form)')
      await until('it was asked', () => asked.at(-1) === `POST ${home}other.html`)
      return asked.at(-1)
    }, 'free.html'),
  'page: a secure context': () => load('index.html', '[isSecureContext, typeof crypto.subtle]'),
  'page: its address': () => load('index.html', '[location.href, document.URL, document.baseURI]'),
  'page: its origin': () => load('index.html', '[location.origin, self.origin]'),
  'page: its encoding and mode': () =>
    load('index.html', '[document.characterSet, document.compatMode, document.contentType]'),
  'page: storage': () =>
    load('index.html', '(localStorage.setItem("a", "1"), localStorage.getItem("a"))'),
  'policy: scripts': () => load('script.html', '[typeof inline, typeof own, typeof elsewhere]'),
  'policy: a script put in': () =>
    load(
      'index.html',
      '(() => { const s = document.createElement("script"); try { s.textContent = "window.put = 1" } catch (error) { return error.name } document.body.append(s); return typeof put })()',
    ),
  'policy: markup as text': () => load('index.html', 'void (document.body.innerHTML = "<b>x</b>")'),
  'policy: eval': () =>
    load(
      'index.html',
      '(() => { try { return eval("1") } catch (error) { return error.name } })()',
    ),
  'policy: a policy of trusted types': () =>
    load('index.html', 'typeof trustedTypes.createPolicy("mine", {})'),
  'policy: a connection': () => load('index.html', 'fetch("app://main/other.html")'),
  'policy: a frame': () =>
    load(
      'index.html',
      `new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective, disposition }) => resolve([effectiveDirective, disposition]))
        const frame = document.createElement('iframe'); frame.src = 'https://elsewhere.invalid/'; document.body.append(frame)
      })`,
    ),
  'policy: a picture from elsewhere': () =>
    load(
      'index.html',
      `new Promise((resolve) => {
        const seen = []
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => seen.push(effectiveDirective, blockedURI))
        const image = new Image(); image.onerror = () => setTimeout(() => resolve(seen)); image.src = 'https://elsewhere.invalid/a.png'
      })`,
    ),
  'policy: a form': () =>
    load(
      'index.html',
      `new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective))
        const form = document.createElement('form'); form.action = 'other.html'; document.body.append(form); form.submit()
      })`,
    ),
  'policy: a base': () =>
    load(
      'index.html',
      '((base) => { base.href = "https://elsewhere.invalid/"; document.head.append(base); return document.baseURI === document.URL })(document.createElement("base"))',
    ),
  'policy: a script of another type': () => load('type-guarded.html', 'typeof guessed'),
  'policy: a missing image': () =>
    load(
      'index.html',
      'new Promise((resolve) => { const image = new Image(); image.onload = () => resolve("load"); image.onerror = () => resolve("error"); image.src = "nowhere.png" })',
    ),
  'page: what it can’t fetch': () =>
    load('free.html', 'fetch("app://main/other.html").then((a) => a.status)'),
  'page: service workers': () =>
    load('free.html', 'navigator.serviceWorker?.register("a.js").then(() => "registered")'),
  'app: a listener sees each page': async () => {
    const seen: unknown[] = []
    const look = (_event: unknown, contents: Electron.WebContents): void =>
      void seen.push(contents.getURL())
    app.on('web-contents-created', look)
    await withPage(() => undefined)
    app.off('web-contents-created', look)
    await sharedPage()
    return seen
  },
}
