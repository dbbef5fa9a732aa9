import type { Notice } from '../../../shared/core/attention/notice.ts'
import { notificationText } from './notification-text.ts'
import type { Notifier } from './notifier.ts'
import {
  createProgramNotifier,
  type ProgramOutcome,
  type ProgramRun,
  programDeadlineMs,
} from './program-notifier.ts'

/**
 * Notifications through libnotify's own program, for a desktop whose bus we cannot speak to: no shell,
 * and `--` before what strangers wrote, so that nothing of it can be an option.
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
