import { keepBus, plainValue, readProperty, type SessionBus } from './session-bus.ts'

/** GNOME's settings are read by a separate program, which is terminated if it hangs. */
const programDeadlineMs = 5_000

const notifications = 'org.freedesktop.Notifications'
const notificationsPath = '/org/freedesktop/Notifications'
const properties = 'org.freedesktop.DBus.Properties'
const power = 'org.freedesktop.UPower'
const dunst = 'org.dunstproject.cmd0'
const xfconf = 'org.xfce.Xfconf'
const gnome = 'org.gnome.Shell'
const gnomeKey = '/org/gnome/desktop/notifications/show-banners'

/** The system's own do-not-disturb, kept up to date so that asking costs nothing. */
export interface SystemQuiet {
  /** Also false where it cannot be known. */
  on(): boolean
  onChange(listener: (quiet: boolean) => void): void
  stop(): void
}

/** Electron can't read it on Windows or macOS, which hold notifications back themselves. */
export const neverQuiet: SystemQuiet = {
  on: () => false,
  onChange: () => undefined,
  stop: () => undefined,
}

/** A place where a desktop exposes it: asked only while `owner` exists, so that nothing gets started. */
interface Place {
  readonly owner: string
  ask(bus: SessionBus): Promise<boolean>
  /** `onChange` gets the new value, or null if it has to be asked for again. */
  listen(bus: SessionBus, onChange: (quiet: boolean | null) => void): void
}

/** `Inhibited`: KDE's daemon, and others that follow it. `paused`: dunst. */
const places: readonly Place[] = [
  propertyOf(notifications, notificationsPath, notifications, 'Inhibited'),
  propertyOf(notifications, notificationsPath, dunst, 'paused'),
  {
    owner: xfconf,
    ask: async (bus) => {
      const [value] = await bus.call({
        destination: xfconf,
        path: '/org/xfce/Xfconf',
        interface: xfconf,
        member: 'GetProperty',
        signature: 'ss',
        body: ['xfce4-notifyd', '/do-not-disturb'],
      })
      return plainValue(value) === true
    },
    listen: (bus, onChange) =>
      bus.onSignal(
        { path: '/org/xfce/Xfconf', interface: xfconf, member: 'PropertyChanged', from: xfconf },
        ([channel, property, value]) => {
          if (channel === 'xfce4-notifyd' && property === '/do-not-disturb')
            onChange(plainValue(value) === true)
        },
      ),
  },
]

function propertyOf(from: string, path: string, iface: string, name: string): Place {
  return {
    owner: from,
    ask: async (bus) =>
      (await readProperty(bus, { destination: from, path, interface: iface, name })) === true,
    listen: (bus, onChange) => onProperty(bus, { from, path, iface, name }, onChange),
  }
}

/** Calls back with each change of a boolean property. */
function onProperty(
  bus: SessionBus,
  { from, path, iface, name }: Record<'from' | 'path' | 'iface' | 'name', string>,
  onChange: (value: boolean) => void,
): void {
  const signal = { path, interface: properties, member: 'PropertiesChanged', from }
  bus.onSignal(signal, ([changed, values]) => {
    if (changed !== iface || !Array.isArray(values)) return
    for (const entry of values as unknown[])
      if (Array.isArray(entry) && entry[0] === name) onChange(plainValue(entry[1]) === true)
  })
}

/** GNOME exposes it only in its settings; the portal does not offer this one. dconf reports changes. */
function gnomeShell(bannersOff: () => Promise<boolean>): Place {
  return {
    owner: gnome,
    ask: bannersOff,
    listen: (bus, onChange) =>
      bus.onSignal(
        {
          path: '/ca/desrt/dconf/Writer/user',
          interface: 'ca.desrt.dconf.Writer',
          member: 'Notify',
          from: 'ca.desrt.dconf',
        },
        ([prefix]) => {
          if (typeof prefix === 'string' && gnomeKey.startsWith(prefix)) onChange(null)
        },
      ),
  }
}

/** Asks GNOME's own program; false where there is none. */
export function gnomeBannersOff(): Promise<boolean> {
  // Loaded only where there is a bus to ask, not at the start.
  const { execFile } = process.getBuiltinModule('node:child_process')
  return new Promise((resolve) => {
    execFile(
      'gsettings',
      ['get', 'org.gnome.desktop.notifications', 'show-banners'],
      { timeout: programDeadlineMs, killSignal: 'SIGKILL' },
      (error, output) => resolve(error === null && output.trim() === 'false'),
    )
  })
}

/** Do not disturb, on Linux. */
export function createSystemQuiet(parts: {
  readonly openBus: () => Promise<SessionBus>
  readonly gnomeBannersOff: () => Promise<boolean>
}): SystemQuiet {
  return watchPlaces(parts.openBus, [...places, gnomeShell(parts.gnomeBannersOff)])
}

