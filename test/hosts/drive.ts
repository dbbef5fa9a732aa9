import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { appProgram, removeData } from '../support/app-program.ts'
import { startDisplay } from '../support/display.ts'
import { startDesktop } from '../support/session-bus.ts'
import { type Around, surround } from './around.ts'

/** How long to wait for a probe's answer, ms. */
const patienceMs = 90_000

/** The results, by the name of the probe. */
export type Seen = Record<string, unknown>

interface Host {
  readonly app: string
  readonly around: Around
  /** For the environment. */
  readonly buses: Readonly<Record<string, string>>
  readonly display: string
  readonly folder: string
}

/** The running probe app. */
interface ProbeApp {
  readonly process: ChildProcess
  readonly userData: string
  /** What it can be asked for. */
  readonly does: Promise<{ readonly probes: string[]; readonly scenarios: string[] }>
  /** Lines of `say`, in order. */
  readonly said: string[]
  readonly output: string[]
  readonly ended: Promise<{ code: number | null; signal: string | null }>
  ask(name: string): Promise<unknown>
}

/** Runs everything on the host that `scripts/e2e.mjs` would take, and reports each to `found`. */
export async function probeHost(
  app: string,
  wanted: RegExp,
  found: (name: string, value: unknown) => void,
): Promise<void> {
  const isReal = appProgram().on === 'electron'
  const folder = await mkdtemp(join(tmpdir(), 'belfry-hosts-'))
  const display = isReal ? await startDisplay() : null
  const desktop = await startDesktop({ notifications: false })
  // Without any service on it, this is the system bus.
  const system = await startDesktop({ notifications: false, watcher: false })
  const around = await surround(desktop, system, folder)
  const buses = {
    DBUS_SESSION_BUS_ADDRESS: desktop.address,
    DBUS_SYSTEM_BUS_ADDRESS: system.address,
  }
  const host = { app, around, buses, display: display?.name ?? '', folder }
  try {
    let running = await startApp(host, [])
    const { probes, scenarios } = await running.does
    for (const name of probes.filter((one) => wanted.test(one))) {
      const value = await Promise.race([
        running.ask(name),
        running.ended.then((end) => `ended ${JSON.stringify(end)}: ${running.output.at(-1)}`),
        pause(patienceMs, 'no answer', { ref: false }),
      ])
      found(name, value)
      const { exitCode, signalCode } = running.process
      if (value !== 'no answer' && exitCode === null && signalCode === null) continue
      await end(running)
      running = await startApp(host, [])
      await running.does
    }
    await end(running)
    for (const name of scenarios.filter((one) => wanted.test(one)))
      found(name, await runScenario(host, name))
  } finally {
    around.close()
    await desktop.stop()
    await system.stop()
    await display?.stop()
    await removeData(folder)
  }
}

let started = 0

async function startApp(host: Host, args: readonly string[], folder?: string): Promise<ProbeApp> {
  started += 1
  const userData = folder ?? join(host.folder, String(started))
  await mkdir(userData, { recursive: true })
  const program = appProgram()
  const own = [`--user-data=${userData}`, '--own-switch=its value', '--password-store=basic']
  const child = spawn(program.path, [host.app, ...own, ...args], {
    cwd: host.folder,
    env: {
      ...process.env,
      ...program.env,
      DISPLAY: host.display,
      ...host.buses,
      PATH: `${host.around.openers}${delimiter}${process.env['PATH'] ?? ''}`,
      XDG_CONFIG_HOME: join(host.folder, 'config'),
      LANG: 'en_US.UTF-8',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  const does = Promise.withResolvers<{ probes: string[]; scenarios: string[] }>()
  const waiting = new Map<string, (value: unknown) => void>()
  const [said, output]: string[][] = [[], []]
  const app: ProbeApp = {
    process: child,
    userData,
    does: does.promise,
    said: said ?? [],
    output: output ?? [],
    ended: ending(child),
    ask: (name) =>
      new Promise((resolve) => {
        waiting.set(name, resolve)
        child.stdin.write(`${name}\n`)
      }),
  }
  createInterface({ input: child.stderr }).on('line', (line) => app.output.push(line))
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, kind, rest = ''] = /^(does|value|said|please) (.*)$/.exec(line) ?? []
    if (kind === 'said') app.said.push(rest)
    else if (kind === 'please') void oblige(host, app, JSON.parse(rest) as Wish)
    else if (kind === 'does')
      does.resolve(JSON.parse(rest) as { probes: string[]; scenarios: string[] })
    else if (kind === 'value') {
      const { name, value } = JSON.parse(rest) as { name: string; value: unknown }
      waiting.get(name)?.(value)
    } else app.output.push(line)
  })
  void app.ended.then(({ code }) =>
    does.reject(new Error(`the probe app ended with ${code}: ${app.output.join('\n')}`)),
  )
  does.promise.catch(() => undefined)
  return app
}

