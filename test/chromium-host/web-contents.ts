import { existsSync, readFileSync } from 'node:fs'
import { fromPage, servedPatterns, toPage } from './addresses.ts'
import type { ExceptionDetails, PausedRequest } from './cdp.ts'
import { createClone } from './clone.ts'
import { answerRequest, refuse, requestedUrl } from './custom-protocol.ts'
import { type IpcEvent, ipcMain } from './ipc-main.ts'
import { type NativeImage, nativeImage } from './native-image.ts'
import {
  bindingName,
  deliverName,
  type FromPage,
  isolatedWorldName,
  type OpenDetails,
  type ToPage,
  worldScripts,
} from './page-worlds.ts'
import { emitNatively, emitPreventable, refuseDestroyed } from './preventable.ts'
import { standIn } from './refuse.ts'
import { chromium, running } from './running.ts'

const { pack, unpack } = createClone()

interface OpenAnswer {
  readonly action: string
}

/** The known `webPreferences`: any other is either required to be as here or has no effect. */
export interface WebPreferences {
  readonly preload?: string
  readonly sandbox?: boolean
  readonly contextIsolation?: boolean
  readonly nodeIntegration?: boolean
}

/** A navigation started by main, until the page has loaded. */
interface Loading extends PromiseWithResolvers<void> {
  readonly url: string
  /** The scheme's handler threw. */
  handlerFailed: boolean
}

/** A missing preload fails like one that throws. */
function readPreload(path: string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8')
  return `throw new Error(${JSON.stringify(`ENOENT: no such file or directory, open '${path}'`)})`
}

/** The app's own schemes have an origin, too. */
function originOf(url: string): string {
  const { protocol, host, origin } = new URL(url)
  return running.schemes.has(protocol.slice(0, -1)) ? `${protocol}//${host}` : origin
}

/** Chromium's own numbers. */
const netErrors: Readonly<Record<string, number>> = {
  ERR_FAILED: -2,
  ERR_ABORTED: -3,
  ERR_FILE_NOT_FOUND: -6,
  ERR_UNEXPECTED: -9,
  ERR_CONNECTION_REFUSED: -102,
  ERR_NAME_NOT_RESOLVED: -105,
  ERR_INVALID_URL: -300,
  ERR_UNSAFE_PORT: -312,
}

function loadError(code: string, url: string): Error {
  const errno = netErrors[code] ?? netErrors['ERR_FAILED']
  return Object.assign(new Error(`${code} (${errno}) loading '${url}'`), { code, errno, url })
}

/** Schemes whose requests `Fetch` does not see, since they go to other programs. */
const isForOthers = (url: string): boolean =>
  !/^(https?|file|data|about|blob|javascript):/.test(url)

/** The emulated media, for DevTools. */
const themed = (): object => ({
  features: [
    { name: 'prefers-color-scheme', value: running.theme === 'system' ? '' : running.theme },
  ],
})

let lastId = 0

/** A window's page: navigation, the app's own scheme, and IPC with the preload's world. */
export class WebContents extends standIn('WebContents') {
  readonly id: number
  /** The DevTools target and session; set once `opened` has resolved. */
  targetId = ''
  sessionId = ''
  readonly opened: Promise<void>
  /** The page closed itself, which can't be prevented. */
  onClose: () => void = () => undefined
  /** The page itself is reloading. */
  #reloads = false
  /** Main is reloading it. */
  #reloading = false
  readonly #preferences: WebPreferences
  #destroyed = false
  #url = ''
  /** Messages sent before there was any page. */
  #early: ToPage[] | null = []
  #world: { readonly id: number; readonly uniqueId: string } | undefined
  #loading: Loading | undefined
  #openHandler: ((details: OpenDetails) => OpenAnswer) | undefined

  constructor(openTarget: () => Promise<string>, preferences: WebPreferences) {
    super()
    lastId += 1
    this.id = lastId
    this.#preferences = preferences
    this.opened = this.#open(openTarget)
  }

