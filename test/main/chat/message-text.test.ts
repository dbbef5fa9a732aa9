import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageText } from '../../../src/main/chat/message-text.ts'
import { htmlMaxLength } from '../../../src/shared/core/text-length.ts'
import { costlyHtml } from '../../support/costly-html.ts'

const emoji = (code: string, name: string) =>
  `<span aria-label="${name}" class="emoji emoji-${code}" role="img" title="${name}">:${name}:</span>`
const quote = '<blockquote>\n<p>long <strong>words</strong></p>\n</blockquote>'

describe('the text of a message', () => {
  test.each([
    ['a paragraph with breaks', '<p>one<br>\ntwo</p>\n<p>three</p>', 'one\ntwo\nthree'],
    ['entities', '<p>a &lt;b&gt; &amp;amp; &quot;c&quot;</p>', 'a <b> &amp; "c"'],
    ['an emoji', `<p>ok ${emoji('1f44d', 'thumbs_up')}</p>`, 'ok 👍'],
    ['a flag of two characters', `<p>${emoji('1f1f8-1f1ee', 'flag')}</p>`, '🇸🇮'],
    ['an emoji that does not exist', `<p>${emoji('ffffff', 'odd')}</p>`, ':odd:'],
    ['a custom emoji', '<p><img alt=":belfry:" class="emoji" src="/x.png"></p>', ':belfry:'],
    [
      'a mention',
      '<p><span class="user-mention" data-user-id="11">@Dana</span> hi</p>',
      '@Dana hi',
    ],
    [
      'a formula',
      '<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2 &lt; 1</annotation></semantics></math></span><span class="katex-html">x2</span></span> holds</p>',
      'x^2 < 1 holds',
    ],
    [
      'code',
      '<div class="codehilite"><pre><span></span><code><span class="k">def</span> f():\n    go()\n</code></pre></div><p>so</p>',
      'def f():\n    go()\nso',
    ],
    [
      'lists',
      '<ol start="3">\n<li>c</li>\n<li>\n<p>d</p>\n<ul>\n<li>deep</li>\n</ul>\n</li>\n</ol>',
      '3. c\n4. d\n  • deep',
    ],
    [
      'a table',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
      'a | b\n1 | 2',
    ],
    [
      'a spoiler, without its hidden content',
      '<div class="spoiler-block"><div class="spoiler-header">\n<p>The end</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>He did it</p>\n</div></div><p>Read it</p>',
      'The end (…)\nRead it',
    ],
    ['a quote among other words', `<p>Ana said:</p>\n${quote}\n<p>yes</p>`, 'Ana said:\n[…]\nyes'],
    ['nothing but a quote', quote, 'long words'],
    [
      'a picture alone',
      '<div class="message_inline_image"><a href="/user_uploads/2/a.png"><img src="/user_uploads/thumbnail/2/a.png/x"></a></div>',
      '(attached file)',
    ],
    ['a named file', '<p><a href="/user_uploads/2/a.pdf">report.pdf</a></p>', 'report.pdf'],
    [
      'a link without its preview',
      '<p><a href="https://x.example">x.example</a></p><div class="message_embed"><div class="message_embed_title">Buy!</div></div>',
      'x.example',
    ],
    [
      'a time, by this computer’s zone',
      `<p>at <time datetime="${new Date(2026, 2, 17, 14, 25).toISOString()}">17 Mar</time>, <b>be there</b></p>`,
      'at Tue, 17 Mar 2026, 14:25, be there',
    ],
    ['an invalid time', '<p><time datetime="soon">in a <b>while</b></time></p>', 'in a while'],
    ['programs', '<p>a</p><script>alert(1)</script><style>p{}</style>', 'a'],
    ['nothing', '', ''],
  ])('of %s', (_case, html, text) => {
    expect(messageText(html)).toBe(text)
  })

  test('has no control characters', () => {
    expect(messageText('<p>a\u0000\u001b[31mb\u0085c</p>')).toBe('a [31mb c')
  })

  test('has none from an attribute either', () => {
    expect(messageText('<p>a<img class="emoji" alt="\u0007:x:"></p>')).toBe('a :x:')
  })

  test('ends with an ellipsis if it is longer than any server allows', () => {
    const text = messageText(`<p>${'word '.repeat(30_000)}</p>`)
    expect(text).toHaveLength(100_000)
    expect(text).toMatch(/^(word )+word…$/)
  })

  test('with coloured code as long as a server allows is complete', () => {
    const code = 'const a = 1\n'.repeat(833)
    // Each word and blank in its own colour.
    const spans = code.replace(/\S+|\s/g, (sign) => `<span class="kd">${sign}</span>`)
    const html = `<div class="codehilite"><pre><span></span><code>${spans}</code></pre></div>`
    expect(messageText(html)).toBe(code.trim())
  })

  test('reproduces any typed words', () => {
    const words = fc
      .string({ unit: 'binary' })
      .map((text) => text.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    const escaped = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    fc.assert(
      fc.property(words, (text) => {
        expect(messageText(`<p>${escaped(text)}</p>`)).toBe(text)
      }),
    )
  })
})

/** A piece of a message, and the lines that it should become. */
interface Block {
  readonly html: string
  readonly lines: readonly string[]
}

const word = fc.constantFrom('disk', 'full', 'on', 'db-1', '95%', 'Kovač', '2.5', '👍')
const sentence = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
const inline = sentence.chain((text) =>
  fc
    .constantFrom('strong', 'em', 'code', 'del', 'a', 'span', null)
    .map((name) => ({ text, html: name === null ? text : `<${name}>${text}</${name}>` })),
)
const paragraph: fc.Arbitrary<Block> = fc
  .array(inline, { minLength: 1, maxLength: 3 })
  .map((parts) => ({
    html: `<p>${parts.map(({ html }) => html).join('\n ')}</p>`,
    lines: [parts.map(({ text }) => text).join(' ')],
  }))
const code: fc.Arbitrary<Block> = fc
  .array(sentence, { minLength: 1, maxLength: 3 })
  .map((lines) => ({
    html: `<div class="codehilite"><pre><span></span><code>${lines.join('\n  ')}\n</code></pre></div>`,
    lines: lines.map((line, n) => (n === 0 ? line : `  ${line}`)),
  }))
const listOf = (items: fc.Arbitrary<readonly Block[]>): fc.Arbitrary<Block> =>
  fc.tuple(items, fc.option(fc.integer({ min: 1, max: 99 }))).map(([blocks, start]) => ({
    html: `<${start === null ? 'ul' : `ol start="${start}"`}>\n${blocks
      .map(({ html }) => `<li>${html}</li>\n`)
      .join('')}</${start === null ? 'ul' : 'ol'}>`,
    lines: blocks.flatMap(({ lines }, n) =>
      lines.map((line, at) =>
        at > 0 ? line : `${start === null ? '•' : `${start + n}.`} ${line}`,
      ),
    ),
  }))
const bare = sentence.map((text): Block => ({ html: text, lines: [text] }))
const innerList = listOf(fc.array(bare, { minLength: 1, maxLength: 2 })).map(
  ({ html, lines }): Block => ({ html, lines: lines.map((line) => `  ${line}`) }),
)
const item = fc.oneof(
  bare,
  fc.tuple(bare, innerList).map(
    ([first, inner]): Block => ({
      html: `${first.html}\n${inner.html}\n`,
      lines: [...first.lines, ...inner.lines],
    }),
  ),
)
const list = listOf(fc.array(item, { minLength: 1, maxLength: 3 }))
const quoted: fc.Arbitrary<Block> = fc
  .oneof(paragraph, list)
  .map(({ html }) => ({ html: `<blockquote>\n${html}\n</blockquote>`, lines: ['[…]'] }))

test('an ordinary message reads like its blocks, each on lines of its own', () => {
  const blocks = fc.array(fc.oneof(paragraph, paragraph, code, list, quoted), { maxLength: 6 })
  fc.assert(
    fc.property(blocks, paragraph, (others, last) => {
      const all = [...others, last]
      expect(messageText(all.map(({ html }) => html).join('\n'))).toBe(
        all.flatMap(({ lines }) => lines).join('\n'),
      )
    }),
    { numRuns: 500 },
  )
})

describe('malformed HTML', () => {
  const tags = ['<p>', '</p>', '<b', '<span class="katex">', '</span>', '<li>', '<ol start="x">']
  const more = ['<!--', '-->', '<![CDATA[', '&#x110000;', '<blockquote>', '<td>', '<br/>', '"', "'"]
  const pieces = fc.oneof(fc.constantFrom(...tags, ...more), fc.string())

  test('gives some text, never an error', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        expect(messageText(parts.join(''))).toBeTypeOf('string')
      }),
    )
  })

  test('never shows the content of a script element', () => {
    const before = fc.array(fc.constantFrom('<p>', '<ul><li>', '<b>', 'x '), { maxLength: 5 })
    fc.assert(
      fc.property(before, (parts) => {
        const text = messageText(`${parts.join('')}<script>steal("<p>")</script>end`)
        expect(text).not.toMatch(/steal|<script/)
        expect(text).toContain('end')
      }),
    )
  })

  test('nested deeper than any message takes no time', () => {
    const deep = `<p>start</p>${'<b>'.repeat(60_000)}${'</i>'.repeat(40_000)}`
    expect(messageText(deep)).toBe('start')
  })
})

