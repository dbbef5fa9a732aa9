import { Parser } from 'htmlparser2'
import { cut, htmlMaxLength } from '../../shared/core/text-length.ts'
import { namedTimeWords } from '../../shared/core/time.ts'

/** The text of a message that is only a file, picture or recording. */
export const attachedWords = '(attached file)'

/** Start tags and pieces of text that are read: 10,000 characters of coloured code have fewer. */
const mostPieces = 16_000
/** In one tag: far more than any real one has. */
const mostAttributes = 100
/** Further ones keep the server's text: formatting one costs more than a hundred other elements. */
const mostTimes = 100

/**
 * A rendered message as plain text, for notifications, previews and search, by the web app's rules
 * for notifications (chat-api, section 5). Emoji become characters, formulas their TeX source;
 * quotes collapse unless there is nothing else; what a spoiler hides stays hidden. Never throws.
 * Takes linear time, and stops where nobody would read on.
 *
 * The result is text and not HTML: it may contain `<b>` because somebody typed it, and must be
 * escaped wherever markup is interpreted.
 */
export function messageText(html: string): string {
  const reader = new TextReader()
  let pieces = 0
  let times = 0
  let attributesOfTag = 0
  const count = (): void => {
    pieces += 1
    if (pieces > mostPieces || reader.isFull()) parser.pause()
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'time') times += 1
      reader.open(textElement(name === 'time' && times > mostTimes ? 'span' : name, attributes))
      attributesOfTag = 0
      count()
    },
    onattribute() {
      attributesOfTag += 1
      if (attributesOfTag > mostAttributes) parser.pause()
    },
    onclosetag: () => reader.close(),
    ontext(text) {
      reader.text(text)
      count()
    },
  })
  parser.end(cut(html, htmlMaxLength))
  return reader.result()
}

/** The parser searches all open elements at each end tag; nobody nests more than some thirty. */
const maxDepth = 100
/** As many characters as a large server allows in a message. The rest is not read. */
const textMaxLength = 100_000

interface Frame {
  readonly element: TextElement
  readonly mode: Mode
  /** Lists: the number of the next item, null for bullets. */
  next: number | null
}

/** Builds a message's text from its elements and words, one after the other. */
class TextReader {
  readonly #frames: Frame[] = []
  /** The frames that are lists. */
  readonly #lists: Frame[] = []
  readonly #writer = new TextWriter()
  #mode: Mode = 'flow'
  #attached = false

  /** Whether to stop reading: nobody would read what follows. */
  isFull(): boolean {
    return this.#frames.length > maxDepth || this.#writer.length() > textMaxLength
  }

