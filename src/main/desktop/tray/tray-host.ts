import type { Saved } from '../../base/ports.ts'
import { keepBus, readProperty, type SessionBus } from '../system/session-bus.ts'

const watcher = 'org.kde.StatusNotifierWatcher'
const watcherPath = '/StatusNotifierWatcher'
/** Far more than a panel has room for: the owner of the watcher's name may list any number. */
const mostItems = 200
/** At login the panel may start after us, and a restarted one is back soon. */
const panelStartMs = 10_000

/** Whether this desktop shows tray items. */
export interface TrayHost {
  present(): boolean
  /** Resolves when a tray was found, or after 10 s without one. */
  readonly settled: Promise<void>
  /** Called when a tray appears, and when there has been none for 10 s. */
  onChange(listener: (present: boolean) => void): void
  /** Whether the tray lists an icon of this app; false if it doesn't say. */
  hasOurs(): Promise<boolean>
  stop(): void
}

/** Windows and macOS always have one. */
export const trayIsThere: TrayHost = {
  present: () => true,
  settled: Promise.resolve(),
  onChange: (listener) => listener(true),
  hasOurs: async () => true,
  stop: () => undefined,
}

/**
 * On Linux a tray is a program that may be missing (GNOME without its extension), start late, go
 * away or come back: it exists while somebody owns the watcher's name on the session bus and has
 * registered a host. Electron checks that only once, when an icon is created. When KDE logs in, the
 * watcher appears first. A bus that ends is reopened.
 */
export function watchTrayHost(openBus: () => Promise<SessionBus>): TrayHost {
  const listeners = new Set<(present: boolean) => void>()
  const settled = Promise.withResolvers<void>()
  let present = false
  /** What listeners were last told; null before anything is certain. */
  let announced: boolean | null = null
  let stopped = false
  let missing: ReturnType<typeof setTimeout> | null = null

  const announce = (): void => {
    if (missing !== null) clearTimeout(missing)
    missing = null
    settled.resolve()
    if (announced === present) return
    announced = present
    for (const listener of listeners) listener(present)
  }
  const onOwner = (owned: boolean): void => {
    if (stopped) return
    present = owned
    if (owned) announce()
    if (owned || missing !== null || announced === false) return
    missing = setTimeout(announce, panelStartMs)
    missing.unref()
  }
  const follow = async (opened: SessionBus): Promise<void> => {
    let isAsking = false
    let isOld = false
    // One query at a time, and one more for all signals meanwhile: a watcher may flood us.
    const ask = async (): Promise<void> => {
      isOld = isAsking
      if (isAsking) return
      isAsking = true
      const there = await hasHost(opened, askAgain).finally(() => {
        isAsking = false
      })
      if (isOld) return ask()
      if (bus.current() === opened) onOwner(there)
    }
    const askAgain = (): void => void ask().catch(() => opened.close())
    opened.onOwner(watcher, (owned) => {
      // Reported at once: what was there is gone.
      if (!owned) onOwner(false)
      askAgain()
    })
    for (const member of ['StatusNotifierHostRegistered', 'StatusNotifierHostUnregistered'])
      opened.onSignal({ path: watcherPath, interface: watcher, member, from: watcher }, askAgain)
    await ask()
  }
  onOwner(false)
  const bus = keepBus({
    openBus,
    follow,
    onEnd: () => onOwner(false),
    // No bus to ask, so no tray item is possible either.
    onNone: () => announced === null && announce(),
  })
  return {
    present: () => present,
    settled: settled.promise,
    onChange: (listener) => {
      listeners.add(listener)
      if (announced !== null) listener(announced)
    },
    hasOurs: async () => {
      const opened = bus.current()
      return opened !== null && hasItemOf(opened, process.pid).catch(() => false)
    },
    stop: () => {
      stopped = true
      if (missing !== null) clearTimeout(missing)
      bus.stop()
    },
  }
}

/**
 * Does not ask an absent owner, which would start one. `onLate` is called when a watcher that was
 * too busy, as at login, answers at last.
 */
async function hasHost(bus: SessionBus, onLate: () => void): Promise<boolean> {
  if (!(await bus.hasOwner(watcher))) return false
  // A watcher that does not answer counts as having no host, as in Electron.
  return ofWatcher(bus, 'IsStatusNotifierHostRegistered', onLate).then(
    (value) => value === true || value === 1,
    () => false,
  )
}

/** Items are listed by the name of their connection and their path: ":1.42/StatusNotifierItem". */
async function hasItemOf(bus: SessionBus, pid: number): Promise<boolean> {
  const items = await ofWatcher(bus, 'RegisteredStatusNotifierItems')
  if (!Array.isArray(items)) return false
  const processes = items.slice(0, mostItems).map((item) =>
    bus.call({
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      member: 'GetConnectionUnixProcessID',
      signature: 's',
      body: [String(item).replace(/\/.*/s, '')],
    }),
  )
  // An item that has gone meanwhile has no process.
  const known = await Promise.allSettled(processes)
  return known.some((one) => one.status === 'fulfilled' && one.value[0] === pid)
}

function ofWatcher(bus: SessionBus, name: string, onLate?: () => void): Promise<unknown> {
  const at = { destination: watcher, path: watcherPath, interface: watcher, name }
  return readProperty(bus, at, onLate)
}

/** Hints already shown on this computer: each is shown once. */
const document = 'hints'

/** True the first time ever that this hint is asked for. */
export function isFirstHint(
  saved: Pick<Saved, 'read' | 'write'>,
  hint: string,
  logBug: (where: string, error: unknown) => void,
): boolean {
  const read = saved.read(document)
  const given: readonly unknown[] = Array.isArray(read) ? read : []
  if (given.includes(hint)) return false
  saved.write(document, [...given, hint]).catch((error: unknown) => {
    // The hint is shown again at the next start.
    logBug('keep a hint', error)
  })
  return true
}

const hint = 'no-tray'
const words =
  'This desktop shows no tray icon, so Belfry stays in the taskbar: closing its window minimises it. ' +
  'On GNOME the extension “AppIndicator and KStatusNotifierItem Support” shows the icon.'

/**
 * Keeps the app within reach: shows the window when the tray goes away. If there was none from the
 * start, tells the user once how to get one.
 */
export function showWhenUnreachable(parts: {
  readonly host: TrayHost
  readonly saved: Pick<Saved, 'read' | 'write'>
  /** Shows the window if it is hidden. */
  readonly present: () => void
  readonly trouble: (id: string, text: string) => void
  readonly dismiss: (id: string) => void
  readonly logBug: (where: string, error: unknown) => void
}): void {
  let had = false
  let hinted = false
  parts.host.onChange((there) => {
    if (there) {
      had = true
      if (hinted) parts.dismiss(hint)
      hinted = false
      return
    }
    // A user who had a tray knows what it is.
    if (had) return parts.present()
    if (!isFirstHint(parts.saved, hint, parts.logBug)) return
    hinted = true
    parts.trouble(hint, words)
  })
}
