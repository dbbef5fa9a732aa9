import { Notification } from 'electron'
import type { Notice } from '../../../shared/core/notice.ts'
import { notificationText } from './notification-text.ts'
import { type NotificationActions, type Notifier, once } from './notifier.ts'

/**
 * Electron's own notifications, for Windows and macOS. Never on Linux, where they know no buttons
 * and block the process without a daemon (electron #48753).
 */
export function createElectronNotifier(actions: NotificationActions, fallback: Notifier): Notifier {
  // Held here, since a notification that is collected as garbage loses its events (electron #12690).
  const shown = new Map<string, Notification>()
  let by = 'Electron'

  const show = (notice: Notice): void => {
    const text = notificationText(notice, 'plain')
    const answers = once(notice, actions)
    const notification = new Notification({
      ...text,
      silent: !notice.sound,
      hasReply: notice.canReply,
      ...(notice.canReply ? { replyPlaceholder: 'Reply' } : {}),
      // macOS shows a reply field or buttons, never both.
      actions: notice.canReply ? [] : [{ type: 'button', text: 'Open' }],
    })
    shown.get(notice.subject)?.close()
    shown.set(notice.subject, notification)
    const gone = (): void => {
      if (shown.get(notice.subject) === notification) shown.delete(notice.subject)
    }
    notification.on('click', () => answers.open())
    notification.on('action', () => answers.open())
    notification.on('reply', ({ reply }) => answers.replyText(reply))
    notification.on('close', gone)
    notification.on('failed', () => {
      // Switched off in the system's settings, or an unsigned build on macOS.
      gone()
      fallback.notify(notice)
      by = fallback.by()
    })
    by = 'Electron'
    notification.show()
  }

  return {
    notify: show,
    withdraw: (subject) => {
      shown.get(subject)?.close()
      shown.delete(subject)
    },
    by: () => by,
    settled: () => Promise.resolve(),
    // What is on the screen still tells what happened; only its buttons die with the app.
    stop: () => shown.clear(),
  }
}
