import { createClone } from './clone.ts'
import { createPageBridge, type PageBridge } from './page-bridge.ts'

/** The preload's world, with Electron's name for it. */
export const isolatedWorldName = 'Electron Isolated Context'
/**
 * The function by which the preload's world calls this process; removed before the preload runs.
 */
export const bindingName = '__chromiumHost'
/** The function by which this process calls the preload's world. */
export const deliverName = '__chromiumHostDeliver'

/** From the page: an IPC call or message, a requested pop-up, or a preload that failed. */
export interface FromPage {
  readonly kind: 'invoke' | 'send' | 'open' | 'close' | 'preloadError'
  readonly channel: string
  /** Packed arguments. */
  readonly text: string
  /** The number of the call, to answer it. */
  readonly id: number
}

/** Details of a window that a page wants to open. */
export interface OpenDetails {
  readonly url: string
  readonly frameName: string
  readonly disposition: string
}

/** To the page: a pushed message, or the result of call `id`. */
export interface ToPage {
  readonly kind: 'send' | 'done' | 'failed'
  readonly channel: string
  readonly text: string
  readonly id: number
}

type BridgeMaker = typeof createPageBridge

/** Runs in the page's own world: takes what the preload exposes, deep-frozen as in Electron. */
function mainWorld(token: string, makeBridge: BridgeMaker, openKey: string): void {
  const freeze = (value: unknown): unknown => {
    const isObject = value !== null && typeof value === 'object'
    if ((isObject || typeof value === 'function') && !Object.isFrozen(value)) {
      Object.freeze(value)
      Object.values(value).forEach(freeze)
    }
    return value
  }
  makeBridge({ out: `${token}>`, in: `${token}<` }, (name, value) => {
    if (name === openKey) {
      const own = value as { open: (url: string, name: string) => void; close: () => void }
      window.open = (url = '', name = '') => {
        own.open(url === '' ? 'about:blank' : new URL(url, document.baseURI).href, String(name))
        return null
      }
      // Chromium only lets scripts close windows that scripts opened.
      window.close = () => own.close()
      return
    }
    if (Object.hasOwn(window, name)) {
      throw new Error('Cannot bind an API on top of an existing property on the window object')
    }
    Object.defineProperty(window, name, { value: freeze(value), enumerable: true })
  })
}

interface World {
  readonly token: string
  readonly binding: string
  readonly deliver: string
  readonly openKey: string
}

type Preload = (
  require: (name: string) => unknown,
  module: { exports: object },
  exports: object,
) => void
type Listener = (event: object, ...args: unknown[]) => void

