import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joined, outlineOf } from '../../../src/main/http/json-pieces.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'

const encoder = new TextEncoder()
const sliceBytes = 64 * 1024

/** The value, null if it was refused, and the number of turns that other work got meanwhile. */
function read(
  text: string,
  maxItems = 100_000,
): { value: unknown; isRead: boolean; steps: number } {
  const json = encoder.encode(text)
  let steps = 0
  const run = <T>(work: Generator<undefined, T>): T => {
    for (;;) {
      const { done, value } = work.next()
      if (done === true) return value
      steps += 1
    }
  }
  try {
    const values = run(joined(json, run(outlineOf(json, maxItems))))
    const isRead = Array.isArray(values) && values.length === 1
    return { value: isRead ? values[0] : null, isRead, steps }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RequestFailed)
      return { value: null, isRead: false, steps }
    throw error
  }
}

function parsed(text: string): { value: unknown; isRead: boolean } {
  try {
    return { value: JSON.parse(text), isRead: true }
  } catch {
    return { value: null, isRead: false }
  }
}

/** As text, since objects put together from pieces have no prototype. */
const plain = (value: unknown): string => JSON.stringify(value)

const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
/** Long enough to be cut in many ways, at several levels. */
const longValue = fc.letrec<{ value: unknown; list: unknown[]; object: object; long: string }>(
  (tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), tie('long'), tie('list'), tie('object')),
    long: fc.tuple(texts, fc.nat(3_000)).map(([text, times]) => text.repeat(times)),
    list: fc.array(tie('value'), { maxLength: 12 }),
    object: fc.dictionary(fc.oneof(texts, fc.constant('__proto__')), tie('value'), { maxKeys: 12 }),
  }),
).object

describe('JSON read in pieces', () => {
  test('gives the same value as when parsed in one go', () => {
    let cut = 0
    fc.assert(
      fc.property(longValue, fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const { value: got, isRead, steps } = read(text)
        expect(isRead).toBe(true)
        expect(plain(got) === plain(parsed(text).value)).toBe(true)
        expect(steps).toBeGreaterThanOrEqual(Math.floor(encoder.encode(text).length / 1_000_000))
        if (steps > 3) cut += 1
      }),
      { numRuns: 150, seed: 18 },
    )
    expect(cut).toBeGreaterThan(20)
  })

  test('is refused exactly where the parser refuses it, wherever it is cut', () => {
    const item = JSON.stringify({ text: 'x'.repeat(30_000), list: [1, [2], { three: '}' }] })
    const whole = `{"a":[${Array(12).fill(item).join()}],"b":{"c":{"d":[${item},${item},${item}]}}}`
    const structure = [...whole.matchAll(/[[\]{},:"]/g)].map(({ index }) => index)
    let refused = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...structure),
        fc.constantFrom('', ',', ',,', '[', ']', '{', '}', '"', ':', '1'),
        (at, change) => {
          const text = whole.slice(0, at) + change + whole.slice(at + 1)
          const wanted = parsed(text)
          const got = read(text)
          expect(got.isRead).toBe(wanted.isRead)
          expect(plain(got.value) === plain(wanted.value)).toBe(true)
          if (!wanted.isRead) refused += 1
        },
      ),
      { numRuns: 600, seed: 18 },
    )
    expect(refused).toBeGreaterThan(300)
  })

  test.each([',', ',,1', ',1'])(
    'is refused if and only if an item is missing where it is cut: %s',
    (rest) => {
      const text = `{"a":["${'x'.repeat(sliceBytes)}"${rest}]}`
      expect(read(text).isRead).toBe(parsed(text).isRead)
    },
  )

  test.each([
    ['nested lists', `{"a":{"b":[[${'1,'.repeat(2_000)}1]]}}`],
    ['an object', `{${Array.from({ length: 2_000 }, (_, at) => `"k${at}":1`).join()}}`],
  ])('with too many items in %s is refused before it is parsed', (_name, text) => {
    expect(read(text, 2_001).isRead).toBe(true)
    expect(read(text, 1_000)).toMatchObject({ isRead: false, steps: 0 })
  })

  test('lets other work run at least every 100 kB', () => {
    const text = `{"events":[${Array(500)
      .fill(`{"text":"${'y'.repeat(9_000)}"}`)
      .join()}]}`
    const { steps } = read(text)
    expect(steps).toBeGreaterThan((2 * text.length) / 100_000)
    expect(text.length).toBeGreaterThan(50 * sliceBytes)
  })
})
