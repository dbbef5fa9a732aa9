import { once } from 'node:events'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  _electron,
  test as base,
  type ElectronApplication,
  errors,
  type Page,
} from 'playwright/test'
import { appProgram, removeData } from '../support/app-program.ts'
import { testFonts } from '../support/browser.ts'
import { startDisplay } from '../support/display.ts'
import { type FakeDesktop, startDesktop } from '../support/session-bus.ts'
import { serveWorld, type WorldServer } from '../support/world-server.ts'
import { knownReason } from './known-on-electron.ts'

const projectRoot = fileURLToPath(new URL('../..', import.meta.url))
/** Programs that record what the app asks the system to open, without opening anything. */
const openers = fileURLToPath(new URL('bin', import.meta.url))

/** The built app as its user has it: started, closed, restarted. */
export interface Belfry {
  readonly app: ElectronApplication
  readonly window: Page
  /** The folder with everything that it stores. */
  readonly userData: string
  readonly env: Environment
  /** Quits it if it is still running, and starts it again on the same data. */
  relaunch(...appArguments: readonly string[]): Promise<void>
  quit(): Promise<void>
  /** What it has written to disk so far, as text by file name. */
  documents(): Promise<Readonly<Record<string, string>>>
  /** All standard output and error so far, of every start. */
  output(): string
  /** The addresses that it asked the system to open so far. Linux only. */
  opened(): Promise<readonly string[]>
  /** The questions asked in system dialogs since it was started; by default, the answer is yes. */
  questions(): Promise<readonly string[]>
  /** Sets the answer until the app is started again. */
  answerQuestions(agrees: boolean): Promise<void>
  /** Kills it with SIGKILL, as in a power cut, or another signal. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Resolves with the exit code once `asks` has made it end; null after a signal killed it. */
  endedBy(asks: (app: ElectronApplication) => Promise<void> | void): Promise<number | null>
}

interface Options {
  /** The arguments of the first start, such as `--demo`. */
  appArguments: readonly string[]
  /** Without a keyring, keys are kept for the session only. */
  keyring: boolean
  /** The parts of the fake desktop: by default a tray and a notification daemon. */
  desktopParts: Parameters<typeof startDesktop>[0]
  /** The seed of the demo world. */
  seed: number
  /** LC_TIME, the locale of times and numbers. */
  formats: string
}

interface Fixtures {
  /** Skips a test if the host is known to lack what it needs. */
  leftOut: undefined
  /** A private session bus with a tray and a notification daemon. */
  desktop: FakeDesktop
  /** Two monitoring projects and a chat realm on their own ports; the test advances their time. */
  server: WorldServer
  belfry: Belfry
  /** The app's window, loaded. */
  window: Page
}

interface Running {
  readonly app: ElectronApplication
  readonly window: Page
}

type Environment = Readonly<Record<string, string>>

function openedIn(userData: string): string {
  return join(userData, 'opened.txt')
}

/** Our environment without what would escape the test: dev server, display, the user's folders. */
export function environmentOf(
  userData: string,
  desktop: FakeDesktop,
  display: string,
  formats = 'en_GB.UTF-8',
): Environment {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(ELECTRON_|BELFRY_)/.test(entry[0]),
  )
  return {
    ...Object.fromEntries(kept),
    ...appProgram().env,
    DBUS_SESSION_BUS_ADDRESS: desktop.address,
    DBUS_SYSTEM_BUS_ADDRESS: desktop.address,
    XDG_CONFIG_HOME: join(userData, 'config'),
    DISPLAY: display,
    PATH: `${openers}${delimiter}${process.env['PATH'] ?? ''}`,
    BELFRY_OPENED: openedIn(userData),
    // The pictures of docs/ are taken with the fonts of the machine.
    ...(process.env['BELFRY_PICTURES'] === '1' ? {} : testFonts),
    TZ: 'UTC',
    LANG: 'en_US.UTF-8',
    LC_TIME: formats,
    LC_ALL: '',
  }
}

/**
 * On a screen without a graphics card, one start in some thousand comes up with a page that never
 * draws, so nothing in it can be clicked. Starts such an app once more, and says so.
 */
