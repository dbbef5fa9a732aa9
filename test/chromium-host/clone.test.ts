import { describe, expect, test } from 'vitest'
import { createClone } from './clone.ts'

const { pack, unpack } = createClone()
const round = (value: unknown): unknown => unpack(pack(value))

describe('a value that crosses IPC', () => {
  test('arrives unchanged, including what plain JSON loses', () => {
    const value = {
      nothing: undefined,
      list: [null, undefined, [], {}, 'text', true],
      numbers: [1.5, -0, Number.NaN, Number.POSITIVE_INFINITY],
      map: new Map<unknown, unknown>([
        [1, { a: undefined }],
        ['two', new Set([2])],
      ]),
      at: new Date(86_400_000),
      bytes: new Uint8Array([0, 255]),
    }
    expect(round(value)).toStrictEqual(value)
  })

  test('may look like the clone’s own marks', () => {
    const value = { t: 'number', v: '7', nested: { t: 'undefined' } }
    expect(round(value)).toStrictEqual(value)
  })

  test('keeps a key with a special meaning in assignments', () => {
    const arrived = round(JSON.parse('{"__proto__": {"a": 1}}'))
    expect(Object.hasOwn(arrived as object, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(arrived)).toBe(Object.prototype)
  })

  test('may contain the same object twice, and itself', () => {
    const shared = { a: 1 }
    const [one, other] = round([shared, shared]) as [object, object]
    expect(one).toBe(other)
    const own: { self?: unknown } = {}
    own.self = own
    const arrived = round(own) as { self?: unknown }
    expect(arrived.self).toBe(arrived)
  })

  test('is refused with Electron’s message if it is a function', () => {
    expect(() => pack({ act: () => 1 })).toThrow('An object could not be cloned.')
  })

  test('may be an error, a bigint or a regular expression', () => {
    const value = [new RangeError('far', { cause: 1n }), /x/g, Object.assign([1], { more: 2 })]
    expect(round(value)).toStrictEqual(value)
  })
})
