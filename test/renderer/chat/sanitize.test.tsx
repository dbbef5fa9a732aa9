import { describe, expect, test } from 'vitest'
import { inertTree } from '../../../src/renderer/chat/sanitize.ts'
import { hostileVectors } from '../../support/hostile-families.ts'
import { hostileStrings } from '../../support/hostile-grammar.ts'

/** Beyond the first 1,024: characters that are special, unpaired or not allowed everywhere. */
const odd = ['\u2028', '\u3000', '\ud83d\ude00', '\ud83d', '\ude00', '\ufdd0', '\ufeff', '\uffff']
const characters = [...Array.from({ length: 0x400 }, (_, at) => String.fromCharCode(at)), ...odd]

describe('a paragraph', () => {
  test('of any characters equals what the parser makes of them', () => {
    const given = [
      '',
      ...characters.flatMap((one) => [one, `a${one}b`, `${one}${one}`, `&${one}`, `<${one}`]),
      ...hostileVectors.filter(({ length }) => length < 5_000),
      ...hostileStrings(3, 2_000),
    ]
    for (const words of given) {
      // Whatever starts with a capital letter goes to the parser.
      const [plain, parsed] = ['p', 'P'].map((name) => inertTree(`<${name}>${words}</p>`))
      expect(plain?.isEqualNode(parsed ?? null), JSON.stringify(words)).toBe(true)
    }
  })
})
