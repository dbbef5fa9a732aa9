import { type EventEmitter, setMaxListeners } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers'

/** Delays before the bus is reopened, doubled each time. */
const reopenMs = { first: 1_000, longest: 60_000 } as const

/** An unanswered call is abandoned after this: a hung daemon costs a pop-up, never the app. */
const callDeadlineMs = 5_000

interface BusSignal {
  readonly path: string
  readonly interface: string
  readonly member: string
}

/** One method call on another program. `body` must fit `signature`. */
export interface BusCall extends BusSignal {
  readonly destination: string
  readonly signature?: string
  readonly body?: readonly unknown[]
  /** Called with the reply's values if they arrive after the call was abandoned. */
  readonly onLate?: (values: readonly unknown[]) => void
}

/** A connection to the D-Bus session bus. */
export interface SessionBus {
  /** Our unique name, such as ":1.42". */
  readonly name: string
  /** The reply's values. Rejects with `BusError` on an error reply, after 5 s, or when the bus is gone. */
  call(call: BusCall): Promise<readonly unknown[]>
  /** Sends a signal to all listeners. `body` must fit `signature`. Does nothing when the bus is gone. */
  emit(signal: BusSignal, signature: string, body: readonly unknown[]): void
  /**
   * Calls back with signals from the owner of the name `from`; those from anybody else are dropped,
   * even if sent to us alone. Null: from anybody.
   */
  onSignal(
    signal: BusSignal & { readonly from: string | null },
    listener: (body: readonly unknown[]) => void,
  ): void
  hasOwner(name: string): Promise<boolean>
  /** Called each time the name's owner changes; `owned` is false when there is none left. */
  onOwner(name: string, listener: (owned: boolean) => void): void
  /** Called once when the connection ends, whoever ended it. */
  onEnd(listener: () => void): void
  close(): void
}

/** `code` is the D-Bus error name, or `timeout` or `closed` from us. */
export class BusError extends Error {
  readonly code: string

  constructor(code: string) {
    super(`D-Bus: ${code}`)
    this.name = 'BusError'
    this.code = code
  }
}

/** The call was answered with an error, so it had no effect; false if it may still have one. */
export function isRefusal(error: unknown): boolean {
  // Names of D-Bus errors have at least one dot.
  return error instanceof BusError && error.code.includes('.')
}

/** Nobody owns the name, and no program that would own it could be started. */
export function isNobodyThere(error: unknown): boolean {
  return (
    error instanceof BusError &&
    /\.(ServiceUnknown|NameHasNoOwner|Spawn\.[A-Za-z]+)$/.test(error.code)
  )
}

/** The value inside a variant, in the library's form: `[signature tree, [value]]`. */
export function plainValue(variant: unknown): unknown {
  const [, values] = Array.isArray(variant) ? (variant as unknown[]) : []
  return Array.isArray(values) ? (values as unknown[])[0] : undefined
}

/** Reads a property of another program. Rejects as `call` does, which also gets `onLate`. */
export async function readProperty(
  bus: Pick<SessionBus, 'call'>,
  at: {
    readonly destination: string
    readonly path: string
    readonly interface: string
    readonly name: string
  },
  onLate?: () => void,
): Promise<unknown> {
  const [value] = await bus.call({
    destination: at.destination,
    path: at.path,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    signature: 'ss',
    body: [at.interface, at.name],
    ...(onLate && { onLate }),
  })
  return plainValue(value)
}

interface RawBus {
  /** Set once the bus has answered. */
  readonly name?: string
  readonly connection: EventEmitter & { end(): void }
  invoke(
    message: object,
    reply: (error: { name?: unknown } | null, ...values: unknown[]) => void,
  ): void
  sendSignal(
    path: string,
    iface: string,
    member: string,
    signature: string,
    body: readonly unknown[],
  ): void
}

interface Library {
  createClient(options: { stream: Socket; authMethods: string[] }): RawBus
}

/** Loaded on demand: with its XML parser it is a tenth of all code, and requests come first. */
async function loadLibrary(): Promise<Library> {
  const { default: dbus } = await import('@homebridge/dbus-native')
  // The package's own types declare `systemBus` only.
  return dbus as unknown as Library
}

