/** The parser's time grows with the square of the depth, and no writer goes beyond some twenty. */
const maxDepth = 500

/**
 * How the text inside an element is taken: flowing, as typed (`pre`), not at all, or, in a formula,
 * only its TeX source, which KaTeX keeps in an annotation.
 */
type Mode = 'flow' | 'pre' | 'drop' | 'formula'

interface Frame {
  readonly name: string
  readonly mode: Mode
  /** Lists: the number of the next item, null for bullets. */
  next: number | null
}

export type Attributes = Readonly<Record<string, string>>

/** Those that tell anything about the text. */
export const usedAttributes: ReadonlySet<string> = new Set([
  'alt',
  'class',
  'encoding',
  'href',
  'start',
])

const blocks = new Set(
  'address article blockquote dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
)
const dropped = new Set(
  'head iframe noscript object script select style svg template textarea title'.split(' '),
)
/** A link preview is the words of someone else's page, not of the message. */
const droppedClasses = ['message_embed']

/** Takes a message's elements and words one after the other, and makes its text of them. */
export class TextReader {
  readonly #frames: Frame[] = []
  readonly #writer = new TextWriter()
  #mode: Mode = 'flow'
  #attached = false

  /** False when it is nested so deeply that reading on would only cost time. */
  open(name: string, attributes: Attributes): boolean {
    const classes = classesOf(attributes)
    if (this.#mode === 'flow') {
      this.#attached ||= isAttachment(name, classes, attributes)
      this.#mark(name, classes, attributes)
    }
    const next = name === 'ol' ? listStart(attributes) : null
    this.#mode = modeInside(this.#mode, name, classes, attributes)
    this.#frames.push({ name, mode: this.#mode, next })
    return this.#frames.length <= maxDepth
  }