  /** Only stored: the stand-in draws every page at its own size. */
  #zoom = 1

  setZoomFactor(factor: number): void {
    this.#zoom = factor
  }

  getZoomFactor(): number {
    return this.#zoom
  }

  /** Sends a DevTools command to this page. */
  async command(method: string, params: object = {}): Promise<unknown> {
    await this.opened
    return chromium().send(method, params, this.sessionId)
  }

  async #open(openTarget: () => Promise<string>): Promise<void> {
    this.targetId = await openTarget()
    const attach = { targetId: this.targetId, flatten: true }
    this.sessionId = (await chromium().send('Target.attachToTarget', attach)).sessionId
    this.#listen()
    const { preload } = this.#preferences
    const scripts = worldScripts(preload === undefined ? '' : readPreload(preload))
    const send = (method: string, params: object = {}): Promise<unknown> =>
      chromium().send(method, params, this.sessionId)
    // The main world's end of the bridge must exist before the preload's calls it.
    await Promise.all([
      send('Page.enable'),
      send('Runtime.enable'),
      send('Inspector.enable'),
      send('Runtime.addBinding', { name: bindingName, executionContextName: isolatedWorldName }),
      send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.main }),
      send('Page.addScriptToEvaluateOnNewDocument', {
        source: scripts.isolated,
        worldName: isolatedWorldName,
      }),
      send('Fetch.enable', {
        patterns: [{ urlPattern: '*', resourceType: 'Document' }, ...servedPatterns()],
      }),
      // Without a theme of the app's, whoever controls the browser from outside may have set one.
      ...(running.theme === 'system' ? [] : [send('Emulation.setEmulatedMedia', themed())]),
    ])
  }

  /** Applies the new theme of `nativeTheme`. */
  showTheme(): void {
    this.command('Emulation.setEmulatedMedia', themed()).catch((error: unknown) => {
      if (!running.exiting && !this.#destroyed) console.error('[chromium host]', error)
    })
  }

  #listen(): void {
    const { sessionId } = this
    const browser = chromium()
    browser.on(
      'Runtime.executionContextCreated',
      ({ context }) => {
        const main = context.auxData.frameId === this.targetId
        if (context.name !== isolatedWorldName || !main) return
        this.#world = context
        const early = this.#early ?? []
        this.#early = null
        for (const word of early) this.#deliver(word)
      },
      sessionId,
    )
    browser.on(
      'Runtime.executionContextDestroyed',
      ({ executionContextUniqueId }) => {
        if (executionContextUniqueId === this.#world?.uniqueId) this.#world = undefined
      },
      sessionId,
    )
    browser.on(
      'Runtime.bindingCalled',
      ({ payload, executionContextId }) => {
        if (executionContextId !== this.#world?.id) return
        // Written by the isolated world's script, which alone has the binding.
        void this.#receive(JSON.parse(payload) as FromPage)
      },
      sessionId,
    )
    browser.on('Fetch.requestPaused', (paused) => void this.#request(paused), sessionId)
    browser.on(
      'Page.frameNavigated',
      ({ frame }) => {
        if (frame.parentId === undefined) this.#url = frame.url + (frame.urlFragment ?? '')
      },
      sessionId,
    )
    browser.on(
      'Page.navigatedWithinDocument',
      ({ url }) => {
        this.#url = url
      },
      sessionId,
    )
    browser.on(
      'Page.frameRequestedNavigation',
      ({ frameId, reason, url }) => {
        const isMainFrame = frameId === this.targetId
        if (isMainFrame && reason === 'reload') this.#reloads = true
        if (isForOthers(url)) this.#mayNavigate(url, isMainFrame)
      },
      sessionId,
    )
    browser.on('Page.loadEventFired', () => this.#loaded(), sessionId)
    browser.on(
      'Inspector.targetCrashed',
      () => {
        emitNatively(this, 'render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
      },
      sessionId,
    )
  }

  #loaded(): void {
    if (this.#url === '' || this.#url === 'about:blank') return
    this.#loading?.resolve()
    this.#loading = undefined
    this.#reloads = false
    this.#reloading = false
    emitNatively(this, 'did-finish-load')
  }

  async #request(paused: PausedRequest): Promise<void> {
    const url = requestedUrl(paused)
    const isPage = paused.resourceType === 'Document' && paused.responseStatusCode === undefined
    if (isPage && !this.#isAsked(url, paused) && !this.#mayGo(url, paused)) {
      await refuse(paused, this.sessionId)
    } else {
      await answerRequest(paused, this.sessionId, () => {
        if (this.#loading !== undefined) this.#loading.handlerFailed = true
      })
    }
  }

  /** Whether main asked for it, for which no event is emitted. */
  #isAsked(url: string, { frameId, redirectedRequestId }: PausedRequest): boolean {
    if (frameId !== this.targetId || redirectedRequestId !== undefined) return false
    const page = (address: string): string => new URL(address).href.split('#')[0] ?? ''
    if (this.#loading !== undefined) return page(url) === page(this.#loading.url)
    // Whoever controls the browser from outside may reload it, too.
    return this.#reloading || (!this.#reloads && page(url) === page(this.getURL()))
  }

  #mayGo(url: string, { frameId, redirectedRequestId }: PausedRequest): boolean {
    const isMainFrame = frameId === this.targetId
    if (redirectedRequestId === undefined) return this.#mayNavigate(url, isMainFrame)
    return emitPreventable(this, 'will-redirect', { url, isMainFrame, isSameDocument: false }, url)
  }

  #mayNavigate(url: string, isMainFrame: boolean): boolean {
    const fields = { url, isMainFrame, isSameDocument: false }
    const mayFrame = emitPreventable(this, 'will-frame-navigate', fields, url)
    return mayFrame && (!isMainFrame || emitPreventable(this, 'will-navigate', fields, url))
  }

  async #receive({ kind, channel, text, id }: FromPage): Promise<void> {
    const value = unpack(text)
    if (kind === 'preloadError') {
      console.error(`Unable to load preload script: ${this.#preferences.preload}\n`, value)
      emitNatively(this, 'preload-error', {}, this.#preferences.preload, value)
    } else if (kind === 'close') {
      this.onClose()
    } else if (kind === 'open') {
      // Written by the isolated world's script.
      this.#askToOpen(value as OpenDetails)
    } else {
      const url = fromPage(this.#url)
      const senderFrame = { url, origin: originOf(url), parent: null }
      const event: IpcEvent = { sender: this, senderFrame }
      // `send` and `invoke` pack their arguments as a list.
      const args = value as unknown[]
      if (kind === 'send') emitNatively(ipcMain, channel, event, ...args)
      else await this.#answer(id, channel, ipcMain.invoke(channel, event, args, pack))
    }
  }

  #askToOpen(asked: OpenDetails): void {
    const details = { ...asked, url: fromPage(asked.url) }
    if (this.#openHandler?.(details).action === 'deny') return
    throw new Error(`chromium host: opening ${details.url} was allowed, which is not stood in for`)
  }

  async #answer(id: number, channel: string, reply: Promise<unknown>): Promise<void> {
    const world = this.#world?.uniqueId
    let answer: ToPage
    try {
      answer = { kind: 'done', channel, text: String(await reply), id }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      answer = { kind: 'failed', channel, text: pack(words), id }
    }
    // Only to the document that asked: after a reload, nobody is waiting any more.
    if (world === this.#world?.uniqueId) this.#deliver(answer)
  }

  #deliver(word: ToPage): void {
    if (this.#world === undefined) return void this.#early?.push(word)
    const params = {
      expression: `${deliverName}(${JSON.stringify(word)})`,
      uniqueContextId: this.#world.uniqueId,
    }
    // Rejects if the document disappears at this moment, and the message with it.
    chromium()
      .send('Runtime.evaluate', params, this.sessionId)
      .catch(() => undefined)
  }

  send(channel: string, ...args: unknown[]): void {
    if (typeof channel !== 'string') throw new TypeError('Missing required channel argument')
    try {
      this.#deliver({ kind: 'send', channel, text: pack(args), id: 0 })
    } catch (error) {
      console.error('Error sending from webFrameMain: ', error)
    }
  }

  loadURL(url: string): Promise<void> {
    this.#loading?.reject(loadError('ERR_ABORTED', url))
    if (!URL.canParse(url)) return Promise.reject(this.#failed('ERR_INVALID_URL', ''))
    const loading = { url, handlerFailed: false, ...Promise.withResolvers<void>() }
    this.#loading = loading
    void this.#navigate(loading)
    return loading.promise
  }

  async #navigate(loading: Loading): Promise<void> {
    const { url } = loading
    try {
      await this.opened
      const page = { url: toPage(url) }
      const { errorText, loaderId } = await chromium().send('Page.navigate', page, this.sessionId)
      if (this.#loading !== loading) return
      // A fragment of the current page.
      if (errorText === undefined && loaderId === undefined) {
        this.#url = page.url
        loading.resolve()
      }
      if (errorText === undefined) return
      const code = errorText.slice('net::'.length)
      // The navigation came to nothing, and no other replaced it.
      if (code === 'ERR_ABORTED') loading.reject(loadError('ERR_FAILED', url))
      else loading.reject(this.#failed(loading.handlerFailed ? 'ERR_UNEXPECTED' : code, url))
    } catch (error) {
      loading.reject(error)
    }
  }

  #failed(code: string, url: string): Error {
    const error = loadError(code, url)
    emitNatively(this, 'did-fail-load', {}, netErrors[code], code, url, true)
    return error
  }

  reload(): void {
    this.#reloading = true
    void this.command('Page.reload').catch((error: unknown) => {
      if (!running.exiting) console.error('[chromium host]', error)
    })
  }

  /** Through the browser, so that it works on a page that is busy for ever, too. */
  forcefullyCrashRenderer(): void {
    // A crashing page never answers.
    void this.command('Page.crash').catch(() => undefined)
  }

  /** For specs, since Playwright gives up a page that crashed. */
  async executeJavaScript(code: string): Promise<unknown> {
    const params = {
      expression: code,
      awaitPromise: true,
      returnByValue: true,
      allowUnsafeEvalBlockedByCSP: false,
    }
    // A DevTools reply; specs only ask for plain values.
    const { result, exceptionDetails } = (await this.command('Runtime.evaluate', params)) as {
      result: { value?: unknown }
      exceptionDetails?: ExceptionDetails
    }
    if (exceptionDetails?.text.includes('in promise') === true) {
      const [message = ''] = exceptionDetails.exception?.description?.split('\n') ?? []
      throw new Error(message.replace(/^\w*Error: /, ''))
    }
    if (exceptionDetails !== undefined)
      throw new Error(
        'Script failed to execute, this normally means an error was thrown. Check the renderer console for the error.',
      )
    return result.value
  }

  /** For `npm start -- --picture FILE`. */
  async capturePage(): Promise<NativeImage> {
    const { data } = (await this.command('Page.captureScreenshot')) as { data: string }
    return nativeImage.createFromBuffer(Buffer.from(data, 'base64'))
  }

  setWindowOpenHandler(handler: (details: OpenDetails) => OpenAnswer): void {
    this.#openHandler = handler
  }

  getURL(): string {
    return fromPage(this.#url)
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  /** Playwright's loader distinguishes windows by it. */
  getDevToolsTargetId(): string {
    return this.targetId
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    const { url } = this.#loading ?? { url: '' }
    this.#loading?.reject(loadError('ERR_FAILED', url))
    emitNatively(this, 'destroyed')
  }
}

refuseDestroyed(WebContents, ['command', 'destroy'])
