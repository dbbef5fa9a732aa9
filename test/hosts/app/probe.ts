import { BrowserWindow } from 'electron'
import { describe, makeSample } from './samples.ts'

/** Examines one thing; the result is compared between the hosts, as JSON. */
export type Probe = () => unknown
export type Probes = Readonly<Record<string, Probe>>

export const home = 'app://main/'
export const preload = `${import.meta.dirname}/preload.cjs`

/** The result, or the error in words. */
export async function outcome(run: Probe): Promise<unknown> {
  try {
    return (await run()) ?? null
  } catch (error) {
    return `throws ${inWords(error)}`
  }
}

export function inWords(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : describe(error)
}

export function openWindow(options: Electron.BrowserWindowConstructorOptions = {}): BrowserWindow {
  return new BrowserWindow({ show: false, width: 500, height: 400, ...options })
}

/** A window with the app's preload and its page. */
export async function openPage(path = 'index.html'): Promise<BrowserWindow> {
  const window = openWindow({ webPreferences: { preload } })
  await window.loadURL(home + path)
  await stopped(window)
  return window
}

/**
 * Waits for Electron to stop loading, which it does after it said that a page is there: it would
 * take that for the failure of a load that follows at once.
 */
export async function stopped({ webContents }: BrowserWindow): Promise<void> {
  if (process.versions['chromium-host'] === undefined)
    await until('it stopped loading', () => !webContents.isLoading())
}

/** Runs with a page of its own, destroyed afterwards. */
export async function withPage<T>(
  use: (window: BrowserWindow) => Promise<T> | T,
  path?: string,
): Promise<T> {
  const window = await openPage(path)
  try {
    return await use(window)
  } finally {
    if (!window.isDestroyed()) window.destroy()
  }
}

export async function withWindow<T>(
  use: (window: BrowserWindow) => Promise<T> | T,
  options?: Electron.BrowserWindowConstructorOptions,
): Promise<T> {
  const window = openWindow(options)
  try {
    return await use(window)
  } finally {
    if (!window.isDestroyed()) window.destroy()
  }
}

let shared: Promise<BrowserWindow> | undefined

/** One page for all probes that change nothing in it. */
export function sharedPage(): Promise<BrowserWindow> {
  shared ??= openPage()
  return shared
}

/** Evaluates code in the page's own world, with `makeSample` and `describe`. */
export function inPage(window: BrowserWindow, code: string): Promise<unknown> {
  const tools = `const makeSample = ${String(makeSample)}; const describe = ${String(describe)};`
  return window.webContents.executeJavaScript(
    `(async () => { ${tools} try { return await (${code}) } catch (error) {
      return 'throws ' + (error instanceof Error ? error.name + ': ' + error.message : describe(error))
    } })()`,
  ) as Promise<unknown>
}

/** Resolves once `holds` is true; throws after a minute, naming what was awaited. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Records the events of these names, by emitter. */
export function record(
  emitters: Readonly<Record<string, NodeJS.EventEmitter>>,
  names: readonly string[],
): string[] {
  const seen: string[] = []
  for (const [who, emitter] of Object.entries(emitters))
    for (const name of names) emitter.on(name, () => seen.push(`${who} ${name}`))
  return seen
}

/** Waits for everything in flight in the app and its browser, by opening a page. */
export async function settle(): Promise<void> {
  const window = openWindow()
  await window.loadURL('data:text/html,settled')
  window.destroy()
}

const waiting = new Map<number, PromiseWithResolvers<unknown>>()

/** Asks the driver, which runs the desktop around this app (`around.ts`, `drive.ts`). */
export function ask(what: string, ...args: unknown[]): Promise<unknown> {
  const id = waiting.size + 1
  const answer = Promise.withResolvers<unknown>()
  waiting.set(id, answer)
  process.stdout.write(`please ${JSON.stringify({ id, what, args })}\n`)
  return answer.promise
}

/** Handles a line with the driver's answer. */
export function hearAnswer(line: string): void {
  // Written by `drive.ts`.
  const { id, value, error } = JSON.parse(line) as { id: number; value?: unknown; error?: string }
  const answer = waiting.get(id)
  if (error === undefined) answer?.resolve(value)
  else answer?.reject(new Error(error))
}
