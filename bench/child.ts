import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Numbers } from './measurement.ts'

/** Far more than any run takes: only a hang reaches it. */
const runLimitMs = 5 * 60_000

/** Replaces `electron`. A Node argument, since threads inherit only those from their parent. */
const withoutElectron = new URL('../test/support/without-electron.ts', import.meta.url).href

/**
 * Runs a program of the bench in a fresh process, which sends one message with its numbers and
 * ends. Garbage collection can be forced in it. Rejects if it ends without a message or takes too
 * long.
 */
export async function runAlone(file: URL, args: readonly string[] = []): Promise<Numbers> {
  const child = start(file, args, ['--expose-gc', '--import', withoutElectron])
  const messages: Numbers[] = []
  // Programs of the bench send nothing else.
  child.on('message', (message) => messages.push(message as Numbers))
  const timer = setTimeout(() => child.kill('SIGKILL'), runLimitMs)
  // The channel may still hold the message when the process is gone.
  await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  clearTimeout(timer)
  const [numbers] = messages
  if (numbers === undefined || child.exitCode !== 0)
    throw new Error(`${nameOf(file)} ${args.join(' ')}: ended with ${child.exitCode}, no numbers`)
  return numbers
}

/** Sends the results to the bench, from a process that `runAlone` started. */
export function report(numbers: Numbers): void {
  process.send?.(numbers, () => process.exit(0))
}

export interface Server<Ready> {
  readonly ready: Ready
  /** Sends it a message and waits for its next one. */
  ask(message: string): Promise<unknown>
  close(): Promise<void>
}

/**
 * Starts a server in its own process, ready once it has sent its first message (`Ready`); it ends
 * with its parent.
 */
export async function serveAlone<Ready>(
  file: URL,
  args: readonly string[] = [],
): Promise<Server<Ready>> {
  const child = start(file, args, [])
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${nameOf(file)} ended`)
  })
  ended.catch(() => {
    // Nobody may be waiting for a message then.
  })
  const next = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [unknown]
    return message
  }
  // The first message of each server is of the type that its measurement says.
  const ready = (await next()) as Ready
  return {
    ready,
    ask(message) {
      const answer = next()
      child.send(message)
      return answer
    },
    async close() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

function start(file: URL, args: readonly string[], execArgv: readonly string[]): ChildProcess {
  return fork(file, args, {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
}

function nameOf(file: URL): string {
  return file.pathname.split('/').slice(-2).join('/')
}
