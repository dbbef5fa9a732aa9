import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** A screen of its own with a window manager, for real windows. */
export interface Display {
  /** For DISPLAY. */
  readonly name: string
  stop(): Promise<void>
}

/** Needs Xvfb and openbox; throws, naming the one that is missing or does not start. */
export async function startDisplay(size = '1920x1080x24'): Promise<Display> {
  const children: ChildProcess[] = []
  const stop = async (): Promise<void> => {
    for (const child of children.toReversed()) await end(child)
  }
  /** Starts a program, and resolves with its first line of output once it is ready. */
  const start = async (env: NodeJS.ProcessEnv, program: string, ...args: string[]) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    children.push(child)
    return firstLine(program, child, child.stdout)
  }
  try {
    const number = await start(process.env, 'Xvfb', '-displayfd', '1', '-screen', '0', size)
    const env = { ...process.env, DISPLAY: `:${number}` }
    await start(env, 'openbox', '--sm-disable', '--startup', 'echo ready')
    return { name: env.DISPLAY, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function firstLine(program: string, child: ChildProcess, output: Readable): Promise<string> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${program} ended at its start`)
  })
  const [line] = (await Promise.race([once(output, 'data'), ended])) as [Buffer]
  return line.toString().trim()
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
