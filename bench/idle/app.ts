import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FakeDesktop, startDesktop } from '../../test/support/session-bus.ts'
import { type Server, serveAlone } from '../child.ts'
import type { Numbers, Opened, Reading } from '../measurement.ts'
import type { Answer, Order } from './driver.ts'
import type { WorldReady } from './world.ts'

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const projectRoot = file('../..')

/**
 * Shared by all starts, the first of which sets up: after that, the host's TypeScript is compiled,
 * and Node's compiler, which an app in Electron doesn't need, is not loaded.
 */
const compileCache = file('../../node_modules/.cache/idle')
/** Far more than a start and an order take: only a hang reaches these. */
const startLimitMs = 60_000
const orderLimitMs = 60_000

/** The built app, hidden in the tray of a desktop of its own. */
export interface IdleApp {
  readonly pid: number
  /** Resolves with ms if the order is timed. */
  tell(order: Order): Promise<number>
  end(): Promise<void>
}

/** 200 checks and a realm, and a data folder of the app with their accounts. */
export interface Place {
  readonly world: Server<WorldReady>
  start(): Promise<IdleApp>
  close(): Promise<void>
}

/** `nodeArguments` are for profiling, such as `--cpu-prof`. */
async function openPlace(nodeArguments: readonly string[] = []): Promise<Place> {
  if (!existsSync(join(projectRoot, 'out/main/entry.cjs')))
    throw new Error('nothing is built: run `npm run build` first')
  const world = await serveAlone<WorldReady>(new URL('world.ts', import.meta.url))
  const desktop = await startDesktop()
  const folder = await mkdtemp(join(tmpdir(), 'belfry-idle-'))
  const settled = join(folder, 'settled')
  const first = await startApp({ userData: settled, desktop, nodeArguments: [] })
  try {
    await first.tell({ do: 'setUp', accounts: world.ready.accounts })
  } catch (error) {
    // A process left running would keep the whole bench from ending.
    await Promise.all([world.close(), desktop.stop()])
    throw error
  } finally {
    await first.end()
  }
  let starts = 0
  return {
    world,
    async start() {
      starts += 1
      const userData = join(folder, String(starts))
      await cp(settled, userData, { recursive: true })
      return startApp({ userData, desktop, nodeArguments })
    },
    async close() {
      await world.close()
      await desktop.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/** One contender, `app`, with a fresh start of the app for each run. */
export async function openApp(
  measured: (app: IdleApp, place: Place) => Promise<Numbers>,
): Promise<Opened> {
  const place = await openPlace()
  const run = async (): Promise<Numbers> => {
    const app = await place.start()
    try {
      return await measured(app, place)
    } finally {
      await app.end()
    }
  }
  return { contenders: { app: run }, close: place.close }
}

export const ofApp = (number: string): Reading => ({ contender: 'app', number })

interface Start {
  readonly userData: string
  readonly desktop: FakeDesktop
  readonly nodeArguments: readonly string[]
}

async function startApp({ userData, desktop, nodeArguments }: Start): Promise<IdleApp> {
  const before = desktop.items.all.length
  const child = fork(
    file('../../test/chromium-host/main.ts'),
    [
      ...['-r', file('driver.ts'), `--user-data=${userData}`],
      ...['--password-store=gnome-libsecret', projectRoot, '--hidden'],
    ],
    {
      cwd: projectRoot,
      execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc', ...nodeArguments],
      env: {
        ...process.env,
        HOME: userData,
        XDG_CONFIG_HOME: userData,
        TZ: 'UTC',
        LANG: 'en_US.UTF-8',
        DBUS_SESSION_BUS_ADDRESS: desktop.address,
        NODE_COMPILE_CACHE: compileCache,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  const { pid } = child
  if (pid === undefined) throw new Error('idle: the app could not be started')
  // The app has started when its tray icon is there.
  await desktop.items.waitFor((item) => desktop.items.all.indexOf(item) >= before, startLimitMs)
  return { pid, tell: (order) => tell(child, order), end: () => end(child) }
}

async function tell(child: ChildProcess, order: Order): Promise<number> {
  const told = new AbortController()
  const { signal } = told
  const limit = AbortSignal.any([signal, AbortSignal.timeout(orderLimitMs)])
  const answered = once(child, 'message', { signal: limit })
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('idle: the app ended')
  })
  ended.catch(() => {
    // Once there is an answer, nobody waits for this.
  })
  child.send(order)
  try {
    // Only the driver sends messages.
    const [answer] = (await Promise.race([answered, ended])) as [Answer]
    if (answer.failure !== undefined) throw new Error(`idle: ${order.do}: ${answer.failure}`)
    return answer.ms
  } finally {
    told.abort()
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
