import type { EventEmitter } from 'node:events'
import dbus from '@homebridge/dbus-native'
import { startDesktop } from './session-bus.ts'

/**
 * How desktops report do-not-disturb (KDE, dunst, Xfce, GNOME), that the screen is locked, and that
 * the computer runs on battery.
 */
type QuietWay = 'inhibited' | 'paused' | 'xfce' | 'gnome' | 'saver' | 'logind' | 'upower'

/** A private session bus with a desktop that has a do-not-disturb. */
export interface QuietDesktop {
  readonly address: string
  serve(way: QuietWay): Promise<void>
  leave(way: QuietWay): Promise<void>
  /** How often somebody asked systemd whether the screen is locked. */
  lockAsked(): number
  /** Switches it, and reports the change as that desktop does. */
  set(way: Exclude<QuietWay, 'gnome'>, quiet: boolean): Promise<void>
  /** Reports changed settings as dconf does. */
  dconfChanged(prefix: string): void
  stop(): Promise<void>
}

interface RawBus {
  readonly connection: EventEmitter & { end(): void }
  exportInterface(object: object, path: string, description: object): void
  requestName(name: string, flags: number, reply: (error: unknown) => void): void
  releaseName(name: string, reply: (error: unknown) => void): void
  sendSignal(path: string, iface: string, member: string, signature: string, body: unknown[]): void
}

// The package's own declarations know `systemBus` only.
const library = dbus as unknown as { createClient(options: { busAddress: string }): RawBus }

const notifyPath = '/org/freedesktop/Notifications'
const sessionPath = '/org/freedesktop/login1/session/_32'
const sessionInterface = 'org.freedesktop.login1.Session'
const powerPath = '/org/freedesktop/UPower'
const xfconfPath = '/org/xfce/Xfconf'
const names: Readonly<Record<QuietWay, string>> = {
  inhibited: 'org.freedesktop.Notifications',
  paused: 'org.freedesktop.Notifications',
  xfce: 'org.xfce.Xfconf',
  gnome: 'org.gnome.Shell',
  saver: 'org.gnome.ScreenSaver',
  logind: 'org.freedesktop.login1',
  upower: 'org.freedesktop.UPower',
}

/** `there`: the address of an existing bus to use, which `stop` leaves running. */
export async function startQuietDesktop(there?: string): Promise<QuietDesktop> {
  const { address, stop } =
    there === undefined
      ? await startDesktop({ notifications: false, watcher: false })
      : { address: there, stop: () => Promise.resolve() }
  const bus = library.createClient({ busAddress: address })
  bus.connection.on('error', () => undefined)
  const kde = { Inhibited: false }
  const upower = { OnBattery: false }
  const dunst = { paused: false }
  const xfce = {
    quiet: false,
    GetProperty: (channel: string, property: string) => {
      if (channel !== 'xfce4-notifyd' || property !== '/do-not-disturb')
        throw new Error(`no ${channel} ${property}`)
      return ['b', xfce.quiet]
    },
  }
  const saver = { active: false, GetActive: () => saver.active }
  let isLocked = false
  let asked = 0
  const session = {
    get LockedHint() {
      asked += 1
      return isLocked
    },
  }
  const named = (ask: 'requestName' | 'releaseName', name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const reply = (error: unknown): void => (error === null ? resolve() : reject(error))
      if (ask === 'requestName') bus.requestName(name, 0, reply)
      else bus.releaseName(name, reply)
    })
  const changed = (iface: string, name: string, quiet: boolean, path = notifyPath): void =>
    bus.sendSignal(path, 'org.freedesktop.DBus.Properties', 'PropertiesChanged', 'sa{sv}as', [
      iface,
      [[name, ['b', quiet]]],
      [],
    ])

  return {
    address,
    serve: async (way) => {
      // Only signals from this owner count for settings.
      if (way === 'gnome') await named('requestName', 'ca.desrt.dconf')
      if (way === 'inhibited')
        bus.exportInterface(kde, notifyPath, property(names.inhibited, 'Inhibited'))
      if (way === 'paused')
        bus.exportInterface(dunst, notifyPath, property('org.dunstproject.cmd0', 'paused'))
      if (way === 'upower')
        bus.exportInterface(upower, powerPath, property(names.upower, 'OnBattery'))
      if (way === 'xfce')
        bus.exportInterface(xfce, xfconfPath, {
          name: names.xfce,
          methods: { GetProperty: ['ss', 'v'] },
          signals: {},
        })
      if (way === 'saver')
        bus.exportInterface(saver, '/org/gnome/ScreenSaver', {
          name: names.saver,
          methods: { GetActive: ['', 'b'] },
          signals: {},
        })
      if (way === 'logind') {
        bus.exportInterface({ GetSession: () => sessionPath }, '/org/freedesktop/login1', {
          name: 'org.freedesktop.login1.Manager',
          methods: { GetSession: ['s', 'o'] },
          signals: {},
        })
        bus.exportInterface(session, sessionPath, property(sessionInterface, 'LockedHint'))
      }
      return named('requestName', names[way])
    },
    lockAsked: () => asked,
    leave: (way) => named('releaseName', names[way]),
    set: async (way, quiet) => {
      if (way === 'inhibited') {
        kde.Inhibited = quiet
        changed(names.inhibited, 'Inhibited', quiet)
      } else if (way === 'paused') {
        dunst.paused = quiet
        changed('org.dunstproject.cmd0', 'paused', quiet)
      } else if (way === 'upower') {
        upower.OnBattery = quiet
        changed(names.upower, 'OnBattery', quiet, powerPath)
      } else if (way === 'saver') {
        saver.active = quiet
        bus.sendSignal('/org/gnome/ScreenSaver', names.saver, 'ActiveChanged', 'b', [quiet])
      } else if (way === 'logind') {
        isLocked = quiet
        changed(sessionInterface, 'LockedHint', quiet, sessionPath)
      } else {
        xfce.quiet = quiet
        const body = ['xfce4-notifyd', '/do-not-disturb', ['b', quiet]]
        bus.sendSignal(xfconfPath, names.xfce, 'PropertyChanged', 'ssv', body)
      }
    },
    dconfChanged: (prefix) =>
      bus.sendSignal('/ca/desrt/dconf/Writer/user', 'ca.desrt.dconf.Writer', 'Notify', 'sass', [
        prefix,
        [''],
        'tag',
      ]),
    stop: async () => {
      bus.connection.end()
      await stop()
    },
  }
}

function property(iface: string, name: string): object {
  return { name: iface, methods: {}, signals: {}, properties: { [name]: 'b' } }
}