const busItself = 'org.freedesktop.DBus'
const ownerChanged = {
  path: '/org/freedesktop/DBus',
  interface: busItself,
  member: 'NameOwnerChanged',
}

/** An incoming signal. The bus itself sets the sender. */
interface Message extends BusSignal {
  readonly sender?: string
  readonly body?: readonly unknown[]
}

/**
 * The socket that a D-Bus address names, or null. We open it ourselves, because the library needs a
 * native package for abstract sockets, which Node supports by itself.
 */
export function socketPath(address: string): string | null {
  for (const one of address.split(';')) {
    const [transport, rest = ''] = one.split(':', 2)
    if (transport !== 'unix') continue
    const parts = new Map(rest.split(',').map((pair) => splitPair(pair)))
    const path = parts.get('path')
    if (path !== undefined) return path
    const abstract = parts.get('abstract')
    if (abstract !== undefined) return `\0${abstract}`
  }
  return null
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))]
}

/** Where the session bus should be: the address in the environment, else systemd's usual place. */
export function sessionBusAddress(environment: NodeJS.ProcessEnv): string | null {
  const address = environment['DBUS_SESSION_BUS_ADDRESS']
  if (address !== undefined && address !== '') return address
  const runtime = environment['XDG_RUNTIME_DIR']
  return runtime === undefined || runtime === '' ? null : `unix:path=${runtime}/bus`
}

/** Connects, or rejects with `BusError` when no bus answers within the deadline. */
export async function openSessionBus(
  address: string | null,
  deadlineMs = callDeadlineMs,
): Promise<SessionBus> {
  const path = address === null ? null : socketPath(address)
  if (path === null) throw new BusError('no address')
  const library = await loadLibrary()
  const socket = connect(path)
  const raw = library.createClient({ stream: socket, authMethods: ['EXTERNAL'] })
  const bus = new OpenBus({ raw, socket, deadlineMs })
  try {
    await bus.hasOwner(busItself)
  } catch (error) {
    bus.close()
    throw error
  }
  return bus
}

interface BusParts {
  readonly raw: RawBus
  readonly socket: Socket
  readonly deadlineMs: number
}

class OpenBus implements SessionBus {
  readonly #parts: BusParts
  readonly #end = new AbortController()
  /** Unique names by well-known name, of those that are listened to. */
  readonly #owners = new Map<string, string>([[busItself, busItself]])

