import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Notice } from '../../../shared/core/attention/notice.ts'
import type { NotifiedBy } from '../../base/ports.ts'
import { type Notifier, notificationText, type TextReader } from './notifier.ts'

/** A program that shows nothing within this time is terminated: its daemon hangs. */
export const programDeadlineMs = 5_000
const programsAtOnce = 3
/** Notices waiting for a program; what exceeds this is only in the app's own list. */
const queueLimit = 50

/** `missing`: this computer has no such program. */
type ProgramOutcome = 'shown' | 'failed' | 'hung' | 'missing'

/** A program showing one notification. `ended` never rejects. */
interface ProgramRun {
  readonly ended: Promise<ProgramOutcome>
  /** Terminates the program and its children. */
  kill(): void
}

/**
 * Shows each notification by starting a program, at most three at once. Nothing comes back: no
 * click, no reply, no way to withdraw. When one hangs, the waiting ones are dropped, since they
 * would hang as well.
 */
function createProgramNotifier(options: {
  readonly name: string
  /** Does not throw. */
  readonly start: (notice: Notice) => ProgramRun
  /** Takes over when the program is missing. */
  readonly instead?: Notifier
}): Notifier {
  const { name, instead } = options
  const running = new Set<ProgramRun>()
  let waiting: Notice[] = []
  let delivery = (): NotifiedBy => ({ by: name, capabilities: [] })
  let stopped = false
  let settled = Promise.withResolvers<void>()
  settled.resolve()

  const run = (notice: Notice): void => {
    const program = options.start(notice)
    running.add(program)
    void program.ended.then((outcome) => {
      running.delete(program)
      if (outcome === 'hung') waiting = []
      if (outcome === 'missing' && instead !== undefined && !stopped) {
        instead.notify(notice)
        delivery = () => instead.delivery()
      } else {
        const by = outcome === 'shown' ? name : 'nobody'
        delivery = () => ({ by, capabilities: [] })
      }
      next()
    })
  }

  const next = (): void => {
    const notice = running.size < programsAtOnce ? waiting.shift() : undefined
    if (notice !== undefined) run(notice)
    else if (running.size === 0) settled.resolve()
  }

  return {
    notify: (notice) => {
      if (stopped || waiting.length >= queueLimit) return
      if (running.size === 0) settled = Promise.withResolvers<void>()
      waiting.push(notice)
      next()
    },
    replace: (notice) => {
      waiting = waiting.map((one) => (one.subject === notice.subject ? notice : one))
    },
    withdraw: () => undefined,
    delivery: () => delivery(),
    settled: async () => {
      await settled.promise
      await instead?.settled()
    },
    stop: () => {
      stopped = true
      waiting = []
      for (const program of running) program.kill()
      instead?.stop()
    },
  }
}

/**
 * Notifications through libnotify's own program, for a desktop whose bus we cannot use: no shell,
 * and `--` before what strangers wrote, so that none of it can be an option.
 */
export function createNotifySend(
  environment: NodeJS.ProcessEnv,
  instead: Notifier,
  deadlineMs = programDeadlineMs,
): Notifier {
  return createProgramNotifier({
    name: 'notify-send',
    start: (notice) => start(notice, environment, deadlineMs),
    instead,
  })
}

function start(notice: Notice, env: NodeJS.ProcessEnv, deadlineMs: number): ProgramRun {
  const { title, body } = notificationText(notice, 'notifySend')
  const urgency = notice.kind === 'down' ? 'critical' : 'normal'
  const { execFile } = process.getBuiltinModule('node:child_process')
  const ended = Promise.withResolvers<ProgramOutcome>()
  const child = execFile(
    'notify-send',
    ['--app-name=Belfry', `--urgency=${urgency}`, '--', title, body],
    { env, timeout: deadlineMs, killSignal: 'SIGKILL' },
    (error) => ended.resolve(outcomeOf(error)),
  )
  return { ended: ended.promise, kill: () => child.kill('SIGKILL') }
}

function outcomeOf(error: (Error & { code?: unknown; killed?: boolean }) | null): ProgramOutcome {
  if (error === null) return 'shown'
  if (error.code === 'ENOENT') return 'missing'
  return error.killed === true ? 'hung' : 'failed'
}

/** node-notifier's `notify`, as far as we use it. Icons, sounds and `wait` are left out on purpose. */
export type NotifyByProgram = (
  options: { title: string; message: string; wait: false },
  done: (error: Error | string | null) => void,
) => void

/** On Windows the program runs as long as its notification is on the screen. */
const patientDeadlineMs = 60_000

/**
 * The last resort: node-notifier, which starts a program per notification, and whose Linux part
 * passes title and text through a shell to notify-send, where they could be options.
 * `notificationText` prevents that. It gives no access to its program, so we find the process
 * ourselves to terminate one that hangs.
 */
export function createFallbackNotifier(
  notify: NotifyByProgram,
  platform: NodeJS.Platform,
  deadlineMs = platform === 'linux' ? programDeadlineMs : patientDeadlineMs,
): Notifier {
  const reader = platform === 'linux' ? 'commandLine' : 'argument'
  return createProgramNotifier({
    name: 'node-notifier',
    start: (notice) => startNotifier(notify, notice, { reader, deadlineMs }),
  })
}

function startNotifier(
  notify: NotifyByProgram,
  notice: Notice,
  { reader, deadlineMs }: { reader: TextReader; deadlineMs: number },
): ProgramRun {
  const { title, body } = notificationText(notice, reader)
  const ended = Promise.withResolvers<ProgramOutcome>()
  let children: readonly ChildProcess[] = []
  const kill = (): void => {
    for (const child of children) killWithOwn(child)
  }
  const timer = setTimeout(() => {
    kill()
    ended.resolve('hung')
  }, deadlineMs)
  try {
    children = startedBy(() =>
      notify({ title, message: body, wait: false }, (error) =>
        // It also reports harmless output on standard error as an error, but as a string.
        ended.resolve(error instanceof Error ? 'failed' : 'shown'),
      ),
    )
  } catch {
    // It throws when the program is missing or the arguments are too long for the system.
    ended.resolve('failed')
  }
  void ended.promise.then(() => clearTimeout(timer))
  return { ended: ended.promise, kill }
}

/** The processes that `work` starts before it returns. */
function startedBy(work: () => void): readonly ChildProcess[] {
  const children: ChildProcess[] = []
  const hear = (message: unknown): void => {
    // What the channel sends (Node, "Diagnostics Channel", `child_process`).
    children.push((message as { process: ChildProcess }).process)
  }
  subscribe('child_process', hear)
  try {
    work()
  } finally {
    unsubscribe('child_process', hear)
  }
  return children
}

/** Kills its children first: the program that a shell started would outlive the shell. */
function killWithOwn(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  for (const pid of childrenOf(child.pid)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended in the meantime.
    }
  }
  child.kill('SIGKILL')
}

function childrenOf(pid: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return list.split(' ').filter(Boolean).map(Number)
  } catch {
    // It has ended, or this system has no /proc, and then no shell is used.
    return []
  }
}
