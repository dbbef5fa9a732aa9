import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright/test'
import { projectRoot } from '../../scripts/programs.mjs'
import { linkCorpus } from '../security/link-corpus.ts'
import { appProgram } from '../support/app-program.ts'
import { chromiumLaunch } from '../support/browser.ts'
import { makePackage } from '../support/package.ts'
import { serve, type TestServer } from '../support/test-server.ts'
import { startBare } from './bare-app.ts'
import { type Belfry, expect, family, test } from './fixtures.ts'

/**
 * Everything a page could do to navigate, open, load or send. Runs in the page, from a timer, since
 * code called by DevTools is exempt from the page's policy.
 */
function tryEverything(foreign: string): Promise<string[]> {
  type Run = (text: string) => unknown
  const thrown: string[] = []
  const make = (name: string, fields: Record<string, string>): HTMLElement => {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(fields)) made.setAttribute(key, value)
    document.body.append(made)
    return made
  }
  const click = (fields: Record<string, string>, init: MouseEventInit = {}): void => {
    const link = make('a', fields)
    link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...init }))
  }
  const submit = (fields: Record<string, string>): void => {
    const form = make('form', fields)
    if (form instanceof HTMLFormElement) form.submit()
  }
  const attempts: Record<string, () => unknown> = {
    image: () => make('img', { src: `${foreign}image` }),
    picture: () => make('input', { type: 'image', src: `${foreign}input` }),
    poster: () => make('video', { src: `${foreign}video`, poster: `${foreign}poster` }),
    audio: () => make('audio', { src: `${foreign}audio`, autoplay: '' }),
    script: () => make('script', { src: `${foreign}script` }),
    style: () => make('link', { rel: 'stylesheet', href: `${foreign}style` }),
    icon: () => make('link', { rel: 'icon', href: `${foreign}icon` }),
    preload: () => make('link', { rel: 'preload', as: 'image', href: `${foreign}preload` }),
    prefetch: () => make('link', { rel: 'prefetch', href: `${foreign}prefetch` }),
    module: () => make('link', { rel: 'modulepreload', href: `${foreign}module` }),
    inlineStyle: () => make('p', { style: `background:url(${foreign}background)` }),
    frame: () => make('iframe', { src: `${foreign}frame` }),
    frameInside: () => make('iframe', { srcdoc: `<img src="${foreign}srcdoc">` }),
    object: () => make('object', { data: `${foreign}object` }),
    embed: () => make('embed', { src: `${foreign}embed` }),
    webview: () => make('webview', { src: `${foreign}webview` }),
    fetch: () => fetch(`${foreign}fetch`).catch(() => thrown.push('fetch')),
    post: () =>
      fetch(`${foreign}post`, { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => 0),
    request: () => {
      const request = new XMLHttpRequest()
      request.open('GET', `${foreign}xhr`)
      request.send()
    },
    events: () => new EventSource(`${foreign}events`),
    socket: () => new WebSocket(`${foreign.replace('http', 'ws')}socket`),
    beacon: () => navigator.sendBeacon(`${foreign}beacon`, 'x'),
    worker: () => new Worker(`${foreign}worker`),
    workerOfText: () => new Worker(`data:text/javascript,fetch("${foreign}data-worker")`),
    sharedWorker: () => new SharedWorker(`${foreign}shared-worker`),
    serviceWorker: () =>
      navigator.serviceWorker.register(`${foreign}service-worker`).catch(() => 0),
    import: () => import(/* @vite-ignore */ `${foreign}import`).catch(() => 0),
    // Obtained by name, since our source may not contain eval or a function made from text.
    evaluate: () => (Reflect.get(window, 'eval') as Run)(`fetch("${foreign}eval")`),
    construct: () => (Reflect.construct(Function, [`fetch("${foreign}function")`]) as Run)(''),
    timer: () => setTimeout(Reflect.get({ text: `fetch("${foreign}timer")` }, 'text')),
    markup: () => {
      document.body.insertAdjacentHTML('beforeend', `<img src="${foreign}markup">`)
    },
    handler: () => make('img', { src: 'data:,', onerror: `fetch("${foreign}handler")` }),
    download: () => click({ href: `${foreign}download`, download: 'x.exe' }),
    downloadOfText: () => click({ href: 'data:text/plain,x', download: 'x.txt' }),
    window: () => window.open(`${foreign}window`),
    windowOfScript: () => window.open(`javascript:fetch("${foreign}window-script")`),
    newTab: () => click({ href: `${foreign}blank`, target: '_blank', rel: 'opener' }),
    controlClick: () => click({ href: `${foreign}control` }, { ctrlKey: true }),
    scriptLink: () => click({ href: `javascript:fetch("${foreign}script-link")` }),
    form: () => submit({ action: `${foreign}form`, method: 'post' }),
    formOfScript: () => submit({ action: `javascript:fetch("${foreign}form-script")` }),
    refresh: () => make('meta', { 'http-equiv': 'refresh', content: `0;url=${foreign}refresh` }),
    base: () => make('base', { href: `${foreign}base/` }),
    link: () => click({ href: `${foreign}link` }),
    file: () => {
      location.href = 'file:///etc/passwd'
    },
    data: () => {
      location.href = 'data:text/html,gone'
    },
    script2: () => {
      location.href = `javascript:fetch("${foreign}location-script")`
    },
    location: () => location.assign(`${foreign}location`),
    replace: () => location.replace(`${foreign}replace`),
  }
  return new Promise((done) => {
    setTimeout(() => {
      for (const [name, attempt] of Object.entries(attempts)) {
        try {
          attempt()
        } catch {
          // The page's policy threw at once.
          thrown.push(name)
        }
      }
      done(thrown)
    })
  })
}