/** The methods that scan a whole text or list; those that take a part without copying are free. */
const costly = [
  ...['at', 'charAt', 'endsWith', 'includes', 'indexOf', 'replace', 'split', 'trim', 'trimEnd'],
  ...['trimStart', 'filter', 'findLast', 'map', 'shift', 'some', 'unshift'],
]

/** How much text and how many items `work` scans, summed over all its scans. */
function workOf(work: () => unknown): number {
  let amount = 0
  const undo: (() => void)[] = []
  for (const prototype of [String.prototype, Array.prototype]) {
    for (const name of costly) {
      const own = Object.getOwnPropertyDescriptor(prototype, name)
      const method: unknown = own?.value
      if (own === undefined || typeof method !== 'function') continue
      const counted = function (this: { readonly length: number }, ...given: unknown[]): unknown {
        amount += this.length
        return Reflect.apply(method, this, given)
      }
      Object.defineProperty(prototype, name, { ...own, value: counted })
      undo.push(() => Object.defineProperty(prototype, name, own))
    }
  }
  try {
    work()
  } finally {
    for (const restore of undo) restore()
  }
  return amount
}

describe('the work for a message', () => {
  const short = 16_000

  test.each(Object.entries(costlyHtml))('grows no faster than its length: %s', (_shape, htmlOf) => {
    const [one, four] = [htmlOf(short), htmlOf(4 * short)]
    expect(four.length).toBeGreaterThan(3.9 * one.length)
    const least = 4 * short
    const inOne = Math.max(
      workOf(() => messageText(one)),
      least,
    )
    const inFour = workOf(() => messageText(four))
    expect(inFour).toBeLessThan(6 * inOne)
    // No tag costs more than one scan of the deepest nesting that is read.
    expect(inFour).toBeLessThan(200 * four.length)
  })

  test('would grow faster with a reader that trims all its text at each piece (control)', () => {
    const naive = (html: string) => {
      let text = ''
      for (const piece of html.match(/[^<>]+/g) ?? []) text = `${text} ${piece}`.trimEnd()
      return text
    }
    const html = (length: number) => 'x<p>'.repeat(length / 4)
    const inOne = workOf(() => naive(html(short)))
    expect(workOf(() => naive(html(4 * short)))).toBeGreaterThan(12 * inOne)
  })

  test('comes to an end for the longest accepted message, whatever it is', () => {
    for (const htmlOf of Object.values(costlyHtml))
      expect(messageText(htmlOf(htmlMaxLength)).length).toBeLessThanOrEqual(100_000)
  })
})
