import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../scripts/programs.mjs'
import { appProgram, removeData } from '../support/app-program.ts'
import { type FakeDesktop, startDesktop, type TrayItem } from '../support/session-bus.ts'
import { environmentOf, expect } from './fixtures.ts'

/** The app started as by its user, without a debugger: only the fake desktop can observe it. */
export interface BareApp {
  readonly process: ChildProcess
  readonly desktop: FakeDesktop
  readonly item: TrayItem
  /** Everything it wrote to standard output and error so far. */
  output(): string
  /** Quits the app by its tray menu, then the desktop; resolves with the process's exit code. */
  quit(): Promise<number | null>
}

/** Resolves once the icon is in the tray. `program`: a package instead of the checkout. */
export async function startBare(
  display: string,
  args: readonly string[],
  program?: string,
): Promise<BareApp> {
  const desktop = await startDesktop({})
  const userData = await mkdtemp(join(tmpdir(), 'belfry-'))
  const own = [`--user-data=${userData}`, '--password-store=basic', ...args]
  const child = spawn(program ?? appProgram().path, program === undefined ? ['.', ...own] : own, {
    cwd: projectRoot,
    env: environmentOf(userData, desktop, display),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString()
    })
  const item = await desktop.items.waitFor(() => true)
  return {
    process: child,
    desktop,
    item,
    output: () => output,
    quit: async () => {
      const exited = child.exitCode === null ? once(child, 'exit') : null
      await desktop.clickMenu(item, 'Quit')
      await exited
      // If the app restarted itself, this waits for the second process.
      await expect.poll(() => desktop.isThere(item)).toBe(false)
      await desktop.stop()
      await removeData(userData)
      return child.exitCode
    },
  }
}
