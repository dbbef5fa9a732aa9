const filled = (piece: string, length: number): string =>
  piece.repeat(Math.max(0, Math.floor(length / piece.length)))

/** `piece` repeated inside `depth` elements that stay open. */
const inside =
  (piece: string, depth: number, opening = '<b>') =>
  (length: number): string => {
    const open = opening.repeat(depth)
    return open + filled(piece, length - open.length)
  }

const repeated =
  (piece: string, before = '') =>
  (length: number): string =>
    before + filled(piece, length - before.length)

/** One element whose start tag fills all the length. */
const wide =
  (begin: string, piece: string, end: string) =>
  (length: number): string =>
    begin + filled(piece, length - begin.length - end.length) + end

/** `piece` repeated in a formula, as KaTeX renders one. */
const inFormula = (piece: string) => repeated(piece, '<span class="katex"><math>')

/** Letters of 20 scripts, each in another font. */
const scripts = 'aбγדأअกあ中한αԱაሀᄀᏣᚠᠠ𐎀𒀀😀𝔸'

/** More than twice as much as the app keeps of a message, in characters. */
export const longestSent = 512 * 1024

/** Messages of about `length` characters written to cost as much work as possible, by shape. */
export const costlyHtml: Readonly<Record<string, (length: number) => string>> = {
  'elements in each other': repeated('<b>'),
  'lists in each other': repeated('<ul><li>'),
  'quotes in each other': repeated('<blockquote>x '),
  'end tags of nothing, deep inside': inside('</x>', 190),
  'end tags of capitals in SVG': inside('</clippath>', 180, '<svg><title>'),
  'elements, deep inside': inside('<i></i>', 190),
  'forms in a form': inside('<form>', 180, '<form><b>'),
  'items, deep inside of lists': inside('<li>x</li>', 90, '<ul><li>'),
  'empty paragraphs': repeated('<p></p>'),
  'paragraphs that end with a blank': repeated('<p>x </p>\n'),
  'ends of paragraphs': repeated('</p>'),
  'lines that end with a blank': repeated('x <br>\n'),
  'blocks of code': repeated(
    '<div class="codehilite"><pre><span></span><code>x \n </code></pre></div>',
  ),
  'code in one-letter colours': repeated(
    '<span class="n">a</span><span class="o">=</span>',
    '<pre>',
  ),
  'white space': repeated(' '),
  'white space as typed': repeated(' ', '<pre>'),
  'white space as typed, in pieces': repeated('<i> \n</i>', '<pre>x'),
  'wide spaces': repeated('\u00a0 \t\u3000'),
  'control characters': repeated('\u0000\u001b \n'),
  entities: repeated('&amp;'),
  'times in words': repeated('<time datetime="2026-03-17T14:25:00Z"></time>'),
  'entities without an end': repeated('&CounterClockwiseContourIntegra'),
  'ampersands alone': repeated('&'),
  'brackets alone': repeated('<'),
  'comments without an end': repeated('<!--'),
  'a program without an end': repeated('</scrip', '<script>'),
  'a very wide table': repeated('<td>x</td>', '<table><tr>'),
  'items without an end': repeated('<li>x', '<ol start="7">'),
  quotes: repeated('<blockquote>x </blockquote>'),
  spoilers: repeated('a <i class="spoiler-content">x</i>'),
  emoji: repeated('<span class="emoji emoji-1f44d" role="img">:x:</span>'),
  'formulas of one sign': repeated(
    '<span class="katex"><annotation encoding="application/x-tex">x </annotation></span>',
  ),
  'symbols of a formula': repeated('<mi>x</mi>', '<math>'),
  'symbols of a drawn formula': inFormula('<mi>x</mi>'),
  'brackets of a drawn formula': inFormula('<mo stretchy="true">(</mo>'),
  'fractions of a drawn formula': inFormula('<mfrac><mi>x</mi><msqrt><mi>y</mi></msqrt></mfrac>'),
  'a table in a formula': inFormula('<mtable><mtr><mtd>x</mtd></mtr></mtable>'),
  'unknown elements in each other': inside('<b>x</b>', 50, '<x-new>'),
  'unknown elements, each of another name': (length) =>
    Array.from(
      { length: Math.floor(length / 12) },
      (_, n) => `<x-${n.toString(36).padStart(5, '0')}>x `,
    ).join(''),
  'attributes of many elements': repeated(
    `<p ${Array.from({ length: 39 }, (_, n) => `a${n}="x"`).join(' ')}>x</p>`,
  ),
  'tables in each other': inside('<td>x</td>', 60, '<table><tr><td>'),
  pictures: repeated('<img alt="x" src="https://a.example/x.png">'),
  'pictures of long names': repeated(`<img alt="${scripts.repeat(80)}" src="/x.png">`),
  previews: repeated(
    '<div class="message_embed"><div class="message_embed_title"><a href="https://a.example">x</a></div></div>',
  ),
  'lines of code': repeated('x\n', '<pre>'),
  'words of all scripts': repeated(scripts, '<p>'),
  'directions in each other': repeated('\u2067a', '<p>'),
  'directions one after the other': repeated('\u202eab\u202cא', '<p>'),
  'marks on a letter': repeated(`a${'\u0301'.repeat(99)}`, '<p>'),
  'programs and drawings': repeated('<script></script><svg></svg>'),
  'attributes of one element': (length) =>
    `<p ${Array.from({ length: Math.floor(length / 7) }, (_, n) => `a${n.toString(36).padStart(5, '0')}`).join(' ')}>x`,
  'one element of many classes': wide('<span class="', 'emoji-1f1f8 ', '">x</span>'),
  'an emoji of many characters': wide('<span class="emoji emoji-1f1f8', '-1f1f8', '">x</span>'),
  'entities in an attribute': wide('<a href="', '&amp;', '">x</a>'),
  'a very long name': wide('<', 'x', '>'),
  'a very long word': wide('<p>', 'x', '</p>'),
  'a very long word of another script': wide('<p>', 'ﷺ', '</p>'),
}
