import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import dbus from '@homebridge/dbus-native'

/** A notification as the fake daemon received it. */
interface ShownNotification {
  readonly id: number
  /** The id that this one replaced, or 0. */
  readonly replaces: number
  readonly appName: string
  readonly icon: string
  readonly title: string
  readonly body: string
  /** Key, label, key, label, … */
  readonly actions: readonly string[]
  readonly hints: Readonly<Record<string, unknown>>
  readonly expireMs: number
}

export interface TrayItem {
  readonly service: string
  readonly path: string
}

interface MenuEntry {
  readonly id: number
  readonly label?: string
  readonly enabled?: boolean
  readonly type?: string
  readonly children: readonly MenuEntry[]
  readonly [property: string]: unknown
}

/** What has happened, in order, with a way to wait for what is still to come. */
export interface Log<T> {
  readonly all: readonly T[]
  /** The first match, past or future. Rejects after `deadlineMs`, naming what was seen. */
  waitFor(fits: (item: T) => boolean, deadlineMs?: number): Promise<T>
}

export interface FakeDesktop {
  /** For DBUS_SESSION_BUS_ADDRESS. */
  readonly address: string
  readonly notifications: Log<ShownNotification>
  /** The ids that the app asked to close. */
  readonly closed: Log<number>
  /** Tray items as they were registered. */
  readonly items: Log<TrayItem>
  /** Presses an action of a notification, like the user; the daemon then closes it. */
  act(id: number, key: string): void
  /** The same, but the notification stays, as with daemons that keep it. */
  press(id: number, key: string): void
  /** The daemon's own do-not-disturb, as reported by KDE. */
  disturb(inhibited: boolean): void
  /**
   * Sends a signal from another program of the same user, broadcast and to each connection by its
   * name.
   */
  lie(member: string, signature: string, body: unknown[], iface?: string): Promise<void>
  /** Sends an inline reply, like KDE. */
  reply(id: number, text: string): void
  /** Reasons: 1 expired, 2 dismissed by the user, 3 closed by a call. */
  close(id: number, reason?: number): void
  /** The notification daemon disappears, as in a crash. */
  dropNotifications(): Promise<void>
  /**
   * Makes the daemon busy: it counts the calls that it gets, and answers all of them when `done`.
   */
  busy(): { asked(): number; done(): void }
  /** A new daemon replaces it; its ids begin again. */
  serveNotifications(capabilities?: readonly string[]): Promise<void>
  serveWatcher(): Promise<void>
  /** The watcher disappears, as when the panel that runs it crashes. */
  dropWatcher(): Promise<void>
  /** Whether the watcher knows a panel that shows its items. */
  setHost(there: boolean): void
  trayProperty(item: TrayItem, name: string): Promise<unknown>
  /** What the panel shows under the pointer. */
  tooltip(item: TrayItem): Promise<string>
  activate(item: TrayItem): Promise<void>
  /** The id of the process that registered it. */
  processOf(item: TrayItem): Promise<number>
  /** Whether that process is still on the bus. */
  isThere(item: TrayItem): Promise<boolean>
  menu(item: TrayItem): Promise<readonly MenuEntry[]>
  /**
   * Clicks the entry with this label, or the one that the labels lead to through submenus; what an
   * entry adds in parentheses may be left out. Throws if it is missing, naming the labels that
   * exist.
   */
  clickMenu(item: TrayItem, ...labels: readonly string[]): Promise<void>
  stop(): Promise<void>
}

interface RawBus {
  readonly connection: EventEmitter & { end(): void; message(message: object): void }
  /** That of the next message. */
  serial: number
  invoke(message: object, reply: (error: RawError | null, ...values: unknown[]) => void): void
  exportInterface(object: object, path: string, description: object): void
  requestName(name: string, flags: number, reply: (error: RawError | null) => void): void
  releaseName(name: string, reply: (error: RawError | null) => void): void
  sendSignal(path: string, iface: string, member: string, signature: string, body: unknown[]): void
}

interface RawError {
  readonly name: string
  readonly message: string
}

// The package's own declarations know `systemBus` only.
const library = dbus as unknown as { createClient(options: { busAddress: string }): RawBus }