/** A foreign server that answers everything; `requests` lists what reached it. */
function foreignServer(): Promise<TestServer> {
  return serve((_request, response) => {
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' })
    response.end('<!doctype html><p>foreign</p>')
  })
}

/** Records from now on what the page's policy refuses, and which navigations main is asked for. */
async function hearRefusals({ app, window }: Belfry): Promise<() => Promise<string[]>> {
  await window.evaluate(() => {
    const heard: string[] = []
    Reflect.set(window, 'refusals', heard)
    document.addEventListener('securitypolicyviolation', ({ blockedURI, sample }) =>
      heard.push(`${blockedURI} ${sample}`),
    )
  })
  await app.evaluate(({ BrowserWindow }) => {
    const heard: string[] = []
    Reflect.set(globalThis, 'navigations', heard)
    BrowserWindow.getAllWindows()[0]?.webContents.on('will-frame-navigate', ({ url }) =>
      heard.push(url),
    )
  })
  return async () => [
    ...(await window.evaluate(() => Reflect.get(window, 'refusals') as string[])),
    ...(await app.evaluate(() => Reflect.get(globalThis, 'navigations') as string[])),
  ]
}

/**
 * The attempts with a visible refusal. Of several navigations only the last counts, `replace`,
 * which reaches main after everything before it.
 */
const refusedAloud = [
  ...['image', 'input', 'video', 'poster', 'audio', 'script', 'style', 'icon', 'preload'],
  ...['prefetch', 'module', 'srcdoc', 'object', 'embed', 'fetch', 'post', 'xhr', 'events'],
  ...['socket', 'beacon', 'worker', 'shared-worker', 'service-worker', 'import', 'eval', 'timer'],
  ...['markup', 'handler', 'base', 'replace'],
]

/** Once main answers the page, it has handled everything the page asked before. */
async function roundTrip(page: Page): Promise<void> {
  await page.evaluate(() => document.defaultView?.bridge.call('dismissTrouble', { id: 'none' }))
}

/** Drops a file on the page, as the system does. */
async function dropFile(page: Page, file: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [file], dragOperationsMask: 1 }
    await devtools.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data })
  }
  await devtools.detach()
}

async function clickInTheMiddle(page: Page, address: string): Promise<void> {
  await page.evaluate((href) => {
    const link = document.createElement('a')
    Object.assign(link, { href, textContent: 'middle', id: 'middle' })
    document.body.prepend(link)
  }, address)
  await page.locator('#middle').click({ button: 'middle' })
}