/** Resolves once all output is read; leftover processes may hold the output open for longer. */
async function ending(
  child: ChildProcess,
): Promise<{ code: number | null; signal: string | null }> {
  const closed = once(child, 'close')
  await once(child, 'exit')
  await Promise.race([closed, pause(1_000, null, { ref: false })])
  return { code: child.exitCode, signal: child.signalCode }
}

async function end({ process: child, ended }: ProbeApp): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

const seconds = new Map<ProbeApp, ProbeApp>()

/** What the app asks of its surroundings. */
interface Wish {
  readonly id: number
  readonly what: string
  readonly args: readonly unknown[]
}

/** Grants a wish, and answers with the result or the error. */
async function oblige(host: Host, app: ProbeApp, { id, what, args }: Wish): Promise<void> {
  const does: Around['does'] = { ...host.around.does, ...towards(host, app) }
  const wish = does[what]
  const answer = await Promise.resolve()
    // Each takes the arguments that the app gives.
    .then(() => Reflect.apply(wish as (...given: unknown[]) => unknown, undefined, args))
    .then(
      (value: unknown) => ({ value: value ?? null }),
      (error: unknown) => ({ error: String(error) }),
    )
  app.process.stdin?.write(`${JSON.stringify({ id, ...answer })}\n`)
}

const towards = (host: Host, app: ProbeApp): Around['does'] => ({
  signal: (signal: NodeJS.Signals) => void app.process.kill(signal),
  close: () => closeBrowser(app.userData),
  'start a second': async () => {
    const args = ['second', '--own-second', scenarioSwitch('early: the only instance')]
    seconds.set(app, await startApp(host, args, app.userData))
  },
  'wait for the second': async () => {
    const second = seconds.get(app)
    const { code } = (await second?.ended) ?? { code: null }
    app.said.push(`the second said ${second?.said.join(', ')} and ended with ${code}`)
    app.process.kill('SIGKILL')
  },
})

const scenarioSwitch = (name: string): string => `--scenario=${encodeURIComponent(name)}`

async function runScenario(host: Host, name: string): Promise<unknown> {
  const port = name.includes('by the browser') ? ['--remote-debugging-port=0'] : []
  const app = await startApp(host, [scenarioSwitch(name), ...port])
  const late = pause(patienceMs, null, { ref: false })
  const ended = await Promise.race([app.ended, late])
  if (ended === null) await end(app)
  return { said: app.said, end: ended ?? 'never' }
}

/** Makes the browser itself start the quit, with none of the app's own code on the stack. */
async function closeBrowser(userData: string): Promise<void> {
  const places = [userData, join(userData, 'Chromium')].map((one) =>
    join(one, 'DevToolsActivePort'),
  )
  const text = await Promise.any(places.map((place) => readFile(place, 'utf8')))
  const [port, path] = text.split('\n')
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 1, method: 'Browser.close' }))
}
