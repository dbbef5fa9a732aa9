import { describe, expect, test } from 'vitest'
import { inertTree } from '../../../src/renderer/chat/sanitize.ts'
import { hostileVectors } from '../../support/hostile-families.ts'
import { hostileStrings } from '../../support/hostile-grammar.ts'

/** Each of the first characters, and some that are none, or not in every place. */
const odd = ['\u2028', '\u3000', '\ud83d\ude00', '\ud83d', '\ude00', '\ufdd0', '\ufeff', '\uffff']
const characters = [...Array.from({ length: 0x400 }, (_, at) => String.fromCharCode(at)), ...odd]

describe('a paragraph', () => {
  test('of whatever characters is the one that the parser makes of them', () => {
    const given = [
      '',
      ...characters.flatMap((one) => [one, `a${one}b`, `${one}${one}`, `&${one}`, `<${one}`]),
      ...hostileVectors.filter(({ length }) => length < 5_000),
      ...hostileStrings(3, 2_000),
    ]
    for (const words of given) {
      // The sanitizer gets what begins with a capital letter, whatever it is.
      const [plain, parsed] = ['p', 'P'].map((name) => inertTree(`<${name}>${words}</p>`))
      expect(plain?.isEqualNode(parsed ?? null), JSON.stringify(words)).toBe(true)
    }
  })
})
