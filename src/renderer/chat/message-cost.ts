/**
 * What drawing a message costs, known before it is drawn: in units of an ordinary element, which takes
 * some 50 µs to build, lay out and paint. All of it is judged in time that grows with the length only.
 */

/** Of one message, some 100 ms: long lists, tables and code of honest people stay far below. */
export const mostWork = 2_500

/** Three times deeper than what is drawn, so honest markup never comes near. */
const deepestMarkup = 200
/** Coloured code of 10,000 characters has some 12,000. */
const mostTags = 20_000
/** From where markup can be read in two ways. Its parser compares each attribute of a tag with all others. */
const mostUnclear = 16_000
const neverClosed = new Set(['br', 'hr', 'img', 'wbr', 'source', 'track', 'input', 'link', 'meta'])
/** What a formula's lines are drawn of: a slash at the end closes it inside of `svg`, and nowhere else. */
const drawn = new Set(['path', 'line'])
/** What looks like a tag in one of these is text. */
const opaque = new Set([
  ...['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'],
  'plaintext',
])
/** A whole tag that can be nothing else, and the text behind it. None has so many attributes. */
const plainTag =
  /<(\/?)([a-z][a-z\d-]*)(?:[ \n]+[a-z][\w:-]*(?:="[^"]*")?){0,40}[ \n]*(\/?)>[^<]*/iy

/**
 * True for markup that a browser's own parser may take long for, during which the window stands still:
 * its time grows with the square of the depth and of the attributes of one tag. An end tag counts for
 * the element that is open, where all before it can't be read in two ways: from the first comment, quote
 * or end out of its place on, none does.
 */
export function isTooCostly(html: string): boolean {
  // To open one takes two characters at least.
  if (html.length <= 2 * deepestMarkup) return false
  if (html.split('<', mostTags + 2).length > mostTags + 1) return true
  const open: string[] = []
  let at = html.indexOf('<')
  let isClear = true
  let isInDrawing = false
  while (at !== -1 && at < html.length) {
    const tag: Tag = tagAt(html, at, isInDrawing)
    if (tag.name === '' || opaque.has(tag.name)) break
    if (tag.isEnd) isClear = isClear && open.pop() === tag.name
    if (!isClear || tag.staysOpen) open.push(tag.name)
    if (open.length > deepestMarkup) return true
    isInDrawing = tag.isInDrawing
    at += tag.length
  }
  const rest = at === -1 ? '' : html.slice(at)
  return rest.length > mostUnclear || open.length + rest.split('<').length - 1 > deepestMarkup
}

interface Tag {
  /** In lower case; empty where the markup can be read in two ways. */
  readonly name: string
  readonly isEnd: boolean
  readonly staysOpen: boolean
  /** Whether lines can follow: any other element could lead the parser out of the drawing. */
  readonly isInDrawing: boolean
  /** With the text behind it. */
  readonly length: number
}

function tagAt(html: string, at: number, isInDrawing: boolean): Tag {
  plainTag.lastIndex = at
  const [whole = '', end = '', found = '', slash = ''] = plainTag.exec(html) ?? []
  const name = found.toLowerCase()
  const isEnd = end === '/'
  const isLine = isInDrawing && !isEnd && slash === '/' && drawn.has(name)
  return {
    name,
    isEnd,
    staysOpen: !isEnd && !isLine && !neverClosed.has(name),
    isInDrawing: isLine || (name === 'svg' && !isEnd && slash === ''),
    length: whole.length,
  }
}

/** Scripts whose words mix letters of several blocks of 128 characters. */
const largeScripts = [
  { name: 'Greek', from: 0x370, end: 0x400, script: 2 },
  { name: 'Greek with old accents', from: 0x1f00, end: 0x2000, script: 2 },
  { name: 'Cyrillic', from: 0x400, end: 0x530, script: 3 },
  { name: 'Arabic', from: 0x600, end: 0x700, script: 4 },
  { name: 'Myanmar', from: 0x1000, end: 0x10a0, script: 5 },
  { name: 'Ethiopic', from: 0x1200, end: 0x13a0, script: 6 },
  { name: 'Canadian syllabics', from: 0x1400, end: 0x1680, script: 7 },
]

/** Characters of one script are laid out together; a pair of surrogates counts as its first half. */
function scriptOf(code: number, before: number): number {
  if (code < 0x250) return 0
  const hasNoShape = code >= 0x200b && code < 0x2010
  if (hasNoShape || (code >= 0xdc00 && code < 0xe000)) return before
  if (code >= 0xd800 && code < 0xdc00) return code
  if (code >= 0x2e80 && code < 0xd800) return 1
  const large = largeScripts.find(({ from, end }) => code >= from && code < end)
  return large?.script ?? code & 0xff80
}

/** A longer one is shaped anew for each line that it is broken into. */
const longestWord = 100
/** Broken anywhere at no cost: Latin, emoji, and scripts that are written without blanks. */
const breaksFreely = /[\0-\u024f\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ud800-\udfff]/

function textWork(text: string): number {
  return workUpTo(text, Number.POSITIVE_INFINITY).work
}

/** Of a text on the page, or of its beginning: its lines and its changes of script cost most. */
function workUpTo(text: string, most: number): { readonly work: number; readonly length: number } {
  let work = 0
  let before = 0
  let wordLength = 0
  for (let at = 0; at < text.length; at += 1) {
    if (work > most) return { work, length: at }
    const code = text.charCodeAt(at)
    const script = scriptOf(code, before)
    work += script === 0 ? 1 / 200 : 1 / 50
    if (code === 10) work += 1 / 5
    // Each of other scripts takes another font.
    else if (script !== before) work += script === 0 || before === 0 ? 1 / 7 : 1
    wordLength = code <= 32 || script === 1 ? 0 : wordLength + 1
    if (wordLength > longestWord && !breaksFreely.test(text.charAt(at))) work += 1 / 3
    before = script
  }
  return { work, length: text.length }
}

/** As much of a text as is shown of one message. */
export function affordable(text: string): string {
  return text.slice(0, workUpTo(text, mostWork).length).toWellFormed()
}

/** Parts that become more than an element. */
const ownWork: ReadonlyMap<string, number> = new Map([
  ...['pre', 'audio', 'video', 'img'].map((name) => [name, 8] as const),
  ...['a', 'table'].map((name) => [name, 2] as const),
])

/** Of what the sanitizer left of a message; counted until it is more than `mostWork`. */
export function workOf(parent: Element, before = 0): number {
  let work = before
  for (let node = parent.firstChild; node !== null && work <= mostWork; node = node.nextSibling)
    if (node.nodeType === Node.TEXT_NODE) work += textWork(node.nodeValue ?? '')
    else if (node.nodeType === Node.ELEMENT_NODE) work = elementWork(node as Element, work)
  return work
}

function elementWork(element: Element, before: number): number {
  const { classList } = element
  // Of a formula only the MathML half is drawn, of code only the text.
  if (classList.contains('katex-html')) return before
  if (element.localName === 'pre' || classList.contains('codehilite'))
    return before + 8 + textWork(element.textContent)
  const shown = ['alt', 'title', 'aria-label'].map((name) => element.getAttribute(name) ?? '')
  const isMath = element.namespaceURI?.endsWith('MathML') === true
  const own = isMath || classList.contains('emoji') ? 2 : (ownWork.get(element.localName) ?? 1)
  const embed = classList.contains('message_embed') ? 8 : 0
  return workOf(element, before + own + embed + textWork(shown.join('')))
}

/** About what a message will cost, by its length and tags alone. */
export function estimatedWork(html: string): number {
  return Math.min(mostWork, html.length / 200 + html.split('<', 2 * mostWork).length / 2)
}
