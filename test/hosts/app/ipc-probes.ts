import { ipcMain } from 'electron'
import {
  home,
  inPage,
  inWords,
  type Probes,
  preload,
  settle,
  sharedPage,
  until,
  withPage,
  withWindow,
} from './probe.ts'
import { describe, makeSample, raise } from './samples.ts'

// A name without a sample returns the list of names.
const names = makeSample('') as string[]

const oneWay: string[] = []
const events: Electron.IpcMainEvent[] = []

export function listen(): void {
  ipcMain.handle('describe', (_event, value: unknown) => describe(value))
  ipcMain.handle('sample', (_event, name: string) => makeSample(name))
  ipcMain.on('one-way', (_event, ...args: unknown[]) => oneWay.push(args.map(describe).join(' ')))
  ipcMain.on('look', (event) => events.push(event))
  ipcMain.handle('throws an error', () => {
    throw new TypeError('wrong type')
  })
  ipcMain.handle('throws an error of its own', () => {
    throw Object.assign(new Error('own words'), { name: 'OwnError', code: 7 })
  })
  ipcMain.handle('throws a text', () => {
    raise('a text')
  })
  ipcMain.handle('rejects', () => Promise.reject(new RangeError('too far')))
  ipcMain.handle('answers a function', () => () => 1)
  ipcMain.handle('answers nothing', () => undefined)
  ipcMain.handle('answers later', async () => {
    await new Promise(setImmediate)
    return 'later'
  })
}

const call = async (code: string): Promise<unknown> => inPage(await sharedPage(), code)

async function lookedAt(): Promise<Electron.IpcMainEvent> {
  events.length = 0
  await call("probes.send('look')")
  await until('the event', () => events.length > 0)
  const [event] = events
  if (event === undefined) throw new Error('no event')
  return event
}

const crossing = Object.fromEntries(
  names.flatMap((name) => [
    [`ipc to main: ${name}`, () => call(`probes.sendSample(${JSON.stringify(name)})`)],
    [`ipc from main: ${name}`, () => call(`probes.getSample(${JSON.stringify(name)})`)],
  ]),
)

const failing = Object.fromEntries(
  [
    ...['throws an error', 'throws an error of its own', 'throws a text'],
    ...['rejects', 'answers a function', 'answers nothing', 'answers later', 'has no handler'],
  ].map((channel) => [
    `ipc invoke: what ${channel}`,
    () => call(`probes.invoke(${JSON.stringify(channel)})`),
  ]),
)

export const ipcProbes: Probes = {
  ...crossing,
  ...failing,
  'ipc: a second handler': () => {
    try {
      ipcMain.handle('describe', () => 1)
      return 'taken'
    } catch (error) {
      return inWords(error)
    }
  },
  'ipc: a handler that was removed': async () => {
    ipcMain.handle('removed', () => 1)
    ipcMain.removeHandler('removed')
    return call("probes.invoke('removed')")
  },
  'ipc: removing a missing handler': () => ipcMain.removeHandler('never there'),
  'ipc send: order': async () => {
    oneWay.length = 0
    await call("[1, 2, 3, 4, 5].forEach((n) => probes.send('one-way', n))")
    await until('five', () => oneWay.length === 5)
    return oneWay
  },
  'ipc send: many arguments': async () => {
    oneWay.length = 0
    await call("probes.send('one-way', 1, 'two', [3])")
    await until('one', () => oneWay.length === 1)
    return oneWay
  },
  'ipc send: a function': () => call("probes.sendOneWay('a function')"),
  'ipc send: without a channel': () => call('probes.send()'),
  'ipc invoke after send: order': async () => {
    oneWay.length = 0
    await call("(probes.send('one-way', 'first'), probes.sendSample('null'))")
    return oneWay
  },
  'ipc event: sender': async () => (await lookedAt()).sender === (await sharedPage()).webContents,
  'ipc event: senderFrame.url': async () => (await lookedAt()).senderFrame?.url,
  'ipc event: senderFrame.origin': async () => (await lookedAt()).senderFrame?.origin,
  'ipc event: senderFrame.parent': async () => String((await lookedAt()).senderFrame?.parent),
  'ipc push: order, and every argument': () =>
    withPage(async (window) => {
      for (const n of [1, 2, 3]) window.webContents.send('push', n, 'more')
      return inPage(window, 'probes.heard()')
    }),
  'ipc push: once, off and the event': () =>
    withPage(async (window) => {
      for (const n of [1, 2]) window.webContents.send('push', n)
      const code = '[probes.heard(), probes.onceHeard(), probes.chained(), probes.eventSender()]'
      return inPage(window, code)
    }),
  'ipc push: a function': () =>
    withPage(async (window) => {
      window.webContents.send('push', () => 1)
      window.webContents.send('push', 'after')
      return inPage(window, 'probes.heard()')
    }),
  'ipc push: no channel': () =>
    withWindow((window) => {
      Reflect.apply(window.webContents.send, window.webContents, [])
    }),
  'ipc push: before anything is loaded': () =>
    withPage(async (page) => {
      return withWindow(
        async (window) => {
          window.webContents.send('push', 'earliest')
          await window.loadURL(`${home}index.html`)
          await settle()
          return [page.isDestroyed(), await inPage(window, 'probes.heard()')]
        },
        { webPreferences: { preload } },
      )
    }),
  'ipc push: as the page has loaded': () =>
    withPage(async (window) => {
      window.webContents.once('did-finish-load', () => window.webContents.send('push', 'loaded'))
      await window.loadURL(window.webContents.getURL())
      return inPage(window, 'probes.heard()')
    }),
  'ipc: a listener that throws': async () => {
    const seen: string[] = []
    const hear = (error: Error): void => void seen.push(inWords(error))
    process.once('uncaughtException', hear)
    ipcMain.once('throwing', () => {
      throw new Error('in a listener')
    })
    await call("probes.send('throwing')")
    await until('it was caught', () => seen.length > 0)
    return seen
  },
}
