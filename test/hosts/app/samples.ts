/**
 * Values that cross from one world to another, and descriptions of what arrived. The page gets the
 * source of both functions, so neither refers to anything outside itself.
 */
export function makeSample(name: string): unknown {
  class Point {
    readonly x = 1
    get y(): number {
      return 2
    }
    sum(): number {
      return this.x + this.y
    }
  }
  const shared = { a: 1 }
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const samples: Record<string, () => unknown> = {
    undefined: () => undefined,
    null: () => null,
    'a number': () => 1.5,
    'negative zero': () => -0,
    NaN: () => Number.NaN,
    infinity: () => Number.NEGATIVE_INFINITY,
    'a bigint': () => 12_345_678_901_234_567_890n,
    'a text with half a pair': () => 'a\ud800b\u0000c',
    'a date': () => new Date(86_400_000),
    'an invalid date': () => new Date(Number.NaN),
    'a regular expression': () => /a+/giu,
    'a map': () => new Map<unknown, unknown>([[{ key: 1 }, new Set([1, 'two'])]]),
    'an error': () => new Error('broken'),
    'an error of a kind': () =>
      Object.assign(new TypeError('wrong', { cause: 'why' }), { code: 'EWRONG' }),
    'an error of a kind of its own': () => Object.assign(new Error('own'), { name: 'OwnError' }),
    'an object of a class': () => new Point(),
    'an object without prototype': () => Object.assign(Object.create(null) as object, { a: 1 }),
    'a key __proto__': () => JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as unknown,
    'a key of a symbol': () => ({ [Symbol('s')]: 1, a: 2 }),
    'a getter': () => ({
      get a() {
        return 1
      },
    }),
    'undefined inside': () => ({ a: undefined, b: [undefined] }),
    'a hole': () => Object.assign(new Array<number>(3), { 0: 1, 2: 3 }),
    'a list with a property': () => Object.assign([1], { extra: 2 }),
    'the same object twice': () => [shared, shared],
    'an object in itself': () => cycle,
    bytes: () => new Uint8Array([0, 127, 255]),
    floats: () => new Float64Array([0.5, -1]),
    'a buffer': () => new Uint8Array([1, 2]).buffer,
    'a boxed number': () => new Number(1),
    'a boxed text': () => new String('a'),
    'a mark of a clone': () => ({ $t: 'undefined', v: 1 }),
    'a function': () => () => 1,
    'a function inside': () => ({ act: () => 1 }),
    'a symbol': () => Symbol('s'),
    'a promise': () => Promise.resolve(1),
    'a weak map': () => new WeakMap(),
  }
  const make = samples[name]
  if (make === undefined) return Object.keys(samples)
  return make()
}

/** Throws any value, not only errors. */
export function raise(value: unknown): never {
  throw value
}

/** Describes a value in words, including the kind of object. */
export function describe(value: unknown): string {
  const seen: unknown[] = []
  const entriesOf = (object: object): string[] =>
    Reflect.ownKeys(object).map((key) => `${String(key)}: ${inWords(Reflect.get(object, key))}`)
  const list = (items: Iterable<unknown>): string => Array.from(items, inWords).join(', ')
  const listInWords = (one: unknown[]): string => {
    const entries = entriesOf(one).filter((entry) => !entry.startsWith('length:'))
    return `[${entries.join(', ')}; ${one.length}]`
  }
  const errorInWords = (one: Error): string => {
    const own = Reflect.ownKeys(one).filter((key) => key !== 'stack' && key !== 'message')
    const more = own.map((key) => `, ${String(key)}: ${inWords(Reflect.get(one, key))}`)
    return `Error ${String(one)}${more.join('')}`
  }
  const recordInWords = (one: object): string => {
    const prototype: unknown = Object.getPrototypeOf(one)
    const plain = prototype === null || Object.getPrototypeOf(prototype) === null
    const name = prototype === null ? 'bare ' : plain ? '' : `${one.constructor.name} `
    return `${name}{${entriesOf(one).join(', ')}}`
  }
  const byKind: Readonly<Record<string, (one: never) => string>> = {
    Array: listInWords,
    Map: (one: Map<unknown, unknown>) => `Map {${list(one)}}`,
    Set: (one: Set<unknown>) => `Set {${list(one)}}`,
    ArrayBuffer: (one: ArrayBuffer) => `ArrayBuffer (${list(new Uint8Array(one))})`,
    Uint8Array: (one: Uint8Array) => `Uint8Array (${list(one)})`,
    Float64Array: (one: Float64Array) => `Float64Array (${list(one)})`,
    Date: (one: Date) => `Date ${one.getTime()}`,
    RegExp: (one: RegExp) => `RegExp ${String(one)}`,
    Number: (one: object) => `boxed ${inWords(one.valueOf())}`,
    String: (one: object) => `boxed ${inWords(one.valueOf())}`,
    Error: errorInWords,
    Object: recordInWords,
  }
  const objectInWords = (one: object): string => {
    const before = seen.indexOf(one)
    if (before !== -1) return `<the ${before}th again>`
    seen.push(one)
    const kind = Object.prototype.toString.call(one).slice('[object '.length, -1)
    // The object is of the kind that the entry expects.
    const words = byKind[kind] as ((one: object) => string) | undefined
    return words?.(one) ?? kind
  }
  const inWords = (one: unknown): string => {
    if (typeof one === 'string') return JSON.stringify(one)
    if (typeof one === 'bigint') return `${one}n`
    if (typeof one === 'function') return 'function'
    if (one !== null && typeof one === 'object') return objectInWords(one)
    return Object.is(one, -0) ? '-0' : String(one)
  }
  return inWords(value)
}
