import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareNameKeys, nameKey } from '../../../../src/shared/core/views/check-order.ts'

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

const order = (a: string, b: string) => Math.sign(compareNameKeys(nameKey(a), nameKey(b)))
const wanted = (a: string, b: string) => Math.sign(collator.compare(a, b))

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('job', 'a', 'A', 'b', '0', '00', '1', '09', '10', '-') },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 2 }) },
  // Accents, digits of other scripts, ligatures, full-width letters, invisible characters.
  {
    weight: 2,
    arbitrary: fc.constantFrom('é', 'e\u0301', '٢', '１', 'ｆ', 'æ', 'ß', '\t', '\u200d'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('🚀', '🧪', '✓', '™', '€', 'я', 'ё', 'ά', 'א', 'ب', '中', '한'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }) },
)
const name = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))

describe('the order of names', () => {
  test('is the same as that of the collator, whatever the names are', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(order(a, b)).toBe(wanted(a, b))
      }),
      { numRuns: 20_000 },
    )
  })

  test('is also the same for each single non-ASCII character', () => {
    const ascii = [' ', '~', '$', '0', 'zz']
    const wrong: string[] = []
    for (let code = 0x80; code < 0x20000; code += 1) {
      const character = String.fromCodePoint(code)
      // All others are left to the collator.
      if (nameKey(character).text === '') continue
      if (ascii.some((one) => order(character, one) !== wanted(character, one)))
        wrong.push(code.toString(16))
    }
    expect(wrong).toEqual([])
  })

  test('sorts numbers by value and ignores case', () => {
    const names = ['job 10', 'Job 9', '🚀 deploy', 'ящик', 'job 2', '_job', 'job 009b', '$job']
    const sorted = names.toSorted(order)
    expect(sorted).toEqual([
      '_job',
      '🚀 deploy',
      '$job',
      'job 2',
      'Job 9',
      'job 009b',
      'job 10',
      'ящик',
    ])
  })
})
