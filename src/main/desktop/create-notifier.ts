import { Notification } from 'electron'
import { createDbusNotifier } from './notifications/dbus-notifier.ts'
import { createElectronNotifier } from './notifications/electron-notifier.ts'
import { createFallbackNotifier } from './notifications/fallback-notifier.ts'
import type { NotificationActions, Notifier } from './notifications/notifier.ts'
import { createNotifySend } from './notifications/notify-send.ts'
import { openSessionBus, sessionBusAddress } from './system/session-bus.ts'

/** The best way to notify that this computer has. */
export function createNotifier(actions: NotificationActions): Notifier {
  const fallback = createFallbackNotifier((options, done) => {
    // The last resort, which few computers ever need.
    import('node-notifier').then(
      ({ default: nodeNotifier }) => nodeNotifier.notify(options, done),
      done,
    )
  }, process.platform)
  if (process.platform === 'linux')
    return createDbusNotifier({
      actions,
      openBus: () => openSessionBus(sessionBusAddress(process.env)),
      fallback: createNotifySend(process.env, fallback),
    })
  return Notification.isSupported() ? createElectronNotifier(actions, fallback) : fallback
}
