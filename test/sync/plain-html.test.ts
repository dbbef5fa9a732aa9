import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageText, parsedText } from '../../src/main/sync/message-text.ts'
import { readPlainHtml } from '../../src/main/sync/plain-html.ts'
import { TextReader } from '../../src/main/sync/text-reader.ts'
import { hostileStrings } from '../support/hostile-grammar.ts'
import { hostileHtml } from '../support/hostile-html.ts'
import { messageConstructs } from '../support/message-constructs.ts'

const isPlain = (html: string) => readPlainHtml(html, new TextReader())

const names = [
  ...['p', 'p', 'p', 'br', 'a', 'strong', 'em', 'code', 'del', 'span', 'div', 'pre', 'blockquote'],
  ...['ul', 'ol', 'li', 'hr', 'img', 'table', 'td', 'h1', 'script', 'svg', 'math', 'B'],
] as const
const words = fc.oneof(
  fc.constantFrom(' ', '\n', 'word', ' two  words ', '&amp;', '&lt;b&gt;', '&quot;', '&#39;', '"'),
  fc.constantFrom('&nbsp;', '&amp', '& ', '&#x41;', '&notin;', '\t', '\u00a0', '\r', '\u0000', '>'),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const attributes = fc.constantFrom(
  ...['', '', '', ' class="user-mention" data-user-id="2"', ' class="katex"', ' start="7"'],
  ...[
    ' class="emoji emoji-1f525" role="img"',
    ' class="emoji" alt=":x:"',
    ' class="emoji" alt="&"',
  ],
  ...[' href="/user_uploads/1/a.png"', ' href="/x?a=1&amp;b=2"', ' href="&#47;user_uploads/"'],
  ...[' class="spoiler-content"', ' class="message_embed"', ' encoding="application/x-tex"'],
  ...[' class="a" class="katex"', " class='x'", ' hidden', ' CLASS="katex"', ' title="a > b"', ' '],
)

/** HTML as servers write it and a little beside that: about half of it is plain. */
const { html } = fc.letrec<{ html: string; node: string }>((tie) => ({
  html: fc.array(tie('node'), { maxLength: 5 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { maxDepth: 6 },
    words,
    fc
      .tuple(fc.constantFrom(...names), attributes, tie('html'))
      .map(([name, more, inside]) =>
        ['br', 'hr', 'img'].includes(name)
          ? `<${name}${more}>`
          : `<${name}${more}>${inside}</${name}>`,
      ),
  ),
}))

/** The same with one character gone, or a piece put where it does not belong. */
const broken = fc
  .tuple(html, fc.nat(), fc.constantFrom('', '<', '>', '</p>', '<li>', '<a>', '"', '/', '<!--'))
  .map(([whole, place, piece]) => {
    const at = whole.length === 0 ? 0 : place % whole.length
    return whole.slice(0, at) + piece + whole.slice(at + 1)
  })

describe('HTML as a chat server writes it', () => {
  test.each([
    ['words with marks', '<p>a <strong>b</strong> <em>c</em><br>\n<code>d &lt; e</code></p>'],
    ['a mention', '<p><span class="user-mention" data-user-id="2">@Ana</span> hi</p>'],
    ['a link', '<p><a href="https://x.example/?a=1&amp;b=2">x</a></p>'],
    ['an emoji', '<p><span class="emoji emoji-1f525" role="img" title="fire">:fire:</span></p>'],
    [
      'a quote and code',
      '<blockquote>\n<p>q</p>\n</blockquote><div><pre><code>c</code></pre></div>',
    ],
    ['lists', '<ul>\n<li>a</li>\n<li>b<ul><li>c</li></ul></li>\n</ul>'],
  ])('is read without the parser: %s', (_what, given) => {
    expect(isPlain(given)).toBe(true)
  })

  test.each([
    ['a paragraph in a paragraph', '<p>a<p>b</p></p>'],
    ['a list in a paragraph', '<p>a<ul><li>b</li></ul></p>'],
    ['an item in an item', '<ul><li>a<li>b</li></li></ul>'],
    ['a link in a link', '<a>b<a>c</a></a>'],
    ['an end without its start', '<p>a</em></p>'],
    ['a start without its end', '<p>a'],
    ['an element of another kind', '<p><script>x</script></p>'],
    ['a comment', '<p>a<!-- b --></p>'],
    ['an entity of another kind', '<p>a&nbsp;b</p>'],
    ['an ampersand alone', '<p>a & b</p>'],
    ['a control character', '<p>a\u001bb</p>'],
    ['a value in other quotes', "<p class='a'>b</p>"],
    ['capital letters', '<P>a</P>'],
    ['what is nested deeply', `${'<em>'.repeat(101)}a${'</em>'.repeat(101)}`],
  ])('is left to the parser where it is not: %s', (_what, given) => {
    expect(isPlain(given)).toBe(false)
    expect(messageText(given)).toBe(parsedText(given))
  })
})

describe('the text of a message is the one that the parser gives', () => {
  test('for any HTML, well formed or nearly', () => {
    let plain = 0
    fc.assert(
      fc.property(fc.oneof(html, broken), (given) => {
        if (isPlain(given)) plain += 1
        expect(messageText(given)).toBe(parsedText(given))
      }),
      { numRuns: 2_000 },
    )
    // Else this would compare the parser with itself.
    expect(plain).toBeGreaterThan(200)
  })

  test('for each construct of the reference, and for hostile HTML', () => {
    const constructs = messageConstructs.map((construct) => construct.html)
    for (const given of [...constructs, ...hostileHtml, ...hostileStrings(1, 2_000)])
      expect(messageText(given)).toBe(parsedText(given))
  })
})
