import { Notification } from 'electron'
import { openSessionBus, sessionBusAddress } from '../session-bus.ts'
import { createDbusNotifier } from './dbus-notifier.ts'
import { createElectronNotifier } from './electron-notifier.ts'
import { createFallbackNotifier } from './fallback-notifier.ts'
import type { NotificationActions, Notifier } from './notifier.ts'
import { createNotifySend } from './notify-send.ts'

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