async function launch(args: readonly string[], env: Environment, log: string[]): Promise<Running> {
  const first = await launchOnce(args, env, log)
  // Weston without a screen never asks for frames.
  if (args.includes('--ozone-platform=wayland') || (await draws(first.window))) return first
  process.stdout.write('the window of a new start drew nothing; it is started again\n')
  await endOf(first, () => {
    first.app.process().kill('SIGKILL')
  })
  return launchOnce(args, env, log)
}

/** Far longer than a first frame takes on a busy computer. */
const firstFrameMs = 20_000

async function draws(window: Page): Promise<boolean> {
  const frame = () => new Promise((drawn) => void requestAnimationFrame(() => drawn(true)))
  try {
    await window.waitForFunction(frame, undefined, { timeout: firstFrameMs })
    return true
  } catch (error) {
    if (error instanceof errors.TimeoutError) return false
    throw error
  }
}

/** Like an expectation's timeout: Playwright's action timeouts don't cover an app started here. */
const waitMs = 120_000

async function launchOnce(
  args: readonly string[],
  env: Environment,
  log: string[],
): Promise<Running> {
  const app = await _electron.launch({
    executablePath: appProgram().path,
    cwd: projectRoot,
    args: ['.', ...args],
    // Sandboxes the renderers, as for a user.
    chromiumSandbox: appProgram().on === 'electron',
    env: { ...env },
    timeout: waitMs,
  })
  app.context().setDefaultTimeout(waitMs)
  askAgain(app)
  const { stdout, stderr } = app.process()
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (text: Buffer) => log.push(text.toString()))
  }
  const window = await app.firstWindow({ timeout: waitMs })
  window.on('console', (message) => log.push(`window: ${message.text()}\n`))
  window.on('pageerror', (error) => log.push(`window: ${error.stack ?? error.message}\n`))
  await window.waitForLoadState('load')
  // The window is shown once it was drawn; a test that hides it earlier would see it shown again.
  await app.evaluate(async ({ BrowserWindow }) => {
    const [made] = BrowserWindow.getAllWindows()
    if (made?.isVisible() === false)
      await new Promise<void>((shown) => {
        made.once('show', () => shown())
      })
  })
  await answerQuestions(app)
  return { app, window }
}

/** The questions asked in the app's dialogs, and the answer to them. */
interface Asked {
  readonly questions: string[]
  agrees: boolean
}

/** Replaces the dialogs in main through its debugger, which no build for users has. */
function answerQuestions(app: ElectronApplication): Promise<void> {
  return app.evaluate(({ dialog }) => {
    const asked: Asked = { questions: [], agrees: true }
    Reflect.set(globalThis, 'asked', asked)
    const showMessageBox = (...given: readonly unknown[]) => {
      const { message, detail } = given.at(-1) as Electron.MessageBoxOptions
      asked.questions.push(`${message}\n${detail}`)
      return Promise.resolve({ response: asked.agrees ? 1 : 0, checkboxChecked: false })
    }
    Object.assign(dialog, { showMessageBox })
  })
}

/** Two failures in a row were seen when main had much to collect. */
const mostTries = 10

/**
 * Nothing in main references the promise that the debugger waits for, so V8 may collect it first,
 * which makes Playwright's call fail. Repeats such a call.
 */
function askAgain(app: ElectronApplication): void {
  const evaluate = app.evaluate.bind(app) as (...question: unknown[]) => Promise<unknown>
  const asked = async (...question: unknown[]): Promise<unknown> => {
    for (let tries = 1; ; tries += 1)
      try {
        return await evaluate(...question)
      } catch (error) {
        const isLost = String(error).includes('promise was garbage collected')
        if (!isLost || tries === mostTries) throw error
      }
  }
  Object.assign(app, { evaluate: asked })
}

/** Gets the process first, since Playwright forgets it once it sees the app close. */
async function endOf({ app }: Running, end: () => Promise<void> | void): Promise<void> {
  const child = app.process()
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
  await end()
  await exited
}

interface Start {
  readonly userData: string
  readonly keyring: boolean
  readonly appArguments: readonly string[]
  readonly env: Environment
  readonly log: string[]
}

