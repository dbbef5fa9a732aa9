import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markedParts } from '../../../src/main/chat/search-excerpt.ts'

const hit = (text: string) => `<span class="highlight">${text}</span>`

test('an excerpt has the words around the first hit, with the hits marked', () => {
  expect(markedParts(`<p>the ${hit('lock')} on <b>db1</b> &amp; the ${hit('Lock')}s</p>`)).toEqual([
    { text: 'the ', hit: false },
    { text: 'lock', hit: true },
    { text: ' on db1 & the ', hit: false },
    { text: 'Lock', hit: true },
    { text: 's', hit: false },
  ])
})

test('an excerpt of a long message is the part with the hit, and shows that it is a part', () => {
  const parts = markedParts(`<p>${'word '.repeat(100)}${hit('lock')}${' word'.repeat(100)}</p>`)
  const text = parts.map((part) => part.text).join('')
  expect(text.length).toBeLessThan(250)
  expect(text).toMatch(/^… word.* lock word.*…$/)
})

test.each([
  ['a language without spaces', '数据库已经锁定'],
  ['a stack trace', 'org.example.'],
  ['emoji', '👍👀'],
])('the first hit, also in %s', (_name, word) => {
  for (const end of ['', ' end']) {
    const parts = markedParts(`<p>${word.repeat(99)}${hit('lock')}${word.repeat(99)}${end}</p>`)
    expect(parts.map((part) => part.hit)).toEqual([false, true, false])
    const text = parts.map((part) => part.text).join('')
    expect(text).toMatch(/^… .{29,60}lock.{80,}…$/u)
    expect(text.isWellFormed()).toBe(true)
  }
})

test('the parts of any message make up its text, and only what the server marked is a hit', () => {
  const piece = fc.oneof(
    fc.constantFrom('a', ' ', '<b>', '</b>', '</span>', '<span>', '\uE000', '\uE001', '&lt;'),
    fc.constantFrom('x', 'yy').map(hit),
  )
  const seen = { hits: 0 }
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const parts = markedParts(pieces.join(''))
      const hits = parts.filter((part) => part.hit).map(({ text }) => text)
      seen.hits += hits.length
      expect(hits).toEqual(
        pieces.flatMap((one) => /^<span class="highlight">(.*)<\/span>$/.exec(one)?.[1] ?? []),
      )
      expect(parts.map(({ text }) => text).join('')).not.toMatch(/[\uE000\uE001]/)
    }),
  )
  expect(seen.hits).toBeGreaterThan(100)
})
