import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

type Signature = readonly [input: string, output: string]

interface InterfaceDescription {
  readonly name: string
  readonly methods: Readonly<Record<string, Signature>>
  readonly signals: Readonly<Record<string, readonly string[]>>
  readonly properties: Readonly<Record<string, string>>
}

interface Call {
  readonly destination: string
  readonly path: string
  readonly interface: string
  readonly member: string
  readonly signature?: string
  readonly body?: readonly unknown[]
}

/** The part of @homebridge/dbus-native in use, most of which its own declarations lack. */
interface Bus {
  readonly connection: {
    emit(name: string, message: unknown): boolean
    on(name: string, listener: (error: Error) => void): void
    end(): void
  }
  readonly signals: { on(name: string, listener: (body: readonly unknown[]) => void): void }
  invoke(call: Call, done: (error: { name: string } | null, answer: unknown) => void): void
  exportInterface(members: object, path: string, description: InterfaceDescription): void
  sendSignal(
    path: string,
    name: string,
    member: string,
    signature?: string,
    body?: readonly unknown[],
  ): void
  sendError(message: unknown, name: string, text: string): void
  /** The connection's unique name, known once the bus has answered anything. */
  readonly name: string
  addMatch(rule: string, done: () => void): void
  mangle(path: string, name: string, member: string): string
}

interface DbusLibrary {
  sessionBus(): Bus
  systemBus(): Bus
}

export interface BusConnection {
  /** Publishes an interface at a path: methods are functions, properties plain members. */
  publish(members: object, path: string, description: InterfaceDescription): void
  signal(path: string, name: string, member: string, signature?: string, body?: unknown[]): void
  ask(call: Call): Promise<unknown>
  /** The connection's unique name, known once `ask` was answered. */
  name(): string
  /** Calls back when a well-known name gets an owner. */
  onOwner(name: string, listener: () => void): void
  onSignal(
    path: string,
    name: string,
    member: string,
    listener: (body: readonly unknown[]) => void,
  ): void
  close(): void
}

export function hasSessionBus(): boolean {
  return (process.env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== ''
}

/** False in containers, which have none. */
export function hasSystemBus(): boolean {
  return (
    (process.env['DBUS_SYSTEM_BUS_ADDRESS'] ?? '') !== '' ||
    existsSync('/var/run/dbus/system_bus_socket')
  )
}

/**
 * On a bad call, such as one for an unknown property, the library throws in the socket's handler,
 * which would end the app. Returns a D-Bus error to the caller instead.
 */
function guardCalls(bus: Bus): void {
  const { connection } = bus
  const emit = connection.emit.bind(connection)
  connection.emit = (name, message) => {
    try {
      return emit(name, message)
    } catch (error) {
      if (name !== 'message') throw error
      bus.sendError(message, 'org.freedesktop.DBus.Error.Failed', String(error))
      return true
    }
  }
}

const daemon = '/org/freedesktop/DBus'
const daemonName = 'org.freedesktop.DBus'

/** A separate connection to the session bus or the system bus. */
export function openBus(kind: 'session' | 'system' = 'session'): BusConnection {
  // The library is CommonJS, and its declarations lack `sessionBus`.
  const library = createRequire(import.meta.url)('@homebridge/dbus-native') as DbusLibrary
  const bus = kind === 'session' ? library.sessionBus() : library.systemBus()
  guardCalls(bus)
  bus.connection.on('error', (error) => {
    console.error(`[chromium host] ${kind} bus: ${error.message}`)
  })
  const onSignal: BusConnection['onSignal'] = (path, name, member, listener) => {
    bus.addMatch(`type='signal',interface='${name}',member='${member}'`, () => undefined)
    bus.signals.on(bus.mangle(path, name, member), (body) => {
      // Deferred, since a signal in the same chunk as a reply would arrive before that reply's
      // promise.
      setImmediate(listener, body)
    })
  }
  return {
    onSignal,
    publish: (members, path, description) => bus.exportInterface(members, path, description),
    signal: (path, name, member, signature, body) =>
      bus.sendSignal(path, name, member, signature, body),
    ask: (call) =>
      new Promise((resolve, reject) => {
        bus.invoke(call, (error, answer) => {
          if (error === null) resolve(answer)
          else reject(new Error(error.name))
        })
      }),
    name: () => bus.name,
    onOwner: (name, listener) => {
      onSignal(daemon, daemonName, 'NameOwnerChanged', ([changed, _before, owner]) => {
        if (changed === name && owner !== '') listener()
      })
    },
    close: () => bus.connection.end(),
  }
}