/** Runs in the isolated world: the preload with its `electron`. */
function isolatedWorld(
  world: World,
  makeBridge: BridgeMaker,
  makeClone: typeof createClone,
  preload: Preload,
): void {
  const own = globalThis as unknown as Record<string, unknown>
  const send = own[world.binding] as (text: string) => void
  delete own[world.binding]
  const { pack, unpack } = makeClone()
  const listeners = new Map<string, Listener[]>()
  const calls = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0

  const post = (kind: FromPage['kind'], channel: string, value: unknown): number => {
    if (typeof channel !== 'string')
      throw new TypeError(
        `Error processing argument at index 1, conversion failure from ${String(channel)}`,
      )
    const text = pack(value)
    lastId += 1
    send(JSON.stringify({ kind, channel, text, id: lastId } satisfies FromPage))
    return lastId
  }
  const refusing = <T extends object>(name: string, members: T): T =>
    new Proxy(members, {
      get: (target, key, receiver) => {
        if (key in target) return Reflect.get(target, key, receiver) as unknown
        throw new Error(`chromium host: ${name}.${String(key)} is not stood in for`)
      },
    })
  interface IpcRenderer {
    send(channel: string, ...args: unknown[]): void
    invoke(channel: string, ...args: unknown[]): Promise<unknown>
    on(channel: string, listener: Listener): IpcRenderer
    once(channel: string, listener: Listener): IpcRenderer
    off(channel: string, listener: Listener): IpcRenderer
  }
  const ipcRenderer: IpcRenderer = refusing<IpcRenderer>('ipcRenderer', {
    send: (channel: string, ...args: unknown[]) => void post('send', channel, args),
    invoke: (channel: string, ...args: unknown[]) => {
      const call = Promise.withResolvers<unknown>()
      calls.set(post('invoke', channel, args), call)
      return call.promise
    },
    on: (channel: string, listener: Listener) => {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      return ipcRenderer
    },
    once: (channel: string, listener: Listener) => {
      const once: Listener = (...args) => {
        ipcRenderer.off(channel, once)
        listener(...args)
      }
      return ipcRenderer.on(channel, once)
    },
    off: (channel: string, listener: Listener) => {
      const rest = (listeners.get(channel) ?? []).filter((other) => other !== listener)
      listeners.set(channel, rest)
      return ipcRenderer
    },
  })
  own[world.deliver] = ({ kind, channel, text, id }: ToPage): void => {
    const value = unpack(text)
    if (kind === 'send') {
      for (const listener of listeners.get(channel) ?? []) {
        listener({ sender: ipcRenderer }, ...(value as unknown[]))
      }
      return
    }
    const call = calls.get(id)
    calls.delete(id)
    if (kind === 'done') call?.resolve(value)
    else call?.reject(new Error(String(value)))
  }

  const bridge: PageBridge = makeBridge({ out: `${world.token}<`, in: `${world.token}>` }, () => {
    throw new Error('Only the preload exposes')
  })
  // A pop-up that Chromium opened and we closed again can hang a Playwright that holds it paused,
  // so this stops the page before, and asks main's window-open handler.
  const open = (url: string, frameName = '', disposition = 'foreground-tab'): void =>
    void post('open', '', { url, frameName, disposition } satisfies OpenDetails)
  bridge.expose(world.openKey, { open, close: () => void post('close', '', '') })
  const stopNewWindow = (event: MouseEvent): void => {
    const link = event
      .composedPath()
      .find((node): node is HTMLAnchorElement => node instanceof HTMLAnchorElement)
    const keys = event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1
    if (link === undefined || event.defaultPrevented) return
    if (link.target !== '_blank' && !keys) return
    event.preventDefault()
    const disposition = event.button === 1 ? 'background-tab' : 'foreground-tab'
    open(link.href, '', event.shiftKey ? 'new-window' : disposition)
  }
  window.addEventListener('click', stopNewWindow)
  window.addEventListener('auxclick', stopNewWindow)

  const electron = refusing('electron (preload)', {
    ipcRenderer,
    contextBridge: refusing('contextBridge', {
      exposeInMainWorld: (name: string, api: unknown) => bridge.expose(name, api),
    }),
  })
  const require = (name: string): unknown => {
    if (name === 'electron' || name === 'electron/renderer') return electron
    throw new Error(`module not found: ${name}`)
  }
  try {
    const module = { exports: {} }
    preload(require, module, module.exports)
  } catch (error) {
    post('preloadError', '', error)
  }
}

/** The scripts that run in every new document of a window, before its own. */
export function worldScripts(preloadSource: string): { main: string; isolated: string } {
  const world: World = {
    token: crypto.randomUUID(),
    binding: bindingName,
    deliver: deliverName,
    openKey: crypto.randomUUID(),
  }
  const [token, openKey] = [world.token, world.openKey].map((text) => JSON.stringify(text))
  const [bridge, clone] = [String(createPageBridge), String(createClone)]
  const preload = `(require, module, exports) => {${preloadSource}\n}`
  // Frames in the page get neither world, since Electron runs preloads only in the main frame.
  const run = 'window === window.top && '
  return {
    main: `${run}(${String(mainWorld)})(${token}, ${bridge}, ${openKey})`,
    isolated: `${run}(${String(isolatedWorld)})(${JSON.stringify(world)}, ${bridge}, ${clone}, ${preload})`,
  }
}
