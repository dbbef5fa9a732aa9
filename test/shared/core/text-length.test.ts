import { describe, expect, test } from 'vitest'
import { codePointLength, fitsMessage, sentText } from '../../../src/shared/core/text-length.ts'

const limits = { messageLength: 10, topicLength: 60 }

describe('the length of a text', () => {
  test.each([
    ['', 0],
    ['hello', 5],
    ['👍', 1],
    ['e\u0301', 2],
    ['👩‍👩‍👧', 5],
    ['\ud83d', 1],
  ])('is counted in code points, as on the server: %j is %i', (text, length) => {
    expect(codePointLength(text)).toBe(length)
  })
})

describe('a message', () => {
  test.each([
    ['1234567890', true],
    ['12345678901', false],
    ['👍👍👍👍👍👍👍👍👍👍', true],
    // The server trims these before it counts.
    ['\n\n1234567890 \n ', true],
    ['', false],
    [' \n\t', false],
    ['\0', false],
  ])('%j fits within 10: %s', (text, fits) => {
    expect(fitsMessage(text, limits)).toBe(fits)
  })

  test('loses exactly the trailing white space that the server trims', () => {
    for (const cut of [' ', '\n', '\u{1c}', '\u{1f}', '\u{85}', '\u{a0}', '\u{2028}', '\u{3000}'])
      expect(sentText(`x${cut} ${cut}`)).toBe('x')
    for (const kept of ['\u{180e}', '\u{200b}', '\u{feff}'])
      expect(sentText(`x${kept}`)).toBe(`x${kept}`)
    expect(sentText(`x${' '.repeat(100_000)}y`)).toHaveLength(100_002)
  })

  test('keeps the leading spaces of its first line, which mean code', () => {
    expect(sentText('\n    code\n')).toBe('    code')
  })
})
