import { plainValue, readProperty, type SessionBus } from './session-bus.ts'
import { type Place, type SystemQuiet, watchPlaces } from './system-quiet.ts'

/** The screen savers of GNOME, KDE and others, which all speak alike. */
const savers = ['freedesktop', 'gnome', 'cinnamon', 'mate', 'xfce'].map((who): Place => {
  const owner = `org.${who}.ScreenSaver`
  const at = { path: `/org/${who}/ScreenSaver`, interface: owner }
  return {
    owner,
    ask: async (bus) => {
      const [active] = await bus.call({ destination: owner, ...at, member: 'GetActive' })
      return active === true
    },
    listen: (bus, heard) =>
      bus.onSignal({ ...at, member: 'ActiveChanged', from: owner }, ([active]) =>
        heard(active === true),
      ),
  }
})

const owner = 'org.freedesktop.login1'
const sessionInterface = 'org.freedesktop.login1.Session'

/** systemd's, for lockers that are no screen saver: on the system's bus. */
const logind: Place = {
  owner,
  ask: async (bus) => {
    const path = await sessionPath(bus)
    const place = { destination: owner, path, interface: sessionInterface, name: 'LockedHint' }
    return (await readProperty(bus, place)) === true
  },
  listen: (bus, heard) => {
    let followed: string | null = null
    const follow = async (): Promise<void> => {
      const path = await sessionPath(bus)
      if (path === followed) return
      followed = path
      const signal = { path, interface: 'org.freedesktop.DBus.Properties', from: owner }
      bus.onSignal({ ...signal, member: 'PropertiesChanged' }, ([changed, values]) => {
        if (changed !== sessionInterface || !Array.isArray(values)) return
        for (const entry of values as unknown[])
          if (Array.isArray(entry) && entry[0] === 'LockedHint')
            heard(plainValue(entry[1]) === true)
      })
      heard(null)
    }
    // Outside any session nothing is locked.
    const begin = () => void follow().catch(() => undefined)
    begin()
    // At the login it may come after Belfry.
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

/** Whether the screen is locked, on Linux; false where nothing says so. */
export function createScreenLock(parts: {
  readonly openBus: () => Promise<SessionBus>
  readonly openSystemBus: () => Promise<SessionBus>
}): Pick<SystemQuiet, 'on' | 'stop'> {
  const watched = [watchPlaces(parts.openBus, savers), watchPlaces(parts.openSystemBus, [logind])]
  return {
    on: () => watched.some(({ on }) => on()),
    stop: () => {
      for (const { stop } of watched) stop()
    },
  }
}
