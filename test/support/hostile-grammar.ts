import { type Random, seededRandom } from '../../src/demo/answers.ts'

/**
 * Strings that look like messages gone wrong, from a small grammar of HTML in which every rule may
 * also produce what it should not. The same seed makes the same strings, all different.
 */
export function hostileStrings(seed: number, count: number): readonly string[] {
  const random = seededRandom(seed)
  const made = new Set<string>()
  while (made.size < count) made.add(node(random, 4) + content(random, 3))
  return [...made]
}

function oneOf<T>(random: Random, items: readonly [T, ...T[]]): T {
  return items[Math.floor(random() * items.length)] ?? items[0]
}

function times(random: Random, most: number, make: () => string): string {
  return Array.from({ length: Math.floor(random() * (most + 1)) }, make).join('')
}

function content(random: Random, depth: number): string {
  return times(random, 4, () => (random() < 0.3 || depth <= 0 ? text(random) : node(random, depth)))
}

const names: readonly [string, ...string[]] = [
  ...(['p', 'div', 'span', 'a', 'img', 'code', 'pre', 'ul', 'li', 'table', 'tr', 'td'] as const),
  ...['math', 'mi', 'mtext', 'mglyph', 'malignmark', 'annotation', 'annotation-xml', 'semantics'],
  ...['svg', 'g', 'foreignObject', 'desc', 'title', 'use', 'animate', 'set', 'image', 'style'],
  ...['script', 'template', 'noscript', 'iframe', 'object', 'embed', 'form', 'input', 'button'],
  ...['select', 'option', 'selectedcontent', 'textarea', 'xmp', 'plaintext', 'noembed', 'video'],
  ...['audio', 'source', 'link', 'meta', 'base', 'body', 'html', 'head', 'frameset', 'x-a', 'b'],
  ...['details', 'dialog', 'marquee', 'blockquote', 'time', 'br', 'hr', 'slot', 'portal', 'font'],
]

function node(random: Random, depth: number): string {
  const name = oneOf(random, names)
  const start = `<${name}${times(random, 4, () => attribute(random))}${random() < 0.1 ? '/' : ''}>`
  const inside = content(random, depth - 1)
  const roll = random()
  if (roll < 0.6) return `${start}${inside}</${name}>`
  if (roll < 0.75) return start + inside
  if (roll < 0.85) return `${inside}</${oneOf(random, names)}>`
  if (roll < 0.93) return mark(random) + inside
  return `${start}${inside}</${name}`.slice(0, Math.ceil(random() * 60))
}

function mark(random: Random): string {
  return oneOf(random, [
    '<!--',
    '-->',
    '--!>',
    '<![CDATA[',
    ']]>',
    '<?x',
    '<!x',
    '</',
    '<',
    '\u0000',
    '<!-->',
  ])
}

const attributeNames: readonly [string, ...string[]] = [
  ...(['onerror', 'onload', 'onclick', 'onfocus', 'ontoggle', 'onbegin', 'onpointerover'] as const),
  ...['href', 'src', 'srcset', 'style', 'class', 'id', 'name', 'data-user-id', 'title', 'alt'],
  ...['xlink:href', 'xml:base', 'formaction', 'action', 'srcdoc', 'data', 'poster', 'background'],
  ...['autofocus', 'tabindex', 'is', 'slot', 'shadowrootmode', 'encoding', 'datetime', 'start'],
  ...['data-style', 'data-original-src', 'data-original-dimensions', 'data-code-language', 'open'],
]

const values: readonly [string, ...string[]] = [
  'alert(1)',
  ...['javascript:alert(1)', 'java\tscript:alert(1)', '&#106;avascript:alert(1)', 'vbscript:x'],
  ...[
    'data:text/html,<script>alert(1)</script>',
    'blob:x',
    'file:///etc/passwd',
    '//hostile.example',
  ],
  ...[
    '/hostile/f',
    'https://hostile.example/f',
    'https://a:b@hostile.example',
    'mailto:a@b.example',
  ],
  ...['background:url(/hostile/f)', 'text-align:right', 'text-align: center;x:url(/hostile/f)'],
  ...['emoji emoji-1f44d', 'emoji emoji-202e', 'user-mention', 'user-mention silent', 'katex'],
  ...['katex-display', 'codehilite', 'spoiler-block', 'spoiler-header', 'spoiler-content'],
  ...[
    'message_inline_image',
    'message_embed',
    'message_embed_title',
    'timestamp-error',
    'inline-image',
  ],
  ...['text/html', 'application/x-tex', 'open', '0', '-1', '1e999', '*', '2026-01-01T00:00Z', 'x'],
  ...[
    '9999999x1',
    '10x10',
    '/user_uploads/1/a.png',
    '/user_uploads/../api/v1',
    '/external_content/a',
  ],
  ...[
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    '`',
    '</title>',
    '-->',
    '\u0000',
  ],
  ...['attributes', 'childNodes', '__proto__', '/#narrow/channel/1/topic/.', '/#narrow/dm/1,2'],
]

function attribute(random: Random): string {
  const space = oneOf(random, [' ', '\t', '\n', '\f', '/', ' \u0000', '  '])
  const name = oneOf(random, attributeNames)
  const fires = name.startsWith('on') && random() < 0.7
  const value = fires ? 'alert(1)' : oneOf(random, values)
  const cased = random() < 0.1 ? name.toUpperCase() : name
  const roll = random()
  if (roll < 0.1) return space + cased
  if (roll < 0.55) return `${space}${cased}="${value}"`
  if (roll < 0.75) return `${space}${cased}='${value}'`
  if (roll < 0.95) return `${space}${cased}=${value}`
  return `${space}${cased}="${value}`
}

function text(random: Random): string {
  return oneOf(random, [
    'text',
    ' ',
    '&lt;img src=x onerror=alert(1)&gt;',
    '&amp;lt;script&amp;gt;',
    'alert(1)',
    '\u202e',
    '\u0000',
    '&',
    '&#0;',
    '&#x110000;',
    ':smile:',
    '\ud800',
    '/me ',
    'https://hostile.example/',
  ])
}
