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

/** The part of @homebridge/dbus-native that is used; its own declarations leave most of it out. */
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
  /** Its own name, once the bus has answered anything. */
  readonly name: string
  addMatch(rule: string, done: () => void): void
  mangle(path: string, name: string, member: string): string
}

interface DbusLibrary {
  sessionBus(): Bus
}

export interface SessionBus {
  /** Answers an interface at a path: methods are functions, properties plain members. */
  publish(members: object, path: string, description: InterfaceDescription): void
  signal(path: string, name: string, member: string, signature?: string, body?: unknown[]): void
  ask(call: Call): Promise<unknown>
  /** Its own name, once `ask` was answered. */
  name(): string
  /** Tells when a well-known name gets an owner. */
  onOwner(name: string, listener: () => void): void
  close(): void
}

export function hasSessionBus(): boolean {
  return (process.env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== ''
}

/**
 * The library throws out of the socket's handler on a bad call, such as one for an unknown
 * property, and that would end the app: here the caller gets a D-Bus error.
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

/** A connection of its own to the session bus. */
export function openSessionBus(): SessionBus {
  // The library is CommonJS, and its declarations lack `sessionBus`.
  const library = createRequire(import.meta.url)('@homebridge/dbus-native') as DbusLibrary
  const bus = library.sessionBus()
  guardCalls(bus)
  bus.connection.on('error', (error) => {
    console.error(`[chromium host] session bus: ${error.message}`)
  })
  return {
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
      const member = 'NameOwnerChanged'
      bus.addMatch(`type='signal',interface='${daemonName}',member='${member}'`, () => undefined)
      bus.signals.on(bus.mangle(daemon, daemonName, member), ([changed, _before, owner]) => {
        // Later, since a signal in the same chunk as a reply is heard before that reply's promise.
        if (changed === name && owner !== '') setImmediate(listener)
      })
    },
    close: () => bus.connection.end(),
  }
}
