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
  ])('counts code points, as the server does: %j is %i', (text, length) => {
    expect(codePointLength(text)).toBe(length)
  })
})

describe('a message', () => {
  test.each([
    ['1234567890', true],
    ['12345678901', false],
    ['👍👍👍👍👍👍👍👍👍👍', true],
    // The server cuts these before it counts.
    ['\n\n1234567890 \n ', true],
    ['', false],
    [' \n\t', false],
    ['\0', false],
  ])('%j fits within 10: %s', (text, fits) => {
    expect(fitsMessage(text, limits)).toBe(fits)
  })

  test('keeps the spaces in front of its first line, which mean code', () => {
    expect(sentText('\n    code\n')).toBe('    code')
  })
})
