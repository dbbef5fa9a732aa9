/** Values as text and back, keeping what plain JSON loses and IPC keeps. */
export interface Clone {
  pack(value: unknown): string
  unpack(text: string): unknown
}

/**
 * The structured clone of Electron's IPC as far as the app uses it: plain objects, arrays,
 * primitives (with `undefined`, NaN, -0 and the infinities), maps, sets, dates and bytes. Anything
 * else throws by name, as functions and promises do in Electron. Nearly everything that crosses is
 * what JSON can carry, and goes as it is.
 *
 * It runs here and, as text, in the page's isolated world, so it refers to nothing outside itself.
 */
export function createClone(): Clone {
  /** What JSON loses, as an object whose first key is the mark. */
  const mark = '$t'
  type Marked = { readonly $t: string; readonly v?: unknown }
  const marked = (t: string, v?: unknown): Marked => ({ $t: t, v })

  const packNumber = (value: number): unknown => {
    if (Object.is(value, -0)) return marked('number', '-0')
    return Number.isFinite(value) ? value : marked('number', String(value))
  }

  const packList = (list: readonly unknown[], above: readonly object[]): unknown[] =>
    list.map((item) => packAny(item, above))

  const packEntries = (entries: Iterable<[unknown, unknown]>, above: readonly object[]): unknown =>
    Array.from(entries, (entry) => packList(entry, above))

  /** Itself where nothing in it has to be marked. */
  const packPlain = (value: Record<string, unknown>, above: readonly object[]): unknown => {
    // Taken for a mark, or for more than a key by whoever reads it.
    if (Object.hasOwn(value, mark) || Object.hasOwn(value, '__proto__'))
      return marked('object', packEntries(Object.entries(value), above))
    let copy: Record<string, unknown> | null = null
    for (const key of Object.keys(value)) {
      const item = value[key]
      if (typeof item === 'string') continue
      const packed = packAny(item, above)
      if (packed === item) continue
      copy ??= { ...value }
      copy[key] = packed
    }
    return copy ?? value
  }

  const packObject = (value: object, above: readonly object[]): unknown => {
    if (above.includes(value)) throw new Error('chromium host: a cycle is not stood in for in IPC')
    const inside = [...above, value]
    if (Array.isArray(value)) return packList(value, inside)
    if (value instanceof Map) return marked('map', packEntries(value, inside))
    if (value instanceof Set) return marked('set', packList([...value], inside))
    if (value instanceof Date) return marked('date', value.getTime())
    if (value instanceof Uint8Array) return marked('bytes', Array.from(value))
    const prototype: unknown = Object.getPrototypeOf(value)
    // Also the Object of another realm: what has no prototype of its own above it.
    if (prototype === null || Object.getPrototypeOf(prototype) === null)
      return packPlain(value as Record<string, unknown>, inside)
    throw new Error(`chromium host: ${value.constructor.name} is not stood in for in IPC`)
  }

  const packAny = (value: unknown, above: readonly object[]): unknown => {
    switch (typeof value) {
      case 'undefined':
        return marked('undefined')
      case 'number':
        return packNumber(value)
      case 'string':
      case 'boolean':
        return value
      case 'object':
        return value === null ? null : packObject(value, above)
      case 'bigint':
      case 'function':
      case 'symbol':
        throw new Error('An object could not be cloned.')
    }
  }

  const unpackMarked = ({ $t, v }: Marked): unknown => {
    if ($t === 'undefined') return undefined
    if ($t === 'number') return Number(v)
    // What `packObject` wrote for the mark.
    if ($t === 'date') return new Date(v as number)
    if ($t === 'bytes') return Uint8Array.from(v as number[])
    if ($t === 'set') return new Set(unpackList(v as unknown[]))
    const entries = (v as unknown[][]).map(unpackList) as [string, unknown][]
    // Not by assignment, which `__proto__` would make something else of.
    return $t === 'map' ? new Map<unknown, unknown>(entries) : Object.fromEntries(entries)
  }

  const unpackList = (list: unknown[]): unknown[] => {
    for (const [place, item] of list.entries()) list[place] = unpackAny(item)
    return list
  }

  /** In its place: what was parsed belongs to nobody else. */
  const unpackAny = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return unpackList(value)
    if (mark in value) return unpackMarked(value as Marked)
    const object = value as Record<string, unknown>
    for (const key in object) {
      const item = object[key]
      if (typeof item === 'object') object[key] = unpackAny(item)
    }
    return object
  }

  return {
    pack: (value) => JSON.stringify(packAny(value, [])),
    unpack: (text) => unpackAny(JSON.parse(text)),
  }
}