/** The pages of the whole browser, whoever opened them. */
async function pagesOf(page: Page): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page)
  const { targetInfos } = await devtools.send('Target.getTargets')
  await devtools.detach()
  return targetInfos.filter(({ type }) => type === 'page').map(({ url }) => url)
}

test.describe('a page that was taken over', () => {
  test('cannot navigate, open, load, send or download', async ({ belfry, window }) => {
    const server = await foreignServer()
    await window.getByRole('button', { name: 'Explore the demo' }).waitFor()
    const home = window.url()
    const refusals = await hearRefusals(belfry)
    await window.evaluate(tryEverything, `${server.url}/`)
    const silent = async (): Promise<string[]> => {
      const heard = (await refusals()).join('\n')
      return refusedAloud.filter((name) => !new RegExp(`:${server.port}/${name}\\b`).test(heard))
    }
    await expect.poll(silent).toEqual([])
    await roundTrip(window)
    expect(server.requests).toEqual([])
    expect(window.url()).toBe(home)
    expect(await window.evaluate(() => document.title)).toBe('Belfry')
    const after = await belfry.app.evaluate(({ BrowserWindow, session }) => ({
      windows: BrowserWindow.getAllWindows().length,
      downloads: Reflect.get(session.defaultSession, 'downloads') as unknown,
    }))
    expect(after.windows).toBe(1)
    // Programs start in their own time: once this one has, earlier ones have, too.
    const last = 'https://last.example/'
    await window.evaluate((url) => document.defaultView!.bridge.call('openLink', { url }), last)
    await expect.poll(() => belfry.opened()).toContain(last)
    expect(await belfry.opened()).toEqual([last])
    const downloads = (after.downloads ?? []) as { prevented: boolean }[]
    expect(downloads.filter(({ prevented }) => !prevented)).toEqual([])
    await server.close()
  })

  test('could do most of it in an ordinary browser: the control of the test above', async () => {
    const server = await foreignServer()
    const browser = await chromium.launch(chromiumLaunch())
    const page = await browser.newPage()
    await page.goto(`${server.url}/start`)
    await page.evaluate(tryEverything, `${server.url}/`).catch(() => undefined)
    await expect.poll(() => new Set(server.requests).size).toBeGreaterThan(20)
    await browser.close()
    await server.close()
  })

  test('is not replaced by a dropped file or a middle click', async ({ belfry, window }) => {
    const server = await foreignServer()
    await window.getByRole('button', { name: 'Explore the demo' }).waitFor()
    const home = window.url()
    const file = join(belfry.userData, 'dropped.html')
    await writeFile(file, '<title>dropped</title>')
    const refusals = await hearRefusals(belfry)
    await window.evaluate(() => {
      for (const type of ['drop', 'auxclick'])
        document.addEventListener(type, ({ defaultPrevented }) => {
          Reflect.set(document, `heard ${type}`, { defaultPrevented })
        })
    })
    const heard = (type: string) =>
      window.evaluate((name) => Reflect.get(document, `heard ${name}`) as unknown, type)
    await dropFile(window, file)
    await expect.poll(() => heard('drop')).toEqual({ defaultPrevented: true })
    await clickInTheMiddle(window, `${server.url}/middle`)
    await expect.poll(() => heard('auxclick')).toBeTruthy()
    await roundTrip(window)
    expect(await refusals()).toEqual([])
    expect(window.url()).toBe(home)
    expect(await window.evaluate(() => document.title)).toBe('Belfry')
    expect(await pagesOf(window)).toHaveLength(1)
    expect(server.requests).toEqual([])
    await server.close()
  })

  test('would be replaced by both in an ordinary browser: the control of the test above', async ({
    belfry,
  }) => {
    const server = await foreignServer()
    const file = join(belfry.userData, 'dropped.html')
    await writeFile(file, '<title>dropped</title>')
    // The headless shell ignores dropped files, so this needs an ordinary browser.
    const browser = await chromium.launch(chromiumLaunch('headed'))
    const page = await browser.newPage()
    await page.goto(`${server.url}/start`)
    await dropFile(page, file)
    await expect.poll(() => pagesOf(page)).toContain(`file://${file}`)
    await page.bringToFront()
    await clickInTheMiddle(page, `${server.url}/middle`)
    await expect.poll(() => server.requests).toContain('GET /middle')
    await browser.close()
    await server.close()
  })

  test('is granted nothing', async ({ window }) => {
    await window.getByRole('button', { name: 'Explore the demo' }).waitFor()
    const states = await window.evaluate(async () => {
      const names = [
        ...['geolocation', 'notifications', 'midi', 'camera', 'microphone', 'clipboard-read'],
        ...['persistent-storage', 'local-fonts', 'window-management'],
        ...['screen-wake-lock', 'idle-detection', 'background-sync', 'accelerometer'],
      ]
      const asked = names.map(async (name) => {
        try {
          return `${name} ${(await navigator.permissions.query({ name } as never)).state}`
        } catch {
          // This browser does not know the name.
          return `${name} unknown`
        }
      })
      return Promise.all(asked)
    })
    expect(states.filter((state) => state.endsWith('denied')).length).toBeGreaterThan(8)
    expect(states.filter((state) => /granted|prompt/.test(state))).toEqual([])
    const asking = await window.evaluate(async () => {
      const no = (): string => 'no'
      const place = new Promise<string>((answer) => {
        navigator.geolocation.getCurrentPosition(
          () => answer('yes'),
          () => answer('no'),
        )
      })
      return Promise.all([
        place,
        navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'yes', no),
        navigator.clipboard.readText().then(() => 'yes', no),
        Notification.requestPermission(),
      ])
    })
    expect(asking).toEqual(['no', 'no', 'no', 'denied'])
  })

  test('is the page we served, under the policy we wrote, without Node', async ({ window }) => {
    await window.getByRole('button', { name: 'Explore the demo' }).waitFor()
    const seen = await window.evaluate(() => ({
      policy: document.querySelector('meta[http-equiv]')?.getAttribute('content') ?? '',
      node: ['require', 'process', 'module', 'global', 'Buffer'].filter((name) => name in window),
      given: Object.keys(Reflect.get(window, 'bridge') as object).sort(),
      html: (() => {
        try {
          document.createElement('p').innerHTML = '<b>x</b>'
          return 'was taken'
        } catch {
          // As the policy demands.
          return 'refused'
        }
      })(),
    }))
    expect(seen.node).toEqual([])
    expect(seen.given).toEqual(['call', 'follow'])
    expect(seen.html).toBe('refused')
    expect(seen.policy).toContain("trusted-types 'none'")
    expect(seen.policy).not.toMatch(/unsafe|'self'|\*/)
  })
})