  open(element: TextElement): void {
    if (this.#mode === 'flow') {
      this.#attached ||= element.isAttachment
      this.#mark(element)
    }
    this.#mode = modeInside(this.#mode, element)
    const frame = { element, mode: this.#mode, next: element.start }
    this.#frames.push(frame)
    if (element.isList) this.#lists.push(frame)
  }

  /** Writes what an element itself adds to the text, before its content. */
  #mark({ name, isBlock, isSpoiler, inPlace }: TextElement): void {
    const writer = this.#writer
    if (name === 'blockquote' && this.#frames.length === 0) writer.startPart()
    if (isBlock || name === 'br') writer.lineBreak()
    if (name === 'li') writer.prefix(itemPrefix(this.#lists))
    if ((name === 'td' || name === 'th') && !writer.atLineStart()) writer.flow(' | ')
    if (isSpoiler) writer.sameLine(' (…)')
    if (inPlace !== null) writer.flow(inPlace)
  }

  close(): void {
    const frame = this.#frames.pop()
    if (frame?.element.isList === true) this.#lists.pop()
    this.#mode = this.#frames.at(-1)?.mode ?? 'flow'
    if (!frame || this.#mode !== 'flow') return
    const { name, isBlock } = frame.element
    if (isBlock) this.#writer.lineBreak()
    if (name === 'blockquote' && this.#frames.length === 0) this.#writer.endQuote()
  }

  text(typed: string): void {
    const words = cut(typed, textMaxLength)
    if (this.#mode === 'flow') this.#writer.flow(words)
    else if (this.#mode === 'pre') this.#writer.asTyped(words)
  }

  result(): string {
    const whole = this.#writer.result()
    return whole === '' && this.#attached ? attachedWords : cut(whole, textMaxLength)
  }
}

function modeInside(outside: Mode, { mode, modeInFormula }: TextElement): Mode {
  if (outside === 'drop') return 'drop'
  return outside === 'formula' ? modeInFormula : (mode ?? outside)
}

function itemPrefix(lists: readonly Frame[]): string {
  const list = lists.at(-1)
  // The limit is deeper than any real list: junk should not produce a page of blanks.
  const indent = '  '.repeat(Math.min(8, Math.max(0, lists.length - 1)))
  if (!list || list.next === null) return `${indent}• `
  list.next += 1
  return `${indent}${list.next - 1}. `
}

/** All control characters except line feeds and tabs. */
const control = /[^\P{Cc}\n\t]/gu

function printable(text: string): string {
  return text.replace(control, ' ')
}

/** White space to collapse: more than one space in a row, or any other than a space. */
const uncollapsed = /[^\S ]| {2}/

/**
 * Assembles the text line by line, in parts: quotes and the rest. Only ever appends to a part's
 * text: inspecting or cutting it would copy all of it each time.
 */
class TextWriter {
  readonly #parts: { readonly isQuote: boolean; readonly text: string }[] = []
  /** The current part, up to its last word. */
  #text = ''
  /** White space after the last word; dropped at the end of a line. */
  #space = ''
  /** The last character of that. */
  #lastSpace = ''
  #length = 0
  #breakDue = false
  /** A list marker was just written; its item's words follow on the same line. */
  #marked = false

  /** Of everything that was written, including white space that was dropped. */
  length(): number {
    return this.#length
  }

  #add(piece: string): void {
    if (this.#breakDue && !this.#isEmpty()) this.#space = '\n'
    this.#breakDue = false
    this.#marked = false
    this.#length += piece.length
    const words = piece.trimEnd()
    if (words === '') this.#space += piece
    else {
      this.#text += this.#space + words
      this.#space = piece.slice(words.length)
    }
    this.#lastSpace = words === piece ? '' : piece.charAt(piece.length - 1)
  }

  #isEmpty(): boolean {
    return this.#text === '' && this.#space === ''
  }

  #dropSpace(): void {
    this.#space = ''
    this.#lastSpace = ''
  }

  atLineStart(): boolean {
    return this.#breakDue || this.#marked || this.#isEmpty() || this.#lastSpace === '\n'
  }

  flow(typed: string): void {
    const given = printable(typed)
    const collapsed = uncollapsed.test(given) ? given.replace(/\s+/g, ' ') : given
    const piece = this.#lastSpace === ' ' || this.atLineStart() ? collapsed.trimStart() : collapsed
    if (piece !== '') this.#add(piece)
  }

  asTyped(piece: string): void {
    if (piece !== '') this.#add(printable(piece))
  }

  lineBreak(): void {
    if (!this.#marked) this.#breakDue = true
  }

  prefix(mark: string): void {
    this.#add(mark)
    this.#marked = true
  }

  /** Continues the previous line although a block has ended. */
  sameLine(piece: string): void {
    this.#breakDue = false
    this.#dropSpace()
    this.flow(piece)
  }

  startPart(): void {
    this.#end(false)
  }

  endQuote(): void {
    this.#end(true)
  }

  #end(isQuote: boolean): void {
    this.#parts.push({ isQuote, text: this.#text })
    this.#text = ''
    this.#dropSpace()
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

/**
 * How the text inside an element is read: flowing, as typed (`pre`), not at all, or, in a formula,
 * only its TeX source, which KaTeX keeps in an annotation.
 */
type Mode = 'flow' | 'pre' | 'drop' | 'formula'

/** What a start tag means for the text, regardless of its surroundings. */
interface TextElement {
  readonly name: string
  readonly isBlock: boolean
  readonly isList: boolean
  /** For its text outside of formulas; null: inherited. */
  readonly mode: Mode | null
  /** The same inside a formula. */
  readonly modeInFormula: Mode
  /** The text for an element whose content is not used: an emoji, a time. */
  readonly inPlace: string | null
  readonly isAttachment: boolean
  readonly isSpoiler: boolean
  /** The number of a list's first item, null for bullets. */
  readonly start: number | null
}

type Attributes = Readonly<Record<string, string>>

const blocks = new Set(
  'address article blockquote dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
)
const dropped = new Set(
  'head iframe noscript object script select style svg template textarea title'.split(' '),
)
/** A link preview has the words of another page, not of the message. */
const droppedClasses = ['message_embed']

function textElement(name: string, attributes: Attributes): TextElement {
  const classes = classesOf(attributes)
  const emoji = emojiCharacters(classes)
  const isTex = attributes['encoding'] === 'application/x-tex'
  const time = name === 'time' ? timeInPlace(attributes) : null
  return {
    name,
    isBlock: blocks.has(name),
    isList: name === 'ol' || name === 'ul',
    mode:
      modeOf(name, classes) ??
      ((name === 'span' && emoji !== null) || time !== null ? 'drop' : null),
    modeInFormula: dropped.has(name) ? 'drop' : isTex ? 'flow' : 'formula',
    inPlace: !classes.includes('emoji')
      ? time
      : name === 'img'
        ? (attributes['alt'] ?? null)
        : emoji,
    isAttachment: isAttachment(name, classes, attributes),
    isSpoiler: classes.includes('spoiler-content'),
    start: name === 'ol' ? listStart(attributes) : null,
  }
}

/** As the window shows it: in this computer's time zone, while the server writes UTC. */
function timeInPlace({ datetime = '' }: Attributes): string | null {
  const at = Date.parse(datetime)
  return Number.isNaN(at) ? null : namedTimeWords(at)
}

/** Of a class attribute: far more than any real one. */
const classesMaxLength = 1_000

function classesOf({ class: given }: Attributes): readonly string[] {
  return given === undefined ? [] : given.slice(0, classesMaxLength).split(/\s+/)
}

function modeOf(name: string, classes: readonly string[]): Mode | null {
  if (dropped.has(name)) return 'drop'
  if (classes.includes('katex')) return 'formula'
  if (classes.includes('spoiler-content') || droppedClasses.some((c) => classes.includes(c)))
    return 'drop'
  return name === 'pre' ? 'pre' : null
}

/** The characters for a class like `emoji-1f1f8-1f1ee`; null if there is none, or it is invalid. */
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
