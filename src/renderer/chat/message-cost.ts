/**
 * Estimates what a message will cost to draw, in units of one ordinary element, which takes some
 * 50 µs to build, lay out and paint. The estimates take time linear in the length.
 */

/** The most for one message, some 100 ms. Genuine long lists, tables and code stay far below. */
export const mostWork = 2_500

/** Three times deeper than what is drawn, so genuine markup never comes near it. */
const deepestMarkup = 200
/** 10,000 characters of highlighted code have some 12,000. */
const mostTags = 20_000
/**
 * The most characters from the first ambiguous tag on: there, a tag may have any number of
 * attributes, and the browser compares each of them with all others.
 */
const mostUnclear = 16_000
const voidElements = new Set(['br', 'hr', 'img', 'wbr', 'source', 'track', 'input', 'link', 'meta'])
/** The lines of a formula: a slash at the end of the tag closes them, but only inside `svg`. */
const formulaLines = new Set(['path', 'line'])
/** Elements in which what looks like a tag is parsed as text. */
const opaque = new Set([
  ...['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'],
  'plaintext',
])
/** One unambiguous tag and the text after it. No genuine tag has more than 40 attributes. */
const plainTag =
  /<(\/?)([a-z][a-z\d-]*)(?:[ \n]+[a-z][\w:-]*(?:="[^"]*")?){0,40}[ \n]*(\/?)>[^<]*/iy

/**
 * True for markup that may keep the browser's parser busy for so long that the window freezes: its
 * time grows with the square of the depth and of the number of attributes in one tag. An end tag
 * closes an element only while everything before it is unambiguous: from the first comment, odd
 * quote or misplaced end tag on, every tag counts as one level deeper.
 */
export function isTooCostly(html: string): boolean {
  // Opening an element takes at least two characters.
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
  /** In lower case; empty if the markup is ambiguous. */
  readonly name: string
  readonly isEnd: boolean
  readonly staysOpen: boolean
  /** Whether `formulaLines` can follow: any other could make the parser leave `svg`. */
  readonly isInDrawing: boolean
  /** Including the text after the tag. */
  readonly length: number
}

function tagAt(html: string, at: number, isInDrawing: boolean): Tag {
  plainTag.lastIndex = at
  const [whole = '', end = '', found = '', slash = ''] = plainTag.exec(html) ?? []
  const name = found.toLowerCase()
  const isEnd = end === '/'
  const isLine = isInDrawing && !isEnd && slash === '/' && formulaLines.has(name)
  return {
    name,
    isEnd,
    staysOpen: !isEnd && !isLine && !voidElements.has(name),
    isInDrawing: isLine || (name === 'svg' && !isEnd && slash === ''),
    length: whole.length,
  }
}

/** Scripts whose words mix letters from several blocks of 128 characters. */
const largeScripts = [
  { name: 'Greek', from: 0x370, end: 0x400, script: 2 },
  { name: 'Greek with old accents', from: 0x1f00, end: 0x2000, script: 2 },
  { name: 'Cyrillic', from: 0x400, end: 0x530, script: 3 },
  { name: 'Arabic', from: 0x600, end: 0x700, script: 4 },
  { name: 'Myanmar', from: 0x1000, end: 0x10a0, script: 5 },
  { name: 'Ethiopic', from: 0x1200, end: 0x13a0, script: 6 },
  { name: 'Canadian syllabics', from: 0x1400, end: 0x1680, script: 7 },
]

/** Characters of one script are laid out together. Surrogate pairs count by their first half. */
function scriptOf(code: number, before: number): number {
  if (code < 0x250) return 0
  const hasNoShape = code >= 0x200b && code < 0x2010
  if (hasNoShape || (code >= 0xdc00 && code < 0xe000)) return before
  if (code >= 0xd800 && code < 0xdc00) return code
  if (code >= 0x2e80 && code < 0xd800) return 1
  const large = largeScripts.find(({ from, end }) => code >= from && code < end)
  return large?.script ?? code & 0xff80
}

/** A longer word is shaped again for each line that it is broken into. */
const longestWord = 100
/** Can be broken anywhere at no cost: Latin, emoji, and scripts written without spaces. */
const breaksFreely = /[\0-\u024f\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ud800-\udfff]/

function textWork(text: string): number {
  return workUpTo(text, Number.POSITIVE_INFINITY).work
}

/** The cost of a text, counted until it exceeds `most`. Lines and changes of script cost most. */
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
    // A change between two scripts other than Latin also takes another font.
    else if (script !== before) work += script === 0 || before === 0 ? 1 / 7 : 1
    wordLength = code <= 32 || script === 1 ? 0 : wordLength + 1
    if (wordLength > longestWord && !breaksFreely.test(text.charAt(at))) work += 1 / 3
    before = script
  }
  return { work, length: text.length }
}

/** As much of a text as costs no more than `mostWork`. */
export function affordable(text: string): string {
  return text.slice(0, workUpTo(text, mostWork).length).toWellFormed()
}

/** Elements that are drawn as more than one. */
const ownWork: ReadonlyMap<string, number> = new Map([
  ...['pre', 'audio', 'video', 'img'].map((name) => [name, 8] as const),
  ...['a', 'table'].map((name) => [name, 2] as const),
])

/** The cost of what the sanitizer left of a message; stops counting above `mostWork`. */
export function workOf(parent: Element, before = 0): number {
  let work = before
  for (let node = parent.firstChild; node !== null && work <= mostWork; node = node.nextSibling)
    if (node.nodeType === Node.TEXT_NODE) work += textWork(node.nodeValue ?? '')
    else if (node.nodeType === Node.ELEMENT_NODE) work = elementWork(node as Element, work)
  return work
}

function elementWork(element: Element, before: number): number {
  const { classList } = element
  // Only the MathML half of a formula and only the text of code are drawn.
  if (classList.contains('katex-html')) return before
  if (element.localName === 'pre' || classList.contains('codehilite'))
    return before + 8 + textWork(element.textContent)
  const shown = ['alt', 'title', 'aria-label'].map((name) => element.getAttribute(name) ?? '')
  const isMath = element.namespaceURI?.endsWith('MathML') === true
  const own = isMath || classList.contains('emoji') ? 2 : (ownWork.get(element.localName) ?? 1)
  const embed = classList.contains('message_embed') ? 8 : 0
  return workOf(element, before + own + embed + textWork(shown.join('')))
}

/** A rough cost from the length and the number of tags alone. */
export function estimatedWork(html: string): number {
  return Math.min(mostWork, html.length / 200 + html.split('<', 2 * mostWork).length / 2)
}