test.describe('links that a page asks to open', () => {
  test('reach the system only where the corpus says so', async ({ belfry, window }) => {
    await window.getByRole('button', { name: 'Explore the demo' }).waitFor()
    const answers = await window.evaluate(
      async (urls) => {
        const bridge = Reflect.get(window, 'bridge') as {
          call(name: string, input: object): Promise<{ ok: boolean }>
        }
        const oks: boolean[] = []
        for (const url of urls) {
          oks.push((await bridge.call('openLink', { url })).ok)
          // Below the rate that main allows a window.
          await new Promise((resolve) => setTimeout(resolve, 15))
        }
        return oks
      },
      linkCorpus.map(({ url }) => url),
    )
    expect(linkCorpus.filter(({ opens }, at) => opens !== answers[at])).toEqual([])
    const expected = linkCorpus.filter(({ opens }) => opens).length
    await expect.poll(async () => (await belfry.opened()).length).toBe(expected)
    const opened = await belfry.opened()
    expect(opened.filter((url) => !/^(https?:\/\/|mailto:)/.test(url))).toEqual([])
  })
})

const hostileArguments = [
  ...['--inspect-brk=0', '--inspect-port=0', '--js-flags=--expose-gc', '--no-sandbox'],
  ...['--disable-web-security', '--load-extension=/tmp', '--proxy-server=127.0.0.1:1'],
  ...['--renderer-cmd-prefix=false', '--gpu-launcher=false', '--remote-allow-origins=*'],
  ...['belfry://open?x=1', 'https://evil.example/', 'file:///etc/passwd', '--demo=1', '--', '-e'],
]

