import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findElectron, projectRoot } from '../../scripts/programs.mjs'
import { fetchRealElectron, ordinaryUser } from '../../scripts/real-electron.mjs'
import { type Server, serveAlone } from '../child.ts'
import { cpuOfFamily, family, memoryOf, wakeUps } from '../idle/processes.ts'
import type { WorldCounts, WorldReady } from '../idle/world.ts'
import type { Measurement, Numbers, Opened, Target } from '../measurement.ts'
import type { Started } from './once.ts'

/** What a user waits for or pays with, relative to a hello app. */
function beside(goal: string, number: string, what: string, atMost: number): Target {
  const of = { contender: 'belfry', number }
  const against = { contender: 'hello', number }
  return { goal, what, of, against, atMost, unit: /Ms$/.test(number) ? 'ms' : 'MiB' }
}

const checks = 1_000
/** Time after the start in which CPU time is counted. */
const firstMs = 15_000
/** Time to settle after the window is hidden, and the time measured after that. */
const hiddenSettleMs = 30_000
const hiddenMs = 60_000
/**
 * From the click that hides the window until it is destroyed: the app keeps it for five minutes,
 * the hello app for two.
 */
const letGoMs = { belfry: 320_000, hello: 140_000 } as const

/**
 * The built app with a project of 1,000 checks and a chat, whose servers have their own process, on
 * Electron itself: its own program if that is installed, else the tests' Electron 33, which lacks
 * `setHTML` and node:sqlite. Compared with an app that has a tray icon and one window with a
 * heading. The whole process tree counts; only root can read the memory of sandboxed processes.
 */
export const real: Measurement = {
  name: 'real',
  rounds: 5,
  notInSmoke: true,
  targets: [
    beside('the real start', 'trayMs', 'exec to tray icon, real Electron', 1.35),
    beside('the real start', 'contentMs', 'exec to content', 2.8),
    {
      goal: 'the real start',
      what: 'blank window before a tenth of it',
      of: { contender: 'belfry', number: 'blankMs' },
      atMost: 50,
      unit: 'ms',
    },
    beside('real memory', 'pss', 'PSS, board open', 1.2),
    beside('real memory', 'private', 'private memory, board open', 1.3),
    beside('real CPU', 'trayCpuMs', 'CPU by the tray icon', 1.35),
    beside('real CPU', 'boardCpuMs', 'CPU by the last known board, a tenth of it', 2),
    beside('real CPU', 'contentCpuMs', 'CPU by confirmed content', 2.8),
    beside('real CPU', 'cpuMs', 'CPU of the first 15 s', 2.5),
  ],
  open: () => openBoth((started) => started.numbers()),
}

/** The same, hidden by a click on its icon. Takes nine minutes a round. */
export const realHidden: Measurement = {
  name: 'real-hidden',
  rounds: 3,
  notInSmoke: true,
  targets: [
    {
      goal: 'real CPU',
      what: 'CPU of a minute hidden, 1,000 checks and a chat',
      of: { contender: 'belfry', number: 'hiddenCpuMs' },
      atMost: 200,
      unit: 'ms',
    },
    {
      goal: 'real CPU',
      what: 'wake-ups of a minute hidden, all threads',
      of: { contender: 'belfry', number: 'hiddenWakeUps' },
      atMost: 600,
    },
    {
      goal: 'real CPU',
      what: 'requests a minute of one key, hidden',
      of: { contender: 'belfry', number: 'requests' },
      atMost: 3,
    },
    beside('real memory', 'privateLetGo', 'private memory, window destroyed', 1.25),
  ],
  open: () =>
    openBoth(async ({ pid, hide }, world, name) => {
      await hide()
      const hiddenAt = Date.now()
      await wait(hiddenSettleMs)
      await world.ask('count')
      const before = cpuOfFamily(pid)
      const wokenBefore = wakeUpsOf(pid)
      await wait(hiddenMs)
      const hiddenWakeUps = wokenSince(wokenBefore, wakeUpsOf(pid))
      const hiddenCpuMs = cpuOfFamily(pid) - before
      // What `world.ts` answers with.
      const { most } = (await world.ask('count')) as WorldCounts
      await wait(letGoMs[name] - (Date.now() - hiddenAt))
      return { hiddenCpuMs, hiddenWakeUps, requests: most, privateLetGo: sumOf(pid, privateOf) }
    }),
}

const privateOf = (pid: number): number => memoryOf(pid, ['Private_Clean', 'Private_Dirty'])

function sumOf(root: number, of: (pid: number) => number): number {
  return family(root).reduce((all, one) => all + of(one), 0)
}

