import type { SessionBus } from './session-bus.ts'

const watcher = 'org.kde.StatusNotifierWatcher'
/** At login the panel may start after us. */
const panelStartMs = 10_000

/** Whether this desktop shows tray items. */
export interface TrayHost {
  present(): boolean
  /** Resolves when a tray was found, and after 10 s without one. */
  readonly settled: Promise<void>
}

/** Windows and macOS always have one. */
export const trayIsThere: TrayHost = { present: () => true, settled: Promise.resolve() }

/**
 * On Linux a tray is a program that may be missing (GNOME without its extension), start late or come
 * back: it is there while somebody owns the watcher's name on the session bus.
 */
export function watchTrayHost(openBus: () => Promise<SessionBus>): TrayHost {
  let present = false
  const settled = Promise.withResolvers<void>()
  const timer = setTimeout(settled.resolve, panelStartMs)
  timer.unref()
  const heard = (owned: boolean): void => {
    present = owned
    if (!owned) return
    clearTimeout(timer)
    settled.resolve()
  }
  const look = async (): Promise<void> => {
    const bus = await openBus()
    bus.onOwner(watcher, heard)
    bus.onEnd(() => heard(false))
    heard(await bus.hasOwner(watcher))
  }
  // No bus to ask: there is no tray item to be had either.
  look().catch(() => settled.resolve())
  return { present: () => present, settled: settled.promise }
}
