import type { SessionBus } from '../system/session-bus.ts'

/** The desktop file under which the launcher knows the app. */
const appUri = 'application://belfry.desktop'
const update = {
  path: '/org/belfry/Belfry/LauncherEntry',
  interface: 'com.canonical.Unity.LauncherEntry',
  member: 'Update',
} as const

/** The number of the tray icon on the dock, the task bar's button or the launcher's icon. */
export interface Badge {
  /** How many are down; 0 removes the number. Does nothing when nothing changed. */
  show(count: number): void
  /** Before the app ends: otherwise the number would stay on the launcher. */
  clear(): void
}

export function changing(set: (count: number) => void): Badge {
  let shown = 0
  let cleared = false
  const show = (count: number): void => {
    if (cleared || shown === count) return
    shown = count
    set(count)
  }
  return {
    show,
    clear: () => {
      show(0)
      cleared = true
    },
  }
}

/**
 * The count on the app's icon in launchers that support `com.canonical.Unity.LauncherEntry` (Dash
 * to Dock, Plasma, Plank): a broadcast signal. A bus that ended is reopened with the next number.
 */
export function createLauncherBadge(openBus: () => Promise<SessionBus>): Badge {
  let bus: Promise<SessionBus | null> | null = null
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
  return changing((count) => {
    void opened().then((made) => made?.emit(update, 'sa{sv}', [appUri, propertiesOf(count)]))
  })
}

function propertiesOf(count: number): readonly unknown[] {
  return [
    ['count', ['x', count]],
    ['count-visible', ['b', count > 0]],
  ]
}
