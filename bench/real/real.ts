import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findElectron, projectRoot } from '../../scripts/programs.mjs'
import { fetchRealElectron, ordinaryUser } from '../../scripts/real-electron.mjs'
import { cpuMs, family, memoryOf } from '../idle/processes.ts'
import type { Measurement, Numbers, Target } from '../measurement.ts'
import type { Started } from './once.ts'

/** What somebody waits for, or pays with, as a part of what a hello app takes. */
function beside(goal: string, number: string, what: string, atMost: number): Target {
  const of = { contender: 'belfry', number }
  const against = { contender: 'hello', number }
  return { goal, what, of, against, atMost, unit: /Ms$/.test(number) ? 'ms' : 'MiB' }
}

/** Of CPU time. */
const firstMs = 15_000

/**
 * The built app, in the demo, on Electron itself: where its own program is installed on that, else on
 * the tests' Electron 33, which lacks `setHTML` and node:sqlite. Beside an app that has a tray and one
 * window with a heading. The whole process tree counts; the memory of sandboxed processes is readable
 * to root alone.
 */
export const real: Measurement = {
  name: 'real',
  rounds: 5,
  notInSmoke: true,
  targets: [
    beside('the real start', 'trayMs', 'exec to tray icon, real Electron', 1.2),
    beside('the real start', 'contentMs', 'exec to content', 1.35),
    {
      goal: 'the real start',
      what: 'blank window before it',
      of: { contender: 'belfry', number: 'blankMs' },
      atMost: 50,
      unit: 'ms',
    },
    beside('real memory', 'pss', 'PSS, board open', 1.18),
    beside('real memory', 'private', 'private memory, board open', 1.25),
    beside('real memory', 'privateHidden', 'private memory, started hidden', 1.15),
    beside('real CPU', 'cpuMs', 'CPU of the first 15 s', 1.8),
  ],
  async open() {
    const electron = findElectron() ?? fetchRealElectron()
    const user = ordinaryUser(electron)
    const hello = mkdtempSync(join(tmpdir(), 'belfry-hello-'))
    chmodSync(hello, 0o755)
    copyFileSync(fileURLToPath(new URL('hello.cjs', import.meta.url)), join(hello, 'main.cjs'))
    copyFileSync(join(projectRoot, 'resources/icon.png'), join(hello, 'icon.png'))
    writeFileSync(
      join(hello, 'package.json'),
      '{ "name": "hello", "version": "1.0.0", "main": "main.cjs" }',
    )
    const measured = async (...app: string[]): Promise<Numbers> => {
      const shown = await start([electron, ...app])
      const hidden = await start([electron, ...app, '--hidden'])
      return { ...shown, privateHidden: hidden['private'] ?? Number.NaN }
    }
    const start = (args: readonly string[]) => startOnce(user, args)
    return {
      contenders: {
        belfry: () => measured(user.root, '--demo'),
        hello: () => measured(hello),
      },
      close: async () => {
        rmSync(hello, { recursive: true, force: true })
        user.end()
      },
    }
  },
}

async function startOnce(
  user: ReturnType<typeof ordinaryUser>,
  args: readonly string[],
): Promise<Numbers> {
  const command = [process.execPath, join(user.root, 'bench/real/once.ts'), ...args]
  const [program = '', ...rest] = [...user.before, ...command]
  const child = spawn(program, rest, {
    env: { ...process.env, ...user.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const failed = ended.then(() => {
    throw new Error(`${args.join(' ')}: ended at its start`)
  })
  const [line] = (await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer]
  // What `once.ts` writes.
  const started = JSON.parse(line.toString()) as { [Name in keyof Started]: number | null }
  await wait(Math.max(0, firstMs - (Date.now() - (started.at ?? 0))))
  const tree = family(started.pid ?? 0)
  const sum = (of: (pid: number) => number): number => tree.reduce((all, one) => all + of(one), 0)
  const numbers = {
    trayMs: started.trayMs ?? Number.NaN,
    contentMs: started.contentMs ?? Number.NaN,
    blankMs: (started.contentMs ?? Number.NaN) - (started.windowMs ?? Number.NaN),
    cpuMs: sum(cpuMs),
    pss: sum((pid) => memoryOf(pid, ['Pss'])),
    private: sum((pid) => memoryOf(pid, ['Private_Clean', 'Private_Dirty'])),
  }
  failed.catch(() => undefined)
  child.stdin.end()
  await ended
  return numbers
}
