import type { Notice } from '../../../shared/core/notice.ts'
import { notificationText } from './notification-text.ts'
import type { Notifier } from './notifier.ts'

/** node-notifier's `notify`, as far as we use it. Icons, sounds and `wait` are left out on purpose. */
export type NotifyByProgram = (
  options: { title: string; message: string; wait: false },
  done: (error: Error | string | null) => void,
) => void

/** Its programs can hang on a daemon that does not answer, and cannot be ended from here. */
const unansweredLimit = 3

/**
 * The last resort: node-notifier, which starts a program per notification, and whose Linux part hands
 * title and text to notify-send as if they could be options. `notificationText` keeps hostile text
 * from being one. Nothing comes back: no click, no reply, no way to withdraw.
 */
export function createFallbackNotifier(notify: NotifyByProgram): Notifier {
  let unanswered = 0
  let by = 'node-notifier'
  const show = (notice: Notice): void => {
    if (unanswered >= unansweredLimit) {
      by = 'nobody'
      return
    }
    const { title, body } = notificationText(notice, 'commandLine')
    unanswered += 1
    try {
      notify({ title, message: body, wait: false }, (error) => {
        unanswered -= 1
        // It calls the program's harmless words on standard error an error too, but as a string.
        by = error instanceof Error ? 'nobody' : 'node-notifier'
      })
    } catch {
      // It throws when the program is missing or the arguments are too long for the system.
      unanswered -= 1
      by = 'nobody'
    }
  }
  return {
    notify: show,
    withdraw: () => undefined,
    by: () => by,
    settled: () => Promise.resolve(),
    stop: () => undefined,
  }
}
