import { contextBridge, ipcRenderer } from 'electron'
import { describe, makeSample, raise } from './samples.ts'

/** The result of each attempt to expose something. */
const exposed: Record<string, string> = {}

function expose(name: string, key: string, value: unknown): void {
  try {
    contextBridge.exposeInMainWorld(key, value)
    exposed[name] = 'exposed'
  } catch (error) {
    exposed[name] = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}

function nested(depth: number): object {
  return depth === 0 ? {} : { in: nested(depth - 1) }
}

const inWords = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : describe(error)

/** What main pushed, in order. */
const heard: string[] = []
ipcRenderer.on('push', (_event, ...args: unknown[]) => heard.push(args.map(describe).join(' ')))
let onceHeard = 0
ipcRenderer.once('push', () => {
  onceHeard += 1
})
const removed = (): void => void heard.push('by what was removed')
ipcRenderer.on('push', removed)
const chained = ipcRenderer.off('push', removed) === ipcRenderer
let eventSender = 'none'
ipcRenderer.on('push', (event) => {
  eventSender = event.sender === ipcRenderer ? 'ipcRenderer' : 'another'
})

const kept: { act?: () => unknown } = {}

const probes = {
  heard: () => heard,
  onceHeard: () => onceHeard,
  chained: () => chained,
  eventSender: () => eventSender,
  exposed: () => exposed,
  /** Sends a sample to main, which describes what arrived. */
  sendSample: (name: string) => ipcRenderer.invoke('describe', makeSample(name)),
  /** Gets a sample from main, and describes what arrived. */
  getSample: async (name: string) => describe(await ipcRenderer.invoke('sample', name)),
  sendOneWay: (name: string) => ipcRenderer.send('one-way', makeSample(name)),
  invoke: async (channel: string) => {
    try {
      return describe(await ipcRenderer.invoke(channel))
    } catch (error) {
      return inWords(error)
    }
  },
  send: (channel: string, ...args: unknown[]) => ipcRenderer.send(channel, ...args),
  /** Describes values that cross the bridge in both directions. */
  describe: (value: unknown) => describe(value),
  sample: (name: string) => makeSample(name),
  echo: (value: unknown) => value,
  keep: (act: () => unknown) => {
    kept.act = act
  },
  callKept: () => kept.act?.(),
  keptIs: (act: () => unknown) => kept.act === act,
  callAndCatch: (act: () => unknown) => {
    try {
      return describe(act())
    } catch (error) {
      return inWords(error)
    }
  },
  catchRejected: async (act: () => Promise<unknown>) => {
    try {
      return describe(await act())
    } catch (error) {
      return inWords(error)
    }
  },
  throwError: () => {
    throw new TypeError('thrown in the preload')
  },
  throwText: () => {
    raise('a text')
  },
  throwObject: () => {
    raise({ message: 'of an object' })
  },
  throwNothing: () => {
    raise(null)
  },
  rejectError: async () => {
    throw new RangeError('rejected in the preload')
  },
  rejectText: () => Promise.reject('a text'),
  makeFunction: () => (a: number) => a + 1,
  nestedOf: (depth: number) => nested(depth),
  require: (name: string) => {
    try {
      // The `require` of the sandbox.
      return typeof require(name)
    } catch (error) {
      return inWords(error)
    }
  },
  globals: () => [typeof process, typeof Buffer, typeof require, typeof setImmediate],
  seesPage: () => Reflect.get(globalThis, 'pageGlobal') === undefined,
}

expose('the probes', 'probes', probes)
expose('a name twice', 'probes', {})
expose('a name of the page’s own', 'document', {})
expose('a text', 'exposedText', 'text')
expose('a symbol', 'exposedSymbol', Symbol('s'))
expose('deep nesting', 'exposedDeep', nested(2_000))
expose('nesting that may be', 'exposedNested', nested(450))
expose('a class', 'exposedClass', class A {})
expose('nothing', 'exposedNothing', undefined)