function wakeUpsOf(root: number): ReadonlyMap<string, number> {
  return new Map(family(root).flatMap((pid) => [...wakeUps(pid)]))
}

/** Threads that ended meanwhile are left out. */
function wokenSince(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number {
  return [...after].reduce((all, [thread, times]) => all + times - (before.get(thread) ?? 0), 0)
}

interface Running {
  readonly pid: number
  /** The results of its first 15 s. */
  numbers(): Promise<Numbers>
  /** Hides its window with a click on its icon. */
  hide(): Promise<void>
  end(): Promise<void>
}

type User = ReturnType<typeof ordinaryUser>
type World = Server<WorldReady>

async function openBoth(
  measured: (app: Running, world: World, name: 'belfry' | 'hello') => Promise<Numbers>,
): Promise<Opened> {
  const electron = findElectron() ?? fetchRealElectron()
  const data = mkdtempSync(join(tmpdir(), 'belfry-data-'))
  const user = ordinaryUser(electron, data)
  const hello = helloApp()
  const world = await serveAlone<WorldReady>(new URL('../idle/world.ts', import.meta.url), [
    String(checks),
  ])
  const run = async (name: 'belfry' | 'hello', args: readonly string[]): Promise<Numbers> => {
    await world.ask('count')
    const app = await start(user, [electron, ...args])
    try {
      const numbers = await measured(app, world, name)
      return numbers
    } finally {
      await app.end()
    }
  }
  const close = async (): Promise<void> => {
    await world.close()
    for (const folder of [hello, data]) rmSync(folder, { recursive: true, force: true })
    user.end()
  }
  try {
    await setUp(user, [electron, user.root, data], world.ready)
  } catch (error) {
    // Its server would keep the bench running.
    await close()
    throw error
  }
  return {
    contenders: {
      belfry: async () => {
        const numbers = await run('belfry', [user.root, data])
        // If it had lost its accounts, it would cost nothing.
        assert.ok(((await world.ask('count')) as WorldCounts).all > 0, 'its servers were asked')
        return numbers
      },
      hello: () => run('hello', [hello, '']),
    },
    close,
  }
}

function helloApp(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-hello-'))
  chmodSync(folder, 0o755)
  copyFileSync(fileURLToPath(new URL('hello.cjs', import.meta.url)), join(folder, 'main.cjs'))
  copyFileSync(join(projectRoot, 'resources/icon.png'), join(folder, 'icon.png'))
  const about = { name: 'hello', version: '1.0.0', main: 'main.cjs' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(about))
  return folder
}

function asUser(user: User, script: string, args: readonly string[]) {
  const command = [process.execPath, join(user.root, 'bench/real', script), ...args]
  const [program = '', ...rest] = [...user.before, ...command]
  return spawn(program, rest, {
    env: { ...process.env, ...user.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

async function setUp(user: User, args: readonly string[], { accounts }: WorldReady): Promise<void> {
  const child = asUser(user, 'set-up.ts', args)
  child.stdin.end(JSON.stringify(accounts))
  const [code] = (await once(child, 'exit')) as [number | null]
  assert.equal(code, 0, 'the accounts were added')
}

async function start(user: User, args: readonly string[]): Promise<Running> {
  const child = asUser(user, 'once.ts', args)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`${args.join(' ')}: ended`)
    return value
  }
  // What `once.ts` writes.
  const started = JSON.parse(await next()) as { [Name in keyof Started]: number | null }
  const { trayMs, windowMs, inkMs, contentMs, trayCpuMs, inkCpuMs, contentCpuMs } = started
  const pid = started.pid ?? 0
  return {
    pid,
    async numbers() {
      await wait(Math.max(0, firstMs - (Date.now() - (started.at ?? 0))))
      return {
        trayMs: trayMs ?? Number.NaN,
        contentMs: contentMs ?? Number.NaN,
        blankMs: (inkMs ?? Number.NaN) - (windowMs ?? Number.NaN),
        trayCpuMs: trayCpuMs ?? Number.NaN,
        boardCpuMs: inkCpuMs ?? Number.NaN,
        contentCpuMs: contentCpuMs ?? Number.NaN,
        cpuMs: cpuOfFamily(pid),
        pss: sumOf(pid, (one) => memoryOf(one, ['Pss'])),
        private: sumOf(pid, privateOf),
      }
    },
    async hide() {
      child.stdin.write('hide\n')
      await next()
    },
    end: () => ended(child),
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = child.exitCode === null ? once(child, 'exit') : null
  child.stdin?.end()
  await gone
}