/**
 * Watches all places; one that says nothing, or goes away, counts as off. A bus that ends is
 * reopened.
 */
function watchPlaces(openBus: () => Promise<SessionBus>, all: readonly Place[]): SystemQuiet {
  const listeners: ((quiet: boolean) => void)[] = []
  const quiet = new Set<Place>()
  let stopped = false

  const report = (place: Place, isQuiet: boolean): void => {
    const before = quiet.size > 0
    if (isQuiet) quiet.add(place)
    else quiet.delete(place)
    const after = quiet.size > 0
    if (before !== after && !stopped) for (const listener of listeners) listener(after)
  }

  const follow = async (bus: SessionBus, place: Place): Promise<void> => {
    let asked = 0
    const ask = async (): Promise<void> => {
      asked += 1
      const turn = asked
      // A daemon without the property answers with an error.
      const answer = await place.ask(bus).catch(() => false)
      if (turn === asked && kept.current() === bus) report(place, answer)
    }
    const onSignal = (isQuiet: boolean | null): void => {
      if (isQuiet === null) return void ask()
      // The signal is newer than any answer to an earlier question.
      asked += 1
      report(place, isQuiet)
    }
    place.listen(bus, onSignal)
    bus.onOwner(place.owner, (owned) => onSignal(owned ? null : false))
    if (await bus.hasOwner(place.owner)) await ask()
  }

  const kept = keepBus({
    openBus,
    follow: async (bus) => {
      await Promise.all(all.map((place) => follow(bus, place)))
    },
    onEnd: () => {
      for (const place of all) report(place, false)
    },
  })

  return {
    on: () => quiet.size > 0,
    onChange: (listener) => {
      listeners.push(listener)
    },
    stop: () => {
      stopped = true
      kept.stop()
    },
  }
}

/** The screen savers of GNOME, KDE and others, which all have the same interface. */
const savers = ['freedesktop', 'gnome', 'cinnamon', 'mate', 'xfce'].map((who): Place => {
  const owner = `org.${who}.ScreenSaver`
  const at = { path: `/org/${who}/ScreenSaver`, interface: owner }
  return {
    owner,
    ask: async (bus) => {
      const [active] = await bus.call({ destination: owner, ...at, member: 'GetActive' })
      return active === true
    },
    listen: (bus, onChange) =>
      bus.onSignal({ ...at, member: 'ActiveChanged', from: owner }, ([active]) =>
        onChange(active === true),
      ),
  }
})

const owner = 'org.freedesktop.login1'
const sessionInterface = 'org.freedesktop.login1.Session'

/** systemd's lock state on the system bus, for lockers that are not screen savers. */
const logind: Place = {
  owner,
  ask: async (bus) => {
    const path = await sessionPath(bus)
    const place = { destination: owner, path, interface: sessionInterface, name: 'LockedHint' }
    return (await readProperty(bus, place)) === true
  },
  listen: (bus, onChange) => {
    let followed: string | null = null
    const follow = async (): Promise<void> => {
      const path = await sessionPath(bus)
      if (path === followed) return
      followed = path
      onProperty(bus, { from: owner, path, iface: sessionInterface, name: 'LockedHint' }, onChange)
      onChange(null)
    }
    // Outside any session nothing is locked.
    const begin = () => void follow().catch(() => undefined)
    begin()
    // At login, logind may start after Belfry.
    bus.onOwner(owner, (owned) => owned && begin())
  },
}

async function sessionPath(bus: SessionBus): Promise<string> {
  const [path] = await bus.call({
    destination: owner,
    path: '/org/freedesktop/login1',
    interface: 'org.freedesktop.login1.Manager',
    member: 'GetSession',
    signature: 's',
    body: ['auto'],
  })
  return String(path)
}

export function systemBusAddress(environment: NodeJS.ProcessEnv): string {
  return environment['DBUS_SYSTEM_BUS_ADDRESS'] || 'unix:path=/run/dbus/system_bus_socket'
}

/**
 * Whether the screen is locked, on Linux. False where that is unknown: otherwise a user without
 * such a bus would only ever see minimal notifications.
 */
export function createScreenLock(parts: {
  readonly openBus: () => Promise<SessionBus>
  readonly openSystemBus: () => Promise<SessionBus>
}): Pick<SystemQuiet, 'on' | 'stop'> {
  const watched = [watchPlaces(parts.openBus, savers), watchPlaces(parts.openSystemBus, [logind])]
  return {
    on: () => watched.some((one) => one.on()),
    stop: () => {
      for (const one of watched) one.stop()
    },
  }
}

/**
 * Whether the computer runs on battery, on Linux, where Electron doesn't know. False where that is
 * unknown.
 */
export function createBattery(
  openSystemBus: () => Promise<SessionBus>,
): Pick<SystemQuiet, 'on' | 'stop'> {
  return watchPlaces(openSystemBus, [
    propertyOf(power, '/org/freedesktop/UPower', power, 'OnBattery'),
  ])
}
