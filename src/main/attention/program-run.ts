import type { ChildProcess } from 'node:child_process'
import { homedir } from 'node:os'

export interface RunLimits {
  /** A program that runs for longer is asked to end. */
  readonly longestMs: number
  /** How long it then has before it is killed, and its pipes may stay open after its end. */
  readonly graceMs: number
  /** The same when Belfry quits, which itself takes a second at most. */
  readonly quitMs: number
  /** Bytes: a program that prints more is ended. */
  readonly mostPrinted: number
}

const usualLimits: RunLimits = {
  longestMs: 30_000,
  graceMs: 1_000,
  quitMs: 300,
  mostPrinted: 16 * 1024 * 1024,
}

/** Bytes of what it printed that are kept, its end. */
const keptBytes = 16 * 1024

/** How a run ended: by itself, or by Belfry. */
export type RunEnd =
  | { readonly by: 'exit'; readonly code: number }
  | { readonly by: 'signal'; readonly signal: string }
  | { readonly by: 'late' | 'flood' | 'quit' }
  /** It could not be started: the system's code, such as ENOENT. */
  | { readonly by: 'start'; readonly code: string }

export interface RunResult {
  readonly end: RunEnd
  readonly ms: number
  /** The end of what it printed, on either way. */
  readonly output: string
}

export interface StartedProgram {
  /** Never rejects. */
  readonly ended: Promise<RunResult>
  /** Ends it, as Belfry is quitting. */
  stop(): void
}

/**
 * Starts a program: without a shell, without arguments, with few variables, in the user's home folder
 * and in a process group of its own, which ends with it.
 */
export function startProgram(
  path: string,
  input: string,
  limits: RunLimits = usualLimits,
): StartedProgram {
  const begun = performance.now()
  const ended = Promise.withResolvers<RunResult>()
  const printed = lastBytes()
  let child: ChildProcess
  try {
    child = spawned(path)
  } catch (error) {
    const end = { by: 'start', code: codeOf(error) } as const
    return { ended: Promise.resolve({ end, ms: 0, output: '' }), stop: () => undefined }
  }
  let end: RunEnd | null = null
  let isFinished = false
  const timers: ReturnType<typeof setTimeout>[] = []
  const finish = (): void => {
    if (isFinished) return
    isFinished = true
    for (const timer of timers) clearTimeout(timer)
    signalAll(child, 'SIGKILL')
    for (const pipe of child.stdio) pipe?.destroy()
    end ??= { by: 'signal', signal: 'SIGKILL' }
    ended.resolve({ end, ms: performance.now() - begun, output: printed.text() })
  }
  const grace = (): number => (end?.by === 'quit' ? limits.quitMs : limits.graceMs)
  const after = (ms: number, work: () => void): void => {
    timers.push(setTimeout(work, ms))
  }
  /** A process that even SIGKILL does not end is left to the system. */
  const stop = (by: 'late' | 'flood' | 'quit'): void => {
    if (end !== null) return
    end = { by }
    signalAll(child, 'SIGTERM')
    after(grace(), () => {
      signalAll(child, 'SIGKILL')
      after(grace(), finish)
    })
  }
  after(limits.longestMs, () => stop('late'))
  child.on('error', (error) => {
    if (child.pid !== undefined) return
    end = { by: 'start', code: codeOf(error) }
    finish()
  })
  child.on('exit', (code, signal) => {
    end ??= code === null ? { by: 'signal', signal: signal ?? '' } : { by: 'exit', code }
    // What it started may hold its pipes open.
    after(grace(), finish)
  })
  child.on('close', finish)
  for (const pipe of [child.stdout, child.stderr])
    pipe?.on('data', (bytes: Buffer) => {
      if (printed.add(bytes) > limits.mostPrinted) stop('flood')
    })
  // It need not read any of it.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  return { ended: ended.promise, stop: () => stop('quit') }
}

function spawned(path: string): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process')
  return spawn(path, [], {
    cwd: homedir(),
    env: environmentOf(process.env, process.platform),
    stdio: 'pipe',
    shell: false,
    windowsHide: true,
    // A process group, which can be ended as a whole. On Windows it would be a console.
    detached: process.platform !== 'win32',
  })
}

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-pid, signal)
  } catch {
    // Nobody is left of it.
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unknown'
}

/** Keeps the end of what is added; `add` returns how many bytes there have been. */
function lastBytes() {
  let kept = Buffer.alloc(0)
  let all = 0
  return {
    add(bytes: Buffer): number {
      all += bytes.length
      kept = Buffer.concat([kept, bytes]).subarray(-keptBytes)
      return all
    },
    /** Begins with a whole line: half a secret would not be recognised. */
    text(): string {
      const text = kept.toString('utf8')
      return all > kept.length ? text.slice(text.indexOf('\n') + 1) : text
    },
  }
}

const passedOn = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['XDG_RUNTIME_DIR', 'XDG_SESSION_TYPE', 'XDG_CURRENT_DESKTOP'],
  // Windows.
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'USERPROFILE', 'USERNAME', 'TEMP', 'TMP'],
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA'],
])

/** What a program needs of the session, and nothing of Belfry. Windows ignores the case of names. */
export function environmentOf(
  all: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(all)) {
    const known = platform === 'win32' ? name.toUpperCase() : name
    if (value !== undefined && (passedOn.has(known) || known.startsWith('LC_'))) found[name] = value
  }
  return found
}
