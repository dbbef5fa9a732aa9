import { decoded } from './html-entities.ts'
import { type Attributes, type TextElement, textElement, usedAttributes } from './text-element.ts'

/** A start tag as a chat server writes it. */
export interface StartTag {
  readonly element: TextElement
  /** The element that it would end if it stood right in it: HTML has a paragraph end where a list begins. */
  readonly ends: string | null
  /** Nothing is in it, and no end tag follows. */
  readonly isVoid: boolean
  /** Of its characters behind the bracket. */
  readonly length: number
}

/** The elements that nearly all messages are made of, each with the one that it would end. */
const elements: ReadonlyMap<string, string | null> = new Map([
  ...['br', 'code', 'del', 'em', 'img', 'span', 'strong'].map((name) => [name, null] as const),
  ...['blockquote', 'div', 'hr', 'ol', 'p', 'pre', 'ul'].map((name) => [name, 'p'] as const),
  ['a', 'a'],
  ['li', 'li'],
])
const voids: ReadonlySet<string> = new Set(['br', 'hr', 'img'])

/** Tags are mostly the same few. Longer ones hold an address, which is rarely the same. */
const known = new Map<string, StartTag>()
const longestKnown = 120
const mostKnown = 500

/** The start tag whose name begins at `at`; null for one that the parser has to read. */
export function startTagAt(html: string, at: number): StartTag | null {
  const end = html.indexOf('>', at) + 1
  if (end === 0 || end - at > longestKnown) return readTag(html, at)
  const text = html.slice(at, end)
  return known.get(text) ?? learned(text) ?? readTag(html, at)
}

/** Null where a value holds the bracket that seemed to be the end. */
function learned(text: string): StartTag | null {
  // A copy, since what is cut out of a message keeps all of it in memory.
  const own = Buffer.from(text, 'utf16le').toString('utf16le')
  const tag = readTag(own, 0)
  if (tag === null) return null
  if (known.size >= mostKnown) known.clear()
  known.set(own, tag)
  return tag
}

const quote = 0x22
const greater = 0x3e

const none: Attributes = {}

/** Any number of ` name="value"` behind the name. */
function readTag(html: string, start: number): StartTag | null {
  let at = endOfWord(html, start)
  const name = html.slice(start, at)
  const ends = elements.get(name)
  if (ends === undefined) return null
  let attributes: Record<string, string> | null = null
  while (html.charCodeAt(at) === 0x20) {
    const equals = endOfWord(html, at + 1)
    const word = html.slice(at + 1, equals)
    if (word === '' || html.charCodeAt(equals) !== 0x3d || html.charCodeAt(equals + 1) !== quote)
      return null
    const end = html.indexOf('"', equals + 2)
    if (end === -1) return null
    at = end + 1
    if (!usedAttributes.has(word)) continue
    const value = decoded(html.slice(equals + 2, end))
    if (value === null) return null
    attributes ??= {}
    // The first of a name is the one that counts.
    attributes[word] ??= value
  }
  if (html.charCodeAt(at) !== greater) return null
  const element = textElement(name, attributes ?? none)
  return { element, ends, isVoid: voids.has(name), length: at + 1 - start }
}

/** Behind a name of small letters and hyphens. */
function endOfWord(html: string, start: number): number {
  let at = start
  for (;;) {
    const code = html.charCodeAt(at)
    // NaN behind the end is neither.
    if ((code >= 0x61 && code <= 0x7a) || code === 0x2d) at += 1
    else return at
  }
}