/** Ports on which these processes listen (proc(5), "net/tcp": state 0A). */
async function listening(pids: readonly number[]): Promise<string[]> {
  const links = await Promise.all(
    pids.map(async (pid) => {
      const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
      return Promise.all(files.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
    }),
  )
  const sockets = new Set(
    links.flat().flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []),
  )
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  )
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && sockets.has(fields[9] ?? ''))
    .map((fields) => fields[1] ?? '')
}

/** The processes of an app whose page has one: that begins after the icon is there. */
async function familyWithPage(app: number): Promise<number[]> {
  let pids: number[] = []
  const renderers = async () => {
    pids = await family(app)
    const commands = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
    return (await Promise.all(commands)).filter((one) => one.includes('--type=renderer'))
  }
  await expect.poll(renderers).not.toEqual([])
  return pids
}

/** Renderers among these that see other processes, or may make any system call. */
async function unconfined(pids: readonly number[]): Promise<string[]> {
  const renderers: string[] = []
  const free: string[] = []
  for (const pid of pids) {
    // A process that has ended meanwhile has neither.
    const [command = '', status = ''] = await Promise.all(
      ['cmdline', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    )
    if (!command.includes('--type=renderer') || status === '') continue
    renderers.push(command)
    const spaces = /^NSpid:\s*(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? []
    if (spaces.length < 2 || !/^Seccomp:\s*2$/m.test(status)) free.push(status)
  }
  expect(renderers).not.toEqual([])
  return free
}

/** Processes whose core dump would include memory: proc(5), `coredump_filter` and its owner. */
async function dumpable(pids: readonly number[]): Promise<number[]> {
  const looks = pids.map(async (pid) => {
    try {
      const file = `/proc/${pid}/coredump_filter`
      const [filter, { uid }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
      const isOurs = uid === process.getuid?.()
      // Empty for a process that has just ended and is not yet waited for.
      return isOurs && Number.parseInt(filter, 16) > 0
    } catch {
      // It has ended meanwhile, or may not be inspected: it isn't dumped either.
      return false
    }
  })
  const found = await Promise.all(looks)
  return pids.filter((_pid, at) => found[at])
}

test.describe('a build for users', () => {
  test('ignores a dev server, whatever the environment says', () => {
    const name = 'ELECTRON_RENDERER_URL'
    const built = readdirSync(join(projectRoot, 'out/main')).filter((file) => file.endsWith('.cjs'))
    const texts = built.map((file) => readFileSync(join(projectRoot, 'out/main', file), 'utf8'))
    expect(texts.filter((text) => text.includes(name))).toEqual([])
    expect(readFileSync(join(projectRoot, 'src/main/index.ts'), 'utf8')).toContain(name)
  })
})

test.describe('a start with a hostile command line', () => {
  test.skip(process.platform !== 'linux', 'looks into /proc')

  test('starts as usual, and listens on no port', async ({ display }) => {
    const { on, path } = appProgram()
    const folder = mkdtempSync(join(tmpdir(), 'belfry-package-'))
    // A checkout is left alone, since its debugger uses just these switches.
    const program = on === 'electron' ? makePackage(path, folder) : undefined
    const app = await startBare(display, hostileArguments, program)
    const pid = await app.desktop.processOf(app.item)
    // The stand-in's page is no child of the app.
    const ours = on === 'electron' ? await familyWithPage(pid) : await family(pid)
    expect(ours.length).toBeGreaterThan(2)
    expect(await listening(ours)).toEqual([])
    // Control: the same function finds an open port.
    const control = await serve((_request, response) => response.end())
    expect(await listening([process.pid])).not.toEqual([])
    await control.close()
    if (on === 'electron') expect(await unconfined(ours)).toEqual([])
    expect(await dumpable(ours)).toEqual([])
    // Control: the same function finds this process, whose dump would include memory.
    expect(await dumpable([process.pid])).toEqual([process.pid])
    expect(await app.quit()).toBe(0)
    rmSync(folder, { recursive: true, force: true })
  })
})