const notify = 'org.freedesktop.Notifications'
const notifyPath = '/org/freedesktop/Notifications'
const busItself = { service: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' }
const watcher = 'org.kde.StatusNotifierWatcher'
const defaultCapabilities = ['actions', 'body', 'body-markup']

/** The value inside a variant as the library reads it: `[signature tree, [value]]`. */
function unwrapped(variant: unknown): unknown {
  return (variant as [unknown, [unknown]])[1][0]
}

function createLog<T>(what: string): Log<T> & { add(item: T): void } {
  const all: T[] = []
  const added = new EventEmitter().setMaxListeners(0)
  return {
    all,
    add: (item) => {
      all.push(item)
      added.emit('added', item)
    },
    waitFor: (fits, deadlineMs = 60_000) =>
      new Promise((resolve, reject) => {
        const past = all.find(fits)
        if (past !== undefined) return resolve(past)
        const timer = setTimeout(() => {
          added.off('added', look)
          reject(new Error(`no such ${what} within ${deadlineMs} ms; seen: ${JSON.stringify(all)}`))
        }, deadlineMs)
        const look = (item: T): void => {
          if (!fits(item)) return
          clearTimeout(timer)
          added.off('added', look)
          resolve(item)
        }
        added.on('added', look)
      }),
  }
}

async function startBus(): Promise<{ daemon: ChildProcess; address: string }> {
  const daemon = spawn(
    'dbus-daemon',
    ['--session', '--nofork', '--nopidfile', '--print-address=1'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const [line] = (await once(daemon.stdout, 'data')) as [Buffer]
  return { daemon, address: line.toString().trim() }
}

const busCall = (member: string) => ({
  destination: busItself.service,
  path: busItself.path,
  interface: busItself.service,
  member,
})

function settled<T>(run: (reply: (error: RawError | null, ...values: T[]) => void) => void) {
  return new Promise<readonly T[]>((resolve, reject) => {
    run((error, ...values) => {
      if (error === null) resolve(values)
      else reject(new Error(`${error.name}: ${error.message}`))
    })
  })
}

interface DaemonOptions {
  readonly capabilities?: readonly string[]
  /** It owns the name and never answers. */
  readonly hangs?: boolean
  /** It has a list of what expired, from which it can be closed. */
  readonly keepsExpired?: boolean
}

/**
 * A desktop of our own on a private session bus: a tray host's watcher and a notification daemon,
 * either of which can be left out. The app under test needs only `address` in its environment.
 */
export async function startDesktop(
  options: {
    notifications?: DaemonOptions | false
    watcher?: boolean
    /** False: the watcher is there before any panel, as at KDE's login. */
    host?: boolean
  } = {},
): Promise<FakeDesktop> {
  const { daemon, address } = await startBus()
  const bus = library.createClient({ busAddress: address })
  bus.connection.on('error', () => undefined)
  const notifications = createLog<ShownNotification>('notification')
  const closed = createLog<number>('closed notification')
  const items = createLog<TrayItem>('tray item')
  const inhibition = { on: false }
  const work = { asked: 0, done: Promise.resolve() }
  /** Closed by the user, or expired. */
  const gone = new Set<number>()
  const signal = (member: string, signature: string, body: unknown[]): void =>
    bus.sendSignal(notifyPath, notify, member, signature, body)
  const call = (
    item: TrayItem,
    iface: string,
    member: string,
    signature = '',
    ...body: unknown[]
  ) =>
    settled<unknown>((reply) =>
      bus.invoke(
        {
          destination: item.service,
          path: item.path,
          interface: iface,
          member,
          ...(signature === '' ? {} : { signature, body }),
        },
        reply,
      ),
    )

  const watching = { host: options.host !== false }
  const serveWatcher = async (): Promise<void> => {
    exportWatcher(bus, watching, (item) => items.add(item))
    await settled((reply) => bus.requestName(watcher, 0, reply))
  }
  const hangs = options.notifications !== false && options.notifications?.hangs === true
  const serveNotifications = async (capabilities: readonly string[] = defaultCapabilities) => {
    const tell = { shown: notifications.add, closed: closed.add, inhibition, work, gone }
    exportNotifications(bus, hangs ? null : capabilities, tell)
    await settled((reply) => bus.requestName(notify, 0, reply))
  }
  if (options.watcher !== false) await serveWatcher()
  if (options.notifications !== false)
    await serveNotifications(options.notifications?.capabilities ?? defaultCapabilities)

  const trayProperty = async (item: TrayItem, name: string): Promise<unknown> => {
    const [value] = await call(
      item,
      'org.freedesktop.DBus.Properties',
      'Get',
      'ss',
      'org.kde.StatusNotifierItem',
      name,
    )
    return unwrapped(value)
  }
  const isThere = async ({ service }: TrayItem): Promise<boolean> => {
    const [owned] = await call(busItself, busItself.service, 'NameHasOwner', 's', service)
    return owned === true || owned === 1
  }
  /** On a slow start the app may register its item anew, which a tray then shows instead. */
  const current = async (item: TrayItem): Promise<TrayItem> => {
    const at = items.all.indexOf(item)
    if (at === -1 || (await isThere(item))) return item
    return current(await items.waitFor((one) => items.all.indexOf(one) > at, 10_000))
  }
  const menuOf = async (item: TrayItem): Promise<TrayItem> => {
    const shown = await current(item)
    return { service: shown.service, path: String(await trayProperty(shown, 'Menu')) }
  }
  const menu = async (item: TrayItem): Promise<readonly MenuEntry[]> => {
    const [, root] = await call(
      await menuOf(item),
      'com.canonical.dbusmenu',
      'GetLayout',
      'iias',
      0,
      -1,
      [],
    )
    return menuEntry(root).children
  }

  return {
    address,
    notifications,
    closed,
    items,
    act: (id, key) => {
      signal('ActionInvoked', 'us', [id, key])
      signal('NotificationClosed', 'uu', [id, 2])
    },
    disturb: (inhibited) => {
      inhibition.on = inhibited
      bus.sendSignal(
        notifyPath,
        'org.freedesktop.DBus.Properties',
        'PropertiesChanged',
        'sa{sv}as',
        [notify, [['Inhibited', ['b', inhibited]]], []],
      )
    },
    press: (id, key) => signal('ActionInvoked', 'us', [id, key]),
    lie: async (member, signature, body, iface = notify) => {
      const liar = library.createClient({ busAddress: address })
      const path = iface === watcher ? '/StatusNotifierWatcher' : notifyPath
      liar.sendSignal(path, iface, member, signature, body)
      const [names] = await settled<unknown>((reply) =>
        liar.invoke({ ...busCall('ListNames') }, reply),
      )
      for (const destination of (names as string[]).filter((name) => name.startsWith(':')))
        liar.connection.message({
          ...{ type: 4, serial: liar.serial++, destination, path, interface: iface, member },
          ...{ signature, body },
        })
      // Once the bus answers this, it has processed all of it.
      await settled((reply) => liar.invoke({ ...busCall('GetId') }, reply))
      liar.connection.end()
    },
    reply: (id, text) => {
      signal('NotificationReplied', 'us', [id, text])
      signal('NotificationClosed', 'uu', [id, 2])
    },
    close: (id, reason = 2) => {
      const { keepsExpired = false } = options.notifications || {}
      if (reason !== 1 || !keepsExpired) gone.add(id)
      signal('NotificationClosed', 'uu', [id, reason])
    },
    dropNotifications: async () => {
      await settled((reply) => bus.releaseName(notify, reply))
    },
    busy: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      Object.assign(work, { asked: 0, done: promise })
      return { asked: () => work.asked, done: resolve }
    },
    serveNotifications,
    serveWatcher,
    dropWatcher: async () => {
      await settled((reply) => bus.releaseName(watcher, reply))
    },
    setHost: (there) => {
      watching.host = there
      const member = `StatusNotifierHost${there ? 'Registered' : 'Unregistered'}`
      bus.sendSignal('/StatusNotifierWatcher', watcher, member, '', [])
    },
    trayProperty: async (item, name) => trayProperty(await current(item), name),
    tooltip: async (item) => {
      const [, , tip] = (await trayProperty(await current(item), 'ToolTip')) as [
        string,
        unknown,
        string,
        string,
      ]
      return tip
    },
    processOf: async ({ service }) => {
      const [pid] = await call(
        busItself,
        busItself.service,
        'GetConnectionUnixProcessID',
        's',
        service,
      )
      return Number(pid)
    },
    isThere,
    activate: async (item) => {
      await call(await current(item), 'org.kde.StatusNotifierItem', 'Activate', 'ii', 0, 0)
    },
    menu,
    clickMenu: async (item, ...labels) => {
      const click = async (): Promise<void> => {
        const entry = entryAt(await menu(item), labels)
        const where = await menuOf(item)
        const event = [entry.id, 'clicked', ['i', 0], 0]
        await call(where, 'com.canonical.dbusmenu', 'Event', 'isvu', ...event)
      }
      // The menu may be replaced between reading and clicking it; a tray then reads it again.
      await click().catch(click)
    },
    stop: async () => {
      bus.connection.end()
      if (daemon.exitCode !== null) return
      const ended = once(daemon, 'exit')
      daemon.kill()
      await ended
    },
  }
}

function entryAt(entries: readonly MenuEntry[], labels: readonly string[]): MenuEntry {
  const [label = '', ...below] = labels
  const entry = entries.find(
    (one) => one.label === label || one.label?.startsWith(`${label} (`) === true,
  )
  if (entry === undefined)
    throw new Error(`no "${label}" in ${JSON.stringify(entries.map((one) => one.label))}`)
  return below.length === 0 ? entry : entryAt(entry.children, below)
}

function menuEntry(node: unknown): MenuEntry {
  // Children come as variants, the root as the bare structure `(ia{sv}av)`.
  const bare = (Array.isArray((node as unknown[])[0]) ? unwrapped(node) : node) as [
    number,
    [string, unknown][],
    unknown[],
  ]
  const [id, properties, children] = bare
  const named = Object.fromEntries(properties.map(([key, value]) => [key, unwrapped(value)]))
  return { ...named, id, children: children.map(menuEntry) }
}

function exportWatcher(
  bus: RawBus,
  watching: { readonly host: boolean },
  registered: (item: TrayItem) => void,
): void {
  const served = {
    RegisteredStatusNotifierItems: [] as string[],
    get IsStatusNotifierHostRegistered() {
      return watching.host
    },
    ProtocolVersion: 0,
    RegisterStatusNotifierItem(service: string, message: { sender: string }): void {
      const item = service.startsWith('/')
        ? { service: message.sender, path: service }
        : { service, path: '/StatusNotifierItem' }
      served.RegisteredStatusNotifierItems.push(item.service + item.path)
      registered(item)
    },
    RegisterStatusNotifierHost(): void {
      // Other hosts may register too; this desktop is one itself.
    },
  }
  bus.exportInterface(served, '/StatusNotifierWatcher', {
    name: watcher,
    methods: { RegisterStatusNotifierItem: ['s', ''], RegisterStatusNotifierHost: ['s', ''] },
    signals: {},
    properties: {
      RegisteredStatusNotifierItems: 'as',
      IsStatusNotifierHostRegistered: 'b',
      ProtocolVersion: 'i',
    },
  })
}

type NotifyArguments = [
  appName: string,
  replaces: number,
  icon: string,
  title: string,
  body: string,
  actions: string[],
  hints: [string, unknown][],
  expireMs: number,
]

function exportNotifications(
  bus: RawBus,
  /** Null: it never answers. */
  capabilities: readonly string[] | null,
  tell: {
    shown(notification: ShownNotification): void
    closed(id: number): void
    readonly inhibition: { readonly on: boolean }
    readonly work: { asked: number; readonly done: Promise<void> }
    readonly gone: ReadonlySet<number>
  },
): void {
  let last = 0
  const never = new Promise<never>(() => undefined)
  const daemon = {
    /** Do-not-disturb, as reported by KDE's daemon. */
    Inhibited: false,
    async Notify(...given: NotifyArguments): Promise<number> {
      if (capabilities === null) return never
      tell.work.asked += 1
      await tell.work.done
      const [appName, replaces, icon, title, body, actions, hints, expireMs] = given
      if (replaces === 0) last += 1
      const id = replaces === 0 ? last : replaces
      const named = Object.fromEntries(hints.map(([key, value]) => [key, unwrapped(value)]))
      const shown = { id, replaces, appName, icon, title, body, actions, hints: named, expireMs }
      // Only after the reply was sent, so that a test that reacts at once never overtakes it.
      setImmediate(() => tell.shown(shown))
      return id
    },
    CloseNotification(id: number): void {
      // As the specification requires.
      if (tell.gone.has(id)) throw new Error('no such notification')
      setImmediate(() => {
        bus.sendSignal(notifyPath, notify, 'NotificationClosed', 'uu', [id, 3])
        tell.closed(id)
      })
    },
    GetCapabilities: () => {
      tell.work.asked += 1
      return tell.work.done.then(() => capabilities ?? never)
    },
    GetServerInformation: () => (capabilities === null ? never : ['fake', 'belfry', '1', '1.2']),
  }
  bus.exportInterface(daemon, notifyPath, {
    name: notify,
    methods: {
      Notify: ['susssasa{sv}i', 'u'],
      CloseNotification: ['u', ''],
      GetCapabilities: ['', 'as'],
      GetServerInformation: ['', 'ssss'],
    },
    signals: {},
    properties: { Inhibited: 'b' },
  })
}

/** Resolves once the condition holds; what the bus delivers takes some turns. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}