  /** What an element itself, before its content, does to the text. */
  #mark(name: string, classes: readonly string[], attributes: Attributes): void {
    const writer = this.#writer
    if (name === 'blockquote' && this.#frames.length === 0) writer.startPart()
    if (blocks.has(name) || name === 'br') writer.lineBreak()
    if (name === 'li') writer.prefix(itemPrefix(this.#frames))
    if ((name === 'td' || name === 'th') && !writer.atLineStart()) writer.flow(' | ')
    if (classes.includes('spoiler-content')) writer.sameLine(' (…)')
    const stands = textInPlace(name, classes, attributes)
    if (stands !== null) writer.flow(stands)
  }

  close(): void {
    const frame = this.#frames.pop()
    this.#mode = this.#frames.at(-1)?.mode ?? 'flow'
    if (!frame || this.#mode !== 'flow') return
    if (blocks.has(frame.name)) this.#writer.lineBreak()
    if (frame.name === 'blockquote' && this.#frames.length === 0) this.#writer.endQuote()
  }

  /** Without control characters but line feeds and tabs. */
  text(words: string): void {
    if (this.#mode === 'flow') this.#writer.flow(words)
    else if (this.#mode === 'pre') this.#writer.asTyped(words)
  }

  result(): string {
    const whole = this.#writer.result()
    return whole === '' && this.#attached ? '(attached file)' : whole
  }
}

const noClasses: readonly string[] = []

function classesOf(attributes: Attributes): readonly string[] {
  const names = attributes['class']
  if (names === undefined) return noClasses
  return /\s/.test(names) ? names.split(/\s+/) : [names]
}

function modeInside(
  outside: Mode,
  name: string,
  classes: readonly string[],
  attributes: Attributes,
): Mode {
  if (outside === 'drop' || dropped.has(name)) return 'drop'
  if (outside === 'formula') {
    return attributes['encoding'] === 'application/x-tex' ? 'flow' : 'formula'
  }
  if (classes.includes('katex')) return 'formula'
  if (classes.includes('spoiler-content') || droppedClasses.some((c) => classes.includes(c))) {
    return 'drop'
  }
  if (name === 'span' && emojiCharacters(classes) !== null) return 'drop'
  return name === 'pre' ? 'pre' : outside
}

/** What stands in the text for an element whose content is not text: emoji. */
function textInPlace(
  name: string,
  classes: readonly string[],
  attributes: Attributes,
): string | null {
  if (!classes.includes('emoji')) return null
  return name === 'img' ? (attributes['alt'] ?? null) : emojiCharacters(classes)
}

/** Of `emoji-1f1f8-1f1ee`, the characters; null where there is no such class or no such character. */
function emojiCharacters(classes: readonly string[]): string | null {
  const code = classes.find(
    (name) => name.startsWith('emoji-') && /^emoji-[0-9a-f]{2,6}(-[0-9a-f]{2,6})*$/.test(name),
  )
  if (code === undefined) return null
  const points = code
    .split('-')
    .slice(1)
    .map((hex) => Number.parseInt(hex, 16))
  return points.every((point) => point >= 0x20 && point <= 0x10ffff)
    ? String.fromCodePoint(...points).toWellFormed()
    : null
}

function isAttachment(name: string, classes: readonly string[], attributes: Attributes): boolean {
  if (name === 'a') return (attributes['href'] ?? '').startsWith('/user_uploads/')
  return name === 'video' || name === 'audio' || (name === 'img' && !classes.includes('emoji'))
}

function listStart(attributes: Attributes): number {
  const start = Number.parseInt(attributes['start'] ?? '1', 10)
  return Number.isSafeInteger(start) ? start : 1
}

function itemPrefix(frames: readonly Frame[]): string {
  const lists = frames.filter(({ name }) => name === 'ol' || name === 'ul')
  const list = lists.at(-1)
  // Deeper than any real list: junk should not cost a page of blanks.
  const indent = '  '.repeat(Math.min(8, Math.max(0, lists.length - 1)))
  if (!list || list.next === null) return `${indent}• `
  list.next += 1
  return `${indent}${list.next - 1}. `
}

/** More than one blank in a row, or one of another kind. */
const uncollapsed = /[^\S ]| {2}/

/** Puts the text together line by line, in parts: those that are quotes and the rest. */
class TextWriter {
  readonly #parts: { readonly isQuote: boolean; readonly text: string }[] = []
  #text = ''
  /** Its last character: to ask the text for it would be to put its pieces together each time. */
  #last = ''
  #breakDue = false
  /** A list's mark was written and waits for its item's words on the same line. */
  #marked = false

  #add(piece: string): void {
    if (this.#breakDue && this.#text !== '') {
      this.#trim()
      this.#text += '\n'
    }
    this.#breakDue = false
    this.#marked = false
    this.#text += piece
    this.#last = piece.charAt(piece.length - 1)
  }

  #trim(): void {
    if (this.#last.trim() !== '') return
    this.#text = this.#text.trimEnd()
    this.#last = this.#text.charAt(this.#text.length - 1)
  }

  atLineStart(): boolean {
    return this.#breakDue || this.#marked || this.#text === '' || this.#last === '\n'
  }

  flow(given: string): void {
    const collapsed = uncollapsed.test(given) ? given.replace(/\s+/g, ' ') : given
    const piece = this.#last === ' ' || this.atLineStart() ? collapsed.trimStart() : collapsed
    if (piece !== '') this.#add(piece)
  }

  asTyped(piece: string): void {
    if (piece !== '') this.#add(piece)
  }

  lineBreak(): void {
    if (!this.#marked) this.#breakDue = true
  }

  prefix(mark: string): void {
    this.#add(mark)
    this.#marked = true
  }

  /** Goes on in the line before, though a block ended. */
  sameLine(piece: string): void {
    this.#breakDue = false
    this.#trim()
    this.flow(piece)
  }

  startPart(): void {
    this.#end(false)
  }

  endQuote(): void {
    this.#end(true)
  }

  #end(isQuote: boolean): void {
    this.#parts.push({ isQuote, text: this.#text.trimEnd() })
    this.#text = ''
    this.#last = ''
    this.#breakDue = false
    this.#marked = false
  }

  result(): string {
    this.#end(false)
    const said = this.#parts.filter((part) => part.text.trim() !== '')
    const onlyQuotes = said.every((part) => part.isQuote)
    return said
      .map((part) => (part.isQuote && !onlyQuotes ? '[…]' : part.text))
      .join('\n')
      .trim()
  }
}
