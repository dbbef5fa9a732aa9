/** Converts values to text and back, keeping what plain JSON loses and IPC keeps. */
export interface Clone {
  pack(value: unknown): string
  unpack(text: string): unknown
}

/**
 * The structured clone of Electron's IPC. Nearly everything sent is plain JSON, and is sent as
 * such; anything else is sent as a list of its objects, which refer to each other by number. Throws
 * Electron's error if a value can't be cloned. It also runs, as text, in the page's isolated world,
 * so it refers to nothing outside itself.
 */
export function createClone(): Clone {
  /** Marks what is not plain JSON, whose text never begins with it. */
  const mark = '{"$t":'
  /** `[kind, value]`, or a text, a number, true, false or null itself. */
  type Slot = string | number | boolean | null | readonly [kind: string, value?: unknown]
  /** The kind of object, then its parts. */
  type Node = [kind: string, ...parts: unknown[]]
  type Bytes = ArrayBufferView<ArrayBuffer>

  const kindOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1)
  const refuse = (): never => {
    throw new Error('An object could not be cloned.')
  }

  const isText = (value: unknown): value is string | boolean | null =>
    value === null || typeof value === 'string' || typeof value === 'boolean'
  const isJsonNumber = (value: number): boolean => Number.isFinite(value) && !Object.is(value, -0)

  /** Whether JSON preserves it. */
  const isJson = (value: unknown, seen: Set<object>): boolean => {
    if (typeof value === 'number') return isJsonNumber(value)
    if (isText(value)) return true
    if (typeof value !== 'object' || seen.has(value)) return false
    seen.add(value)
    if (!(Array.isArray(value) ? isWholeList(value) : isPlain(value))) return false
    for (const key in value) if (!isJson(Reflect.get(value, key), seen)) return false
    return true
  }
  /** No holes, and no other properties. */
  const isWholeList = (list: unknown[]): boolean => Object.keys(list).length === list.length
  const isPlain = (value: object): boolean => {
    const prototype: unknown = Object.getPrototypeOf(value)
    // Also accepts another realm's Object, whose prototype has none itself.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false
    const special = ['$t', '__proto__', 'toJSON'].some((key) => Object.hasOwn(value, key))
    return !special && kindOf(value) === 'Object'
  }

  const packNumber = (value: number): Slot => {
    if (isJsonNumber(value)) return value
    return ['number', Object.is(value, -0) ? '-0' : String(value)]
  }

  const packNodes = (value: unknown): string => {
    const nodes: Node[] = []
    const places = new Map<object, number>()
    const slotOf = (one: unknown): Slot => {
      if (isText(one)) return one
      if (typeof one === 'number') return packNumber(one)
      if (one === undefined) return ['undefined']
      if (typeof one === 'bigint') return ['bigint', String(one)]
      return typeof one === 'object' ? ['node', placeOf(one)] : refuse()
    }
    const placeOf = (one: object): number => {
      const before = places.get(one)
      if (before !== undefined) return before
      const place = nodes.length
      places.set(one, place)
      nodes.push([''])
      nodes[place] = nodeOf(one)
      return place
    }
    const entriesOf = (one: object): unknown[] =>
      Object.keys(one).map((key) => [key, slotOf(Reflect.get(one, key))])
    const slots = (items: Iterable<unknown>): Slot[] => Array.from(items, slotOf)
    const boxed = (one: object): Node => ['boxed', slotOf(one.valueOf())]
    /** By the object's own tag, so it works for any realm. */
    const byKind: Readonly<Record<string, (one: never) => Node>> = {
      Array: (one: unknown[]) => ['list', one.length, entriesOf(one)],
      Map: (one: Map<unknown, unknown>) => ['map', slots(one.keys()), slots(one.values())],
      Set: (one: Set<unknown>) => ['set', slots(one)],
      Error: (one: Error) => errorOf(one),
      Date: (one: Date) => ['date', slotOf(one.getTime())],
      RegExp: ({ source, flags }: RegExp) => ['expression', source, flags],
      Number: boxed,
      String: boxed,
      Boolean: boxed,
      ArrayBuffer: (one: ArrayBuffer) => ['buffer', Array.from(new Uint8Array(one))],
      Object: (one: object) => ['object', entriesOf(one)],
    }
    const nodeOf = (one: object): Node => {
      const kind = kindOf(one)
      if (ArrayBuffer.isView(one)) {
        const { buffer, byteOffset, byteLength } = one as Bytes
        return ['view', kind, Array.from(new Uint8Array(buffer, byteOffset, byteLength))]
      }
      // The object is of the kind that the entry expects.
      const pack = byKind[kind] as ((one: object) => Node) | undefined
      return pack === undefined ? refuse() : pack(one)
    }
    const errorOf = (error: Error): Node => {
      const standard = ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError']
      const name = [...standard, 'URIError'].find((known) => known === error.name) ?? 'Error'
      const cause = Object.hasOwn(error, 'cause') ? [slotOf(error.cause)] : []
      return ['error', name, error.message, slotOf(error.stack), ...cause]
    }
    const root = slotOf(value)
    return `${mark}${JSON.stringify(nodes)},"v":${JSON.stringify(root)}}`
  }

  const unpackNodes = (nodes: readonly Node[], root: Slot): unknown => {
    const made = new Map<number, object>()
    const read = (slot: Slot): unknown => {
      if (slot === null || typeof slot !== 'object') return slot
      const [kind, value] = slot
      if (kind === 'undefined') return undefined
      if (kind === 'bigint') return BigInt(String(value))
      if (kind === 'number') return Number(value)
      return made.get(Number(value)) ?? objectOf(Number(value))
    }
    const keep = <T extends object>(place: number, object: T): T => {
      made.set(place, object)
      return object
    }
    /** Without assignment, which would set the prototype for `__proto__`. */
    const fill = (object: object, entries: readonly [string, Slot][]): object => {
      for (const [key, slot] of entries) {
        const value = read(slot)
        const property = { value, enumerable: true, writable: true, configurable: true }
        Object.defineProperty(object, key, property)
      }
      return object
    }
    const globals = globalThis as unknown as Record<string, new (...args: unknown[]) => object>
    const make = (name: string, ...args: unknown[]): object => {
      const Known = globals[name]
      return Known === undefined ? refuse() : new Known(...args)
    }
    const objectOf = (place: number): object => {
      // Written by `packNodes`.
      const [kind, first, second, third, ...rest] = nodes[place] as Node
      switch (kind) {
        case 'list':
          return fill(keep(place, new Array<unknown>(Number(first))), second as [string, Slot][])
        case 'map': {
          const map = keep(place, new Map<unknown, unknown>())
          const values = second as Slot[]
          for (const [at, key] of (first as Slot[]).entries())
            map.set(read(key), read(values[at] ?? null))
          return map
        }
        case 'set': {
          const set = keep(place, new Set<unknown>())
          for (const item of first as Slot[]) set.add(read(item))
          return set
        }
        case 'error': {
          const error = keep(place, make(String(first), second))
          const [cause] = rest as Slot[]
          const hidden = { enumerable: false, writable: true, configurable: true }
          Object.defineProperty(error, 'stack', { ...hidden, value: read(third as Slot) })
          if (cause !== undefined)
            Object.defineProperty(error, 'cause', { ...hidden, value: read(cause) })
          return error
        }
        case 'date':
          return keep(place, new Date(read(first as Slot) as number))
        case 'expression':
          return keep(place, new RegExp(String(first), String(second)))
        case 'boxed':
          return keep(place, Object(read(first as Slot)) as object)
        case 'buffer':
          return keep(place, Uint8Array.from(first as number[]).buffer)
        case 'view':
          return keep(place, make(String(first), Uint8Array.from(second as number[]).buffer))
        default:
          return fill(keep(place, {}), first as [string, Slot][])
      }
    }
    return read(root)
  }

  return {
    pack: (value) => (isJson(value, new Set()) ? JSON.stringify(value) : packNodes(value)),
    unpack: (text) => {
      const parsed: unknown = JSON.parse(text)
      if (!text.startsWith(mark)) return parsed
      const { $t: nodes, v: root } = parsed as { $t: Node[]; v: Slot }
      return unpackNodes(nodes, root)
    },
  }
}