  constructor(parts: BusParts) {
    this.#parts = parts
    const { raw, socket } = parts
    // Each pending call and each signal adds a listener.
    setMaxListeners(0, this.#end.signal, raw.connection)
    // Without these two, a bus that goes away would be an uncaught error.
    const gone = (): void => this.#end.abort()
    raw.connection.on('error', gone)
    socket.on('close', gone)
  }

  get name(): string {
    return this.#parts.raw.name ?? ''
  }

  call({ onLate, ...request }: BusCall): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.#end.signal.aborted) return reject(new BusError('closed'))
      let isLate = false
      const settle = (then: () => void): void => {
        clearTimeout(timer)
        this.#end.signal.removeEventListener('abort', closed)
        then()
      }
      const closed = (): void => settle(() => reject(new BusError('closed')))
      const late = (): void => {
        isLate = true
        settle(() => reject(new BusError('timeout')))
      }
      const timer = setTimeout(late, this.#parts.deadlineMs)
      this.#end.signal.addEventListener('abort', closed)
      this.#parts.raw.invoke({ ...request }, (error, ...values) => {
        if (error === null && isLate) onLate?.(values)
        else if (error === null) settle(() => resolve(values))
        else settle(() => reject(new BusError(String(error.name))))
      })
    })
  }

  onSignal(
    { from, ...signal }: BusSignal & { readonly from: string | null },
    listener: (body: readonly unknown[]) => void,
  ): void {
    if (from !== null) this.#followOwner(from)
    this.#onMessage(signal, from, (body) => {
      // A signal that was read together with a reply would overtake the reply's promise.
      nextTurn(() => listener(body))
    })
    this.#match(signal, '')
  }

  emit(
    { path, interface: name, member }: BusSignal,
    signature: string,
    body: readonly unknown[],
  ): void {
    if (!this.#end.signal.aborted) this.#parts.raw.sendSignal(path, name, member, signature, body)
  }

  async hasOwner(name: string): Promise<boolean> {
    const [owned] = await this.#askBus('NameHasOwner', 's', [name])
    return owned === true || owned === 1
  }

  onOwner(name: string, listener: (owned: boolean) => void): void {
    this.onSignal({ ...ownerChanged, from: busItself }, ([changed, , owner]) => {
      if (changed === name) listener(owner !== '')
    })
  }

  onEnd(listener: () => void): void {
    if (this.#end.signal.aborted) nextTurn(listener)
    else this.#end.signal.addEventListener('abort', listener, { once: true })
  }

  readonly close = (): void => {
    this.#end.abort()
    this.#parts.socket.destroy()
  }

  #onMessage(
    wanted: BusSignal,
    from: string | null,
    listener: (body: readonly unknown[]) => void,
  ): void {
    this.#parts.raw.connection.on(
      'message',
      ({ path, interface: name, member, sender, body }: Message) => {
        const isMeant =
          path === wanted.path && name === wanted.interface && member === wanted.member
        const isFrom = from === null || (sender !== undefined && sender === this.#owners.get(from))
        if (isMeant && isFrom) listener(body ?? [])
      },
    )
  }

  /** If a match is refused, no signals arrive; every caller can live with that. */
  #match(signal: BusSignal, more: string): void {
    const rule = `type='signal',path='${signal.path}',interface='${signal.interface}',member='${signal.member}'${more}`
    void this.#askBus('AddMatch', 's', [rule]).catch(() => undefined)
  }

  #followOwner(name: string): void {
    if (this.#owners.has(name)) return
    this.#owners.set(name, '')
    this.#onMessage(ownerChanged, busItself, ([changed, , owner]) => {
      if (changed === name) this.#owners.set(name, String(owner))
    })
    this.#match(ownerChanged, `,arg0='${name}'`)
    void this.#askBus('GetNameOwner', 's', [name]).then(
      ([owner]) => this.#owners.set(name, String(owner)),
      // Nobody owns it yet.
      () => undefined,
    )
  }

  #askBus(
    member: string,
    signature: string,
    body: readonly unknown[],
  ): Promise<readonly unknown[]> {
    return this.call({
      destination: busItself,
      path: '/org/freedesktop/DBus',
      interface: busItself,
      member,
      signature,
      body,
    })
  }
}

/**
 * Keeps a connection to a bus: one that ends, can't be opened or can't be followed is opened again,
 * less and less often.
 */
export function keepBus(parts: {
  readonly openBus: () => Promise<SessionBus>
  /** Called for each connection; one for which it rejects is closed. */
  readonly follow: (bus: SessionBus) => Promise<void>
  /** A connection has ended. */
  readonly onEnd: () => void
  /** No bus could be opened. */
  readonly onNone?: () => unknown
}): { current(): SessionBus | null; stop(): void } {
  let bus: SessionBus | null = null
  let stopped = false
  let waitMs: number = reopenMs.first
  let reopening: ReturnType<typeof setTimeout> | null = null

  const reopenLater = (): void => {
    if (stopped) return
    reopening = setTimeout(look, waitMs)
    reopening.unref()
    waitMs = Math.min(2 * waitMs, reopenMs.longest)
  }
  const open = async (): Promise<void> => {
    const opened = await parts.openBus()
    if (stopped) return opened.close()
    bus = opened
    opened.onEnd(() => {
      if (bus !== opened) return
      bus = null
      parts.onEnd()
      reopenLater()
    })
    await parts.follow(opened)
    waitMs = reopenMs.first
  }
  const look = (): void => {
    open().catch(() => {
      if (bus !== null) return bus.close()
      parts.onNone?.()
      reopenLater()
    })
  }
  look()
  return {
    current: () => bus,
    stop: () => {
      stopped = true
      if (reopening !== null) clearTimeout(reopening)
      bus?.close()
    },
  }
}
