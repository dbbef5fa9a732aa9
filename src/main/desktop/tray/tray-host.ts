import type { SessionBus } from '../system/session-bus.ts'

const watcher = 'org.kde.StatusNotifierWatcher'
/** At login the panel may start after us, and one that is restarted is back soon. */
const panelStartMs = 10_000
/** Waits before the bus is tried again, doubled each time. */
const reopenMs = { first: 1_000, longest: 60_000 } as const

/** Whether this desktop shows tray items. */
export interface TrayHost {
  present(): boolean
  /** Resolves when a tray was found, and after 10 s without one. */
  readonly settled: Promise<void>
  /** Told when a tray comes, and when there has been none for 10 s. */
  onChange(listener: (present: boolean) => void): void
  stop(): void
}

/** Windows and macOS always have one. */
export const trayIsThere: TrayHost = {
  present: () => true,
  settled: Promise.resolve(),
  onChange: (listener) => listener(true),
  stop: () => undefined,
}

/**
 * Whether an icon can be had where nobody owns the watcher's name: old X11 panels show the older kind.
 * An icon made as such stays one, so on other desktops it waits for a watcher.
 */
export function hasOldTray(environment: NodeJS.ProcessEnv): boolean {
  const isGnome = /\bGNOME\b/i.test(environment['XDG_CURRENT_DESKTOP'] ?? '')
  return !isGnome && environment['XDG_SESSION_TYPE'] !== 'wayland'
}

/**
 * On Linux a tray is a program that may be missing (GNOME without its extension), start late, go away
 * or come back: it is there while somebody owns the watcher's name on the session bus. A bus that
 * ends is opened anew.
 */
export function watchTrayHost(openBus: () => Promise<SessionBus>): TrayHost {
  const listeners = new Set<(present: boolean) => void>()
  const settled = Promise.withResolvers<void>()
  let present = false
  /** What the listeners know; null before anything is known for sure. */
  let told: boolean | null = null
  let bus: SessionBus | null = null
  let stopped = false
  let waitMs: number = reopenMs.first
  let reopening: ReturnType<typeof setTimeout> | null = null
  let missing: ReturnType<typeof setTimeout> | null = null

  const tell = (): void => {
    if (missing !== null) clearTimeout(missing)
    missing = null
    settled.resolve()
    if (told === present) return
    told = present
    for (const listener of listeners) listener(present)
  }
  const heard = (owned: boolean): void => {
    if (stopped) return
    present = owned
    if (owned) tell()
    if (owned || missing !== null || told === false) return
    missing = setTimeout(tell, panelStartMs)
    missing.unref()
  }
  const reopenLater = (): void => {
    if (stopped) return
    reopening = setTimeout(look, waitMs)
    reopening.unref()
    waitMs = Math.min(2 * waitMs, reopenMs.longest)
  }
  const follow = async (): Promise<void> => {
    const opened = await openBus()
    if (stopped) return opened.close()
    bus = opened
    opened.onOwner(watcher, heard)
    opened.onEnd(() => {
      if (bus !== opened) return
      bus = null
      heard(false)
      reopenLater()
    })
    heard(await opened.hasOwner(watcher))
    waitMs = reopenMs.first
  }
  const look = (): void => {
    follow().catch(() => {
      if (bus !== null) return bus.close()
      // No bus to ask: there is no tray item to be had either.
      if (told === null) tell()
      reopenLater()
    })
  }
  heard(false)
  look()
  return {
    present: () => present,
    settled: settled.promise,
    onChange: (listener) => {
      listeners.add(listener)
      if (told !== null) listener(told)
    },
    stop: () => {
      stopped = true
      for (const timer of [reopening, missing]) if (timer !== null) clearTimeout(timer)
      bus?.close()
    },
  }
}
