import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, ElectronApplication, Page } from 'playwright/test'

/** Everything seen in each place so far. */
export type Places = Map<string, (string | Buffer)[]>

export function keep(places: Places, place: string, seen: string | Buffer): void {
  const all = places.get(place) ?? []
  if (!all.some((one) => one === seen)) all.push(seen)
  places.set(place, all)
}

/** What main records for the test: everything that crossed IPC since `recordIpc`. */
interface Recorded {
  readonly inputs: string[]
  readonly answers: string[]
  readonly pushed: string[]
}

/**
 * Records IPC in main, both ways. The inputs of the three commands that take a key are left out;
 * their answers are not.
 */
export async function recordIpc(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ ipcMain, webContents }) => {
    const recorded: Recorded = { inputs: [], answers: [], pushed: [] }
    const oneWay = ['tryAccount', 'addAccount', 'replaceKey']
    const own = globalThis as unknown as { belfryIpc?: Recorded }
    if (own.belfryIpc !== undefined) return
    own.belfryIpc = recorded
    // No declaration includes the table of handlers.
    const { _invokeHandlers: handlers } = ipcMain as unknown as {
      _invokeHandlers: Map<string, (event: object, ...args: unknown[]) => Promise<unknown>>
    }
    const note = async (args: readonly unknown[], answer: Promise<unknown>): Promise<unknown> => {
      if (!oneWay.includes(String(args[0]))) recorded.inputs.push(JSON.stringify(args))
      recorded.answers.push(JSON.stringify(await answer))
      return answer
    }
    const handler = handlers.get('command')
    if (handler === undefined) throw new Error('no way to listen to IPC')
    handlers.set('command', (event, ...args) => note(args, handler(event, ...args)))
    for (const contents of webContents.getAllWebContents()) {
      const send = contents.send.bind(contents)
      contents.send = (channel: string, ...args: unknown[]) => {
        const json = (_name: string, value: unknown): unknown =>
          value instanceof Map || value instanceof Set ? [...value] : value
        recorded.pushed.push(JSON.stringify(args, json))
        send(channel, ...args)
      }
    }
  })
}

export async function collectIpc(app: ElectronApplication, places: Places): Promise<void> {
  const recorded = await app.evaluate(
    () => (globalThis as unknown as { belfryIpc: Recorded }).belfryIpc,
  )
  for (const [kind, texts] of Object.entries<readonly string[]>({ ...recorded }))
    keep(places, `IPC ${kind}`, texts.join('\n'))
}

/** What the page shows: its document, the values of its fields, and what a screen reader gets. */
export async function collectPage(window: Page, places: Places): Promise<void> {
  keep(places, 'DOM', await window.content())
  // The one place where a key may be: the field in which the user is typing it.
  const values = await window.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('input:not([name="key"]), textarea, select')]
      .map(({ value }) => value)
      .join('\n'),
  )
  keep(places, 'fields', values)
  const typing = await window.locator('input[name="key"]').count()
  if (typing === 0) keep(places, 'accessibility tree', await window.locator('html').ariaSnapshot())
}

/** What the page could store itself. Whatever of it is on disk is in the user data too. */
export async function collectStorage(window: Page, places: Places): Promise<void> {
  const kept = await window.evaluate(async () => {
    const caught = async (look: () => unknown): Promise<string> => {
      try {
        return JSON.stringify(await look())
      } catch (error) {
        // The policy forbids it, so there is nothing.
        return error instanceof Error ? error.name : ''
      }
    }
    return Promise.all([
      caught(() => ({ ...localStorage })),
      caught(() => ({ ...sessionStorage })),
      caught(() => indexedDB.databases()),
      caught(() => caches.keys()),
      caught(() => document.cookie),
      caught(() => ({
        history: history.state as unknown,
        name: document.defaultView?.name,
        url: location.href,
      })),
    ])
  })
  keep(places, 'storage of the page', kept.join('\n'))
}

/** Answers main's watchdog for a page that seems to hang while its heap snapshot is taken. */
async function answerFor(app: ElectronApplication, answers: boolean): Promise<void> {
  await app.evaluate(({ BrowserWindow, ipcMain }, begins) => {
    const own = globalThis as unknown as { belfryAnswers?: ReturnType<typeof setInterval> }
    clearInterval(own.belfryAnswers)
    if (!begins) return
    own.belfryAnswers = setInterval(() => {
      const [window] = BrowserWindow.getAllWindows()
      const sender = window?.webContents
      const senderFrame = { url: sender?.getURL() ?? '', parent: null }
      ipcMain.emit('pong', { sender, senderFrame })
    }, 200)
  }, answers)
}

/** All strings in the page's heap, after garbage collection. */
export async function collectHeap(
  app: ElectronApplication,
  session: CDPSession,
  places: Places,
): Promise<number> {
  const chunks: string[] = []
  const hear = ({ chunk }: { chunk: string }): void => void chunks.push(chunk)
  session.on('HeapProfiler.addHeapSnapshotChunk', hear)
  await answerFor(app, true)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await answerFor(app, false)
  session.off('HeapProfiler.addHeapSnapshotChunk', hear)
  const text = chunks.join('')
  keep(places, 'heap of the page', text)
  return text.length
}

/** The contents and names of all files below a folder. */
export async function collectFiles(folder: string, places: Places): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  keep(places, 'names of files', entries.map(({ name }) => name).join('\n'))
  for (const entry of entries) {
    if (!entry.isFile()) continue
    // A file that disappeared meanwhile is looked for again at the next step.
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => null)
    if (bytes !== null) keep(places, 'user data', bytes)
  }
}

/** Command lines and environments of a process and all its descendants. Linux only. */
export async function collectProcesses(root: number, places: Places): Promise<void> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const status = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const parent = /\) \S (\d+)/.exec(status)?.[1]
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const belongs = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === root || belongs(parents.get(pid)))
  for (const pid of [...parents.keys()].filter(belongs)) {
    for (const [file, place] of [
      ['cmdline', 'command lines'],
      ['environ', 'environments'],
    ] as const) {
      const bytes = await readFile(`/proc/${pid}/${file}`).catch(() => null)
      if (bytes !== null) keep(places, place, bytes)
    }
  }
}
