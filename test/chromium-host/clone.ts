/** Values as text and back, keeping what plain JSON loses and IPC keeps. */
export interface Clone {
  pack(value: unknown): string
  unpack(text: string): unknown
}

/**
 * The structured clone of Electron's IPC as far as the app uses it: plain objects, arrays,
 * primitives (with `undefined`, NaN, -0 and the infinities), maps, sets, dates and bytes. Anything
 * else throws by name, as functions and promises do in Electron.
 *
 * It runs here and, as text, in the page's isolated world, so it refers to nothing outside itself.
 */
export function createClone(): Clone {
  type Tagged = { readonly t: string; readonly v?: unknown }
  const tag = (t: string, v?: unknown): Tagged => ({ t, v })

  const packNumber = (value: number): unknown => {
    if (Object.is(value, -0)) return tag('number', '-0')
    return Number.isFinite(value) ? value : tag('number', String(value))
  }

  const packEntries = (
    entries: Iterable<[unknown, unknown]>,
    above: readonly object[],
  ): [unknown, unknown][] =>
    Array.from(entries, ([key, item]) => [packAny(key, above), packAny(item, above)])

  const packObject = (value: object, above: readonly object[]): unknown => {
    if (above.includes(value)) throw new Error('chromium host: a cycle is not stood in for in IPC')
    const inside = [...above, value]
    if (Array.isArray(value)) return value.map((item) => packAny(item, inside))
    if (value instanceof Map) return tag('map', packEntries(value, inside))
    if (value instanceof Set)
      return tag(
        'set',
        Array.from(value, (item) => packAny(item, inside)),
      )
    if (value instanceof Date) return tag('date', value.getTime())
    if (value instanceof Uint8Array) return tag('bytes', Array.from(value))
    const prototype: unknown = Object.getPrototypeOf(value)
    // Also the Object of another realm: what has no prototype of its own above it.
    if (prototype === null || Object.getPrototypeOf(prototype) === null) {
      return tag('object', packEntries(Object.entries(value), inside))
    }
    throw new Error(`chromium host: ${value.constructor.name} is not stood in for in IPC`)
  }

  const packAny = (value: unknown, above: readonly object[]): unknown => {
    switch (typeof value) {
      case 'undefined':
        return tag('undefined')
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

  const unpackTagged = ({ t, v }: Tagged): unknown => {
    if (t === 'undefined') return undefined
    if (t === 'number') return Number(v)
    // What `packObject` wrote for the tag.
    if (t === 'date') return new Date(v as number)
    if (t === 'bytes') return Uint8Array.from(v as number[])
    if (t === 'set') return new Set((v as unknown[]).map(unpackAny))
    const entries = v as [string, unknown][]
    if (t === 'map') return new Map(entries.map(([key, item]) => [unpackAny(key), unpackAny(item)]))
    const object = {}
    for (const [key, item] of entries) {
      // Not an assignment, which `__proto__` would make something else of.
      const value = unpackAny(item)
      Object.defineProperty(object, key, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      })
    }
    return object
  }

  const unpackAny = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value
    // Every object that `packObject` wrote, apart from arrays, is a tagged one.
    return Array.isArray(value) ? value.map(unpackAny) : unpackTagged(value as Tagged)
  }

  return {
    pack: (value) => JSON.stringify(packAny(value, [])),
    unpack: (text) => unpackAny(JSON.parse(text)),
  }
}
