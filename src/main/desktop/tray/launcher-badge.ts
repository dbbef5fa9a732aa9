import type { SessionBus } from '../system/session-bus.ts'

/** The desktop file under which the launcher knows the app. */
const appUri = 'application://belfry.desktop'
const update = {
  path: '/org/belfry/Belfry/LauncherEntry',
  interface: 'com.canonical.Unity.LauncherEntry',
  member: 'Update',
} as const

/**
 * The count on the app's icon in launchers that support `com.canonical.Unity.LauncherEntry` (Dash
 * to Dock, Plasma, Plank): a broadcast signal. A bus that ended is reopened with the next number.
 */
export function createLauncherBadge(openBus: () => Promise<SessionBus>): {
  show(count: number): void
  clear(): void
} {
  let bus: Promise<SessionBus | null> | null = null
  let shown = 0
  let cleared = false
  const opened = (): Promise<SessionBus | null> => {
    bus ??= openBus().then(
      (made) => {
        made.onEnd(() => {
          bus = null
        })
        return made
      },
      () => {
        // Without a session bus no launcher listens; the next number tries again.
        bus = null
        return null
      },
    )
    return bus
  }
  const show = (count: number): void => {
    if (cleared || count === shown) return
    shown = count
    void opened().then((made) => made?.emit(update, 'sa{sv}', [appUri, propertiesOf(count)]))
  }
  return {
    show,
    clear: () => {
      show(0)
      cleared = true
    },
  }
}

function propertiesOf(count: number): readonly unknown[] {
  return [
    ['count', ['x', count]],
    ['count-visible', ['b', count > 0]],
  ]
}
