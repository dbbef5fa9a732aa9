import { readFileSync } from 'node:fs'
import { fromPage, servedPatterns, toPage } from './addresses.ts'
import type { PausedRequest } from './cdp.ts'
import { createClone } from './clone.ts'
import { answerRequest, refuse, requestedUrl } from './custom-protocol.ts'
import { type IpcEvent, ipcMain } from './ipc-main.ts'
import {
  bindingName,
  deliverName,
  type FromPage,
  isolatedWorldName,
  type ToPage,
  worldScripts,
} from './page-worlds.ts'
import { emitPreventable } from './preventable.ts'
import { standIn } from './refuse.ts'
import { chromium, running } from './running.ts'

const { pack, unpack } = createClone()

interface OpenAnswer {
  readonly action: string
}

/** Of `webPreferences`: everything else is either required as it is here or without effect. */
export interface WebPreferences {
  readonly preload?: string
  readonly sandbox?: boolean
  readonly contextIsolation?: boolean
  readonly nodeIntegration?: boolean
}

/** A navigation that main asked for, until the page has loaded. */
interface Loading extends PromiseWithResolvers<void> {
  readonly url: string
}

let lastId = 0

/** A window's page: navigation, the app's own scheme, and IPC with the preload's world. */
export class WebContents extends standIn('WebContents') {
  readonly id: number
  /** The DevTools target and session; set once `opened` has resolved. */
  targetId = ''
  sessionId = ''
  readonly opened: Promise<void>
  readonly #preferences: WebPreferences
  #destroyed = false
  #url = ''
  #world: { readonly id: number; readonly uniqueId: string } | undefined
  #loading: Loading | undefined
  #openHandler: ((details: { url: string }) => OpenAnswer) | undefined

  constructor(openTarget: () => Promise<string>, preferences: WebPreferences) {
    super()
    lastId += 1
    this.id = lastId
    this.#preferences = preferences
    this.opened = this.#open(openTarget)
  }

  /** A DevTools command to this page. */
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
    const scripts = worldScripts(preload === undefined ? '' : readFileSync(preload, 'utf8'))
    const send = (method: string, params: object = {}): Promise<unknown> =>
      chromium().send(method, params, this.sessionId)
    // The main world's end of the bridge must be there before the preload's calls it.
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
    ])
  }

  #listen(): void {
    const { sessionId } = this
    const browser = chromium()
    browser.on(
      'Runtime.executionContextCreated',
      ({ context }) => {
        const main = context.auxData.frameId === this.targetId
        if (context.name === isolatedWorldName && main) this.#world = context
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
        if (frame.parentId === undefined) this.#url = frame.url
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
    browser.on('Page.loadEventFired', () => this.#loaded(), sessionId)
    browser.on(
      'Inspector.targetCrashed',
      () => {
        this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
      },
      sessionId,
    )
  }

  #loaded(): void {
    if (this.#url === '' || this.#url === 'about:blank') return
    this.#loading?.resolve()
    this.emit('did-finish-load')
  }

  async #request(paused: PausedRequest): Promise<void> {
    const url = requestedUrl(paused)
    const isMainFrame = paused.frameId === this.targetId
    const page = (address: string): string => address.split('#')[0] ?? ''
    const asked = isMainFrame && page(url) === page(this.#loading?.url ?? this.getURL())
    if (paused.resourceType === 'Document' && !asked && !this.#mayNavigate(url, isMainFrame)) {
      await refuse(paused, this.sessionId)
    } else {
      await answerRequest(paused, this.sessionId)
    }
  }

  #mayNavigate(url: string, isMainFrame: boolean): boolean {
    const fields = { url, isMainFrame, isSameDocument: false }
    const mayFrame = emitPreventable(this, 'will-frame-navigate', fields)
    return mayFrame && (!isMainFrame || emitPreventable(this, 'will-navigate', fields, url))
  }

  async #receive({ kind, channel, text, id }: FromPage): Promise<void> {
    const value = unpack(text)
    if (kind === 'preloadError') {
      console.error(`Unable to load preload script: ${this.#preferences.preload}\n`, value)
      this.emit('preload-error', {}, this.#preferences.preload, new Error(String(value)))
    } else if (kind === 'open') {
      this.#askToOpen(String(value))
    } else {
      const url = this.getURL()
      const senderFrame = { url, origin: new URL(url).origin, parent: null }
      const event: IpcEvent = { sender: this, senderFrame }
      // `send` and `invoke` pack their arguments as a list.
      const args = value as unknown[]
      if (kind === 'send') ipcMain.emit(channel, event, ...args)
      else await this.#answer(id, channel, ipcMain.invoke(channel, event, args))
    }
  }

  #askToOpen(url: string): void {
    const answer = this.#openHandler?.({ url })
    if (answer?.action === 'deny') return
    throw new Error(`chromium host: opening ${url} was allowed, which is not stood in for`)
  }

  async #answer(id: number, channel: string, reply: Promise<unknown>): Promise<void> {
    const world = this.#world?.uniqueId
    let answer: ToPage
    try {
      answer = { kind: 'done', channel, text: pack(await reply), id }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      answer = { kind: 'failed', channel, text: pack(words), id }
    }
    // The document that asked, or none: after a reload nobody waits any more.
    if (world === this.#world?.uniqueId) this.#deliver(answer)
  }

  #deliver(word: ToPage): void {
    if (this.#world === undefined) return
    const params = {
      expression: `${deliverName}(${JSON.stringify(word)})`,
      uniqueContextId: this.#world.uniqueId,
    }
    // Rejects when the document goes away in this moment, and the message with it.
    chromium()
      .send('Runtime.evaluate', params, this.sessionId)
      .catch(() => undefined)
  }

  send(channel: string, ...args: unknown[]): void {
    this.#deliver({ kind: 'send', channel, text: pack(args), id: 0 })
  }

  async loadURL(url: string): Promise<void> {
    const loading = { url, ...Promise.withResolvers<void>() }
    this.#loading = loading
    await this.opened
    const navigate = { url: toPage(url) }
    const { errorText } = await chromium().send('Page.navigate', navigate, this.sessionId)
    if (errorText !== undefined)
      throw new Error(`${errorText.slice('net::'.length)} loading '${url}'`)
    await loading.promise
  }

  reload(): void {
    void this.command('Page.reload').catch((error: unknown) => {
      if (!running.exiting) console.error('[chromium host]', error)
    })
  }

  /** On the browser's side, so that a page that is busy for ever goes as well. */
  forcefullyCrashRenderer(): void {
    // A page that crashes answers no more.
    void this.command('Page.crash').catch(() => undefined)
  }

  /** What specs ask of a page that Playwright gave up when it crashed. */
  async executeJavaScript(code: string): Promise<unknown> {
    const params = { expression: code, awaitPromise: true, returnByValue: true }
    // A DevTools reply; specs ask for plain values only.
    const { result } = (await this.command('Runtime.evaluate', params)) as {
      result: { value?: unknown }
    }
    return result.value
  }

  setWindowOpenHandler(handler: (details: { url: string }) => OpenAnswer): void {
    this.#openHandler = handler
  }

  getURL(): string {
    return fromPage(this.#url)
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  /** Playwright's loader tells windows apart by it. */
  getDevToolsTargetId(): string {
    return this.targetId
  }

  destroy(): void {
    this.#destroyed = true
    this.emit('destroyed')
  }
}
