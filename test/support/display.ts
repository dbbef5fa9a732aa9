import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A screen of its own with a window manager, for windows that are real. */
export interface Display {
  /** For DISPLAY. */
  readonly name: string
  stop(): Promise<void>
}

/** Needs Xvfb and openbox; throws, naming the one that is missing. */
export async function startDisplay(size = '1920x1080x24'): Promise<Display> {
  const xvfb = await started(spawnQuiet('Xvfb', '-displayfd', '3', '-screen', '0', size))
  const [line] = (await once(xvfb.stdio[3] ?? xvfb, 'data')) as [Buffer]
  const name = `:${line.toString().trim()}`
  const manager = await started(spawnQuiet('openbox', '--display', name)).catch(
    async (error: unknown) => {
      await end(xvfb)
      throw error
    },
  )
  return {
    name,
    stop: async () => {
      await end(manager)
      await end(xvfb)
    },
  }
}

function spawnQuiet(program: string, ...args: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
}

async function started(child: ChildProcess): Promise<ChildProcess> {
  await once(child, 'spawn')
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
