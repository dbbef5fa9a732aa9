import { Notification } from 'electron'
import type { Notice } from '../../../shared/core/attention/notice.ts'
import type { NotifiedBy } from '../../base/ports.ts'
import {
  electronButtons,
  type NotificationActions,
  type Notifier,
  notificationText,
  once,
} from './notifier.ts'

const here: NotifiedBy = { by: 'Electron', capabilities: [] }

/**
 * Electron's own notifications, for Windows and macOS. Never on Linux, where they have no buttons
 * and block the process if there is no daemon (electron #48753).
 */
export function createElectronNotifier(actions: NotificationActions, fallback: Notifier): Notifier {
  // Keeps references: a garbage-collected notification loses its events (electron #12690).
  const shown = new Map<string, Notification>()
  let delivery = () => here

  const show = (notice: Notice): void => {
    const text = notificationText(notice, 'plain')
    const answers = once(notice, actions)
    const { hasReply, buttons } = electronButtons(notice, process.platform)
    const notification = new Notification({
      ...text,
      silent: !notice.sound,
      hasReply,
      ...(hasReply ? { replyPlaceholder: 'Reply' } : {}),
      actions: buttons.map((button) => ({ type: 'button', text: button.label })),
    })
    shown.get(notice.subject)?.close()
    shown.set(notice.subject, notification)
    const gone = (): void => {
      if (shown.get(notice.subject) === notification) shown.delete(notice.subject)
    }
    notification.on('click', () => answers.press('open'))
    notification.on('action', ({ actionIndex }) =>
      answers.press(buttons[actionIndex]?.key ?? 'open'),
    )
    notification.on('reply', ({ reply }) => answers.replyText(reply))
    notification.on('close', gone)
    notification.on('failed', () => {
      // Switched off in the system's settings, or an unsigned build on macOS.
      gone()
      fallback.notify(notice)
      delivery = () => fallback.delivery()
    })
    delivery = () => here
    notification.show()
  }

  return {
    notify: show,
    replace: (notice) => {
      if (shown.has(notice.subject)) show(notice)
    },
    withdraw: (subject) => {
      shown.get(subject)?.close()
      shown.delete(subject)
    },
    delivery: () => delivery(),
    settled: () => Promise.resolve(),
    // What is on the screen still says what happened; only its buttons die with the app.
    stop: () => {
      shown.clear()
      fallback.stop()
    },
  }
}
