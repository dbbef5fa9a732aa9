import { type Attributes, type TextReader, usedAttributes } from './text-reader.ts'

/**
 * The elements that nearly all messages are made of, each with the one that it would end if it stood
 * right in it (HTML has a paragraph end where a list begins): such things are the parser's to know.
 */
const elements: ReadonlyMap<string, string | null> = new Map([
  ...['br', 'code', 'del', 'em', 'img', 'span', 'strong'].map((name) => [name, null] as const),
  ...['blockquote', 'div', 'hr', 'ol', 'p', 'pre', 'ul'].map((name) => [name, 'p'] as const),
  ['a', 'a'],
  ['li', 'li'],
])
const voids: ReadonlySet<string> = new Set(['br', 'hr', 'img'])

/** Deeper than a message is, and nothing to keep a list of. */
const maxDepth = 100

/** All but line feeds and tabs, which alone belong in a text. */
const control = /[^\P{Cc}\n\t]/u

/**
 * Reads HTML as a chat server writes it, every element ended and every value in double quotes, in less
 * than half of the time that a parser of any HTML takes. False at the first thing that is not of that
 * kind: what was read is worth nothing then, and the parser has to read it.
 */
export function readPlainHtml(html: string, reader: TextReader): boolean {
  return !control.test(html) && new PlainHtml(html, reader).read()
}

const quote = 0x22
const slash = 0x2f
const greater = 0x3e

const none: Attributes = {}

class PlainHtml {
  readonly #html: string
  readonly #reader: TextReader
  readonly #open: string[] = []
  #at = 0

  constructor(html: string, reader: TextReader) {
    this.#html = html
    this.#reader = reader
  }

  read(): boolean {
    const html = this.#html
    for (;;) {
      const tag = html.indexOf('<', this.#at)
      const end = tag === -1 ? html.length : tag
      if (end > this.#at) {
        const text = decoded(html.slice(this.#at, end))
        if (text === null) return false
        this.#reader.text(text)
      }
      if (tag === -1) return this.#open.length === 0
      const isEnd = html.charCodeAt(tag + 1) === slash
      this.#at = isEnd ? tag + 2 : tag + 1
      if (!(isEnd ? this.#readEnd() : this.#readStart())) return false
    }
  }

  /** From the name of an end tag on, which is to be that of what is open. */
  #readEnd(): boolean {
    const name = this.#open.pop()
    if (name === undefined || !this.#html.startsWith(name, this.#at)) return false
    this.#at += name.length
    this.#reader.close()
    return this.#takes(greater)
  }

  #readStart(): boolean {
    const name = this.#word()
    const ended = elements.get(name)
    if (ended === undefined || (ended !== null && this.#open.at(-1) === ended)) return false
    const attributes = this.#attributes()
    if (attributes === null || this.#open.length === maxDepth) return false
    this.#reader.open(name, attributes)
    if (voids.has(name)) this.#reader.close()
    else this.#open.push(name)
    return true
  }

  /** Any number of ` name="value"`, and the end of the tag. */
  #attributes(): Attributes | null {
    let attributes: Record<string, string> | null = null
    while (this.#takes(0x20)) {
      const name = this.#word()
      if (name === '' || !this.#takes(0x3d) || !this.#takes(quote)) return null
      const start = this.#at
      const end = this.#html.indexOf('"', start)
      if (end === -1) return null
      this.#at = end + 1
      if (!usedAttributes.has(name)) continue
      const value = decoded(this.#html.slice(start, end))
      if (value === null) return null
      attributes ??= {}
      // The first of a name is the one that counts.
      attributes[name] ??= value
    }
    return this.#takes(greater) ? (attributes ?? none) : null
  }

  /** A name of small letters and hyphens. */
  #word(): string {
    const start = this.#at
    let at = start
    for (;;) {
      const code = this.#html.charCodeAt(at)
      // NaN behind the end is neither.
      if ((code >= 0x61 && code <= 0x7a) || code === 0x2d) at += 1
      else break
    }
    this.#at = at
    return this.#html.slice(start, at)
  }

  #takes(code: number): boolean {
    if (this.#html.charCodeAt(this.#at) !== code) return false
    this.#at += 1
    return true
  }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Null for an entity that a chat server has no need to write. */
function decoded(text: string): string | null {
  if (!text.includes('&')) return text
  if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(text)) return null
  return text.replace(/&[a-z#39]+;/g, (entity) => entities[entity] ?? entity)
}
