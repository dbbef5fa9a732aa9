import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageText } from '../../src/main/sync/message-text.ts'

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
      'a spoiler, without what it hides',
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
    ['a time', '<p><time datetime="2026-01-01T00:00:00Z">2026-01-01</time></p>', '2026-01-01'],
    ['programs', '<p>a</p><script>alert(1)</script><style>p{}</style>', 'a'],
    ['nothing', '', ''],
  ])('of %s', (_case, html, text) => {
    expect(messageText(html)).toBe(text)
  })

  test('has no control characters', () => {
    expect(messageText('<p>a\u0000\u001b[31mb\u0085c</p>')).toBe('a [31mb c')
  })

  test('gives back any words that were typed', () => {
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

describe('junk', () => {
  const tags = ['<p>', '</p>', '<b', '<span class="katex">', '</span>', '<li>', '<ol start="x">']
  const more = ['<!--', '-->', '<![CDATA[', '&#x110000;', '<blockquote>', '<td>', '<br/>', '"', "'"]
  const pieces = fc.oneof(fc.constantFrom(...tags, ...more), fc.string())

  test('is some text, never an error', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        expect(messageText(parts.join(''))).toBeTypeOf('string')
      }),
    )
  })

  test('never shows what a program element holds', () => {
    const before = fc.array(fc.constantFrom('<p>', '<ul><li>', '<b>', 'x '), { maxLength: 5 })
    fc.assert(
      fc.property(before, (parts) => {
        const text = messageText(`${parts.join('')}<script>steal("<p>")</script>end`)
        expect(text).not.toMatch(/steal|<script/)
        expect(text).toContain('end')
      }),
    )
  })

  test('that is deeper than any message costs no time', () => {
    const deep = `<p>start</p>${'<b>'.repeat(60_000)}${'</i>'.repeat(40_000)}`
    expect(messageText(deep)).toBe('start')
  })
})
