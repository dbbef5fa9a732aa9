import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Notice } from '../../../shared/core/attention/notice.ts'
import { notificationText, type TextReader } from './notification-text.ts'
import type { Notifier } from './notifier.ts'
import {
  createProgramNotifier,
  type ProgramOutcome,
  type ProgramRun,
  programDeadlineMs,
} from './program-notifier.ts'

/** node-notifier's `notify`, as far as we use it. Icons, sounds and `wait` are left out on purpose. */
export type NotifyByProgram = (
  options: { title: string; message: string; wait: false },
  done: (error: Error | string | null) => void,
) => void

/** On Windows the program waits as long as its notification is on the screen. */
const patientDeadlineMs = 60_000

/**
 * The last resort: node-notifier, which starts a program per notification, and whose Linux part hands
 * title and text through a shell to notify-send as if they could be options. `notificationText` keeps
 * hostile text from being one. It gives no hold on its program, so that we take it ourselves, to end
 * one that hangs.
 */
export function createFallbackNotifier(
  notify: NotifyByProgram,
  platform: NodeJS.Platform,
  deadlineMs = platform === 'linux' ? programDeadlineMs : patientDeadlineMs,
): Notifier {
  const reader = platform === 'linux' ? 'commandLine' : 'argument'
  return createProgramNotifier({
    name: 'node-notifier',
    start: (notice) => start(notify, notice, { reader, deadlineMs }),
  })
}

function start(
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
        // It calls the program's harmless words on standard error an error too, but as a string.
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

/** A shell lives on in the program that it started, so that one goes first. */
function killWithOwn(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  for (const pid of childrenOf(child.pid)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended in between.
    }
  }
  child.kill('SIGKILL')
}

function childrenOf(pid: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return list.split(' ').filter(Boolean).map(Number)
  } catch {
    // Ended, or a system without /proc, where no shell is used.
    return []
  }
}