async function startBelfry({ userData, keyring, appArguments, env, log }: Start): Promise<Belfry> {
  const store = keyring ? 'gnome-libsecret' : 'basic'
  const start = (own: readonly string[]): Promise<Running> =>
    launch([`--user-data=${userData}`, `--password-store=${store}`, ...own], env, log)
  let running: Running | null = await start(appArguments)
  const present = (): Running => {
    if (running === null) throw new Error('the app was ended; relaunch() starts it again')
    return running
  }
  const endedBy: Belfry['endedBy'] = async (asks) => {
    const { app } = present()
    const child = app.process()
    await endOf(present(), () => asks(app))
    running = null
    return child.exitCode
  }
  const quit = async (): Promise<void> => {
    if (running !== null) await endedBy((app) => app.close())
  }
  return {
    get app() {
      return present().app
    },
    get window() {
      return present().window
    },
    userData,
    env,
    quit,
    output: () => log.join(''),
    opened: async () => {
      const text = await readFile(openedIn(userData), 'utf8').catch(() => '')
      return text.split('\n').filter((url) => url !== '')
    },
    documents: async () => {
      const folder = join(userData, 'data')
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
      const texts = names.map(async (name) => [name, await textOf(join(folder, name))] as const)
      return Object.fromEntries(
        (await Promise.all(texts)).flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
      )
    },
    questions: () =>
      present().app.evaluate(() => (Reflect.get(globalThis, 'asked') as Asked).questions),
    answerQuestions: (agrees) =>
      present().app.evaluate((_electron, answer) => {
        Reflect.set(Reflect.get(globalThis, 'asked') as Asked, 'agrees', answer)
      }, agrees),
    kill: async (signal = 'SIGKILL') => {
      await endedBy((app) => void app.process().kill(signal))
    },
    endedBy,
    relaunch: async (...again) => {
      await quit()
      running = await start(again)
    },
  }
}

/**
 * Evaluates code in the page through main, since Playwright gives a page up for good when it
 * crashes. A dead page never answers: rejects after two seconds.
 */
export function inPage(belfry: Belfry, code: string): Promise<unknown> {
  return belfry.app.evaluate(
    ({ BrowserWindow }, asked) =>
      Promise.race([
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(asked),
        new Promise((_resolve, reject) => {
          setTimeout(reject, 2_000, new Error('the page does not answer'))
        }),
      ]),
    code,
  )
}

/** Null for a file that was deleted since its folder was listed. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** This process and all its descendants. */
export async function family(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const children = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  const ids = children.join(' ').split(/\s+/).filter(Boolean).map(Number)
  return [pid, ...(await Promise.all(ids.map(family))).flat()]
}

interface WorkerFixtures {
  /** DISPLAY: a screen of its own where windows are real, else empty. */
  display: string
}

export const test = base.extend<Fixtures & Options, WorkerFixtures>({
  appArguments: [[], { option: true }],
  keyring: [true, { option: true }],
  desktopParts: [{}, { option: true }],
  seed: [1, { option: true }],
  formats: ['en_GB.UTF-8', { option: true }],

  display: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires destructuring.
    async ({}, use) => {
      if (appProgram().on === 'stand-in' || process.platform !== 'linux') return use('')
      const display = await startDisplay()
      await use(display.name)
      await display.stop()
    },
    { scope: 'worker' },
  ],

  leftOut: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires destructuring.
    async ({}, use, testInfo) => {
      const description = knownReason(testInfo.title)
      if (description !== null) testInfo.annotations.push({ type: 'known', description })
      testInfo.skip(description !== null, description ?? '')
      await use(undefined)
    },
    { auto: true },
  ],

  desktop: async ({ desktopParts }, use) => {
    const desktop = await startDesktop(desktopParts)
    await use(desktop)
    await desktop.stop()
  },

  server: async ({ seed }, use) => {
    const server = await serveWorld({ now: Date.now, seed, lively: false })
    await use(server)
    await server.close()
  },

  belfry: async ({ desktop, display, appArguments, keyring, formats }, use, testInfo) => {
    const userData = await mkdtemp(join(tmpdir(), 'belfry-'))
    const env = environmentOf(userData, desktop, display, formats)
    const log: string[] = []
    const belfry = await startBelfry({ userData, keyring, appArguments, env, log })
    await use(belfry)
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach('log of the app', { body: log.join('') })
    }
    await belfry.quit()
    await removeData(userData)
  },

  window: async ({ belfry }, use) => {
    await use(belfry.window)
  },
})

export { expect } from 'playwright/test'
