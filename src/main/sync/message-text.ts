import { Parser } from 'htmlparser2'

/** A message may have 10,000 code points; rendered code grows some twenty-fold. More is not read. */
const htmlMaxLength = 400_000

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

type Attributes = Readonly<Record<string, string>>

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

/**
 * A rendered message as plain text, for notifications, previews and search: by the web app's rules for
 * notifications (chat-api, section 5). Emoji become characters, formulas their TeX source; quotes
 * collapse unless there is nothing else; what a spoiler hides stays hidden. Never throws.
 *
 * The result is text and not HTML: it may well hold `<b>` because somebody typed it, and has to be
 * escaped by whoever shows it where markup counts.
 */
export function messageText(html: string): string {
  const reader = createReader()
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (!reader.open(name, attributes)) parser.pause()
    },
    onclosetag: () => reader.close(),
    ontext: (text) => reader.text(text),
  })
  parser.end(html.slice(0, htmlMaxLength))
  return reader.result()
}

function createReader() {
  const frames: Frame[] = []
  const writer = createWriter()
  let attached = false

  const mode = (): Mode => frames.at(-1)?.mode ?? 'flow'

  /** False when it is nested so deeply that reading on would only cost time. */
  function open(name: string, attributes: Attributes): boolean {
    const classes = (attributes['class'] ?? '').split(/\s+/)
    if (mode() === 'flow') {
      attached ||= isAttachment(name, classes, attributes)
      mark(name, classes, attributes)
    }
    const next = name === 'ol' ? listStart(attributes) : null
    frames.push({ name, mode: modeInside(mode(), name, classes, attributes), next })
    return frames.length <= maxDepth
  }

  /** What an element itself, before its content, does to the text. */
  function mark(name: string, classes: readonly string[], attributes: Attributes): void {
    if (name === 'blockquote' && frames.length === 0) writer.startPart()
    if (blocks.has(name) || name === 'br') writer.lineBreak()
    if (name === 'li') writer.prefix(itemPrefix(frames))
    if ((name === 'td' || name === 'th') && !writer.atLineStart()) writer.flow(' | ')
    if (classes.includes('spoiler-content')) writer.sameLine(' (…)')
    const stands = textInPlace(name, classes, attributes)
    if (stands !== null) writer.flow(stands)
  }

  function close(): void {
    const frame = frames.pop()
    if (!frame || mode() !== 'flow') return
    if (blocks.has(frame.name)) writer.lineBreak()
    if (frame.name === 'blockquote' && frames.length === 0) writer.endQuote()
  }

  function text(given: string): void {
    // Line feeds and tabs are the only control characters that belong in a text.
    const clean = given.replace(/[^\P{Cc}\n\t]/gu, ' ')
    if (mode() === 'flow') writer.flow(clean)
    else if (mode() === 'pre') writer.asTyped(clean)
  }

  function result(): string {
    const whole = writer.result()
    return whole === '' && attached ? '(attached file)' : whole
  }

  return { open, close, text, result }
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
  const code = classes.find((name) => /^emoji-[0-9a-f]{2,6}(-[0-9a-f]{2,6})*$/.test(name))
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

/** Puts the text together line by line, in parts: those that are quotes and the rest. */
function createWriter() {
  const parts: { readonly isQuote: boolean; readonly text: string }[] = []
  let text = ''
  let breakDue = false
  /** A list's mark was written and waits for its item's words on the same line. */
  let marked = false

  function add(piece: string): void {
    if (breakDue && text !== '') text = `${text.trimEnd()}\n`
    breakDue = false
    marked = false
    text += piece
  }

  const atLineStart = () => breakDue || marked || text === '' || text.endsWith('\n')

  function flow(given: string): void {
    const collapsed = given.replace(/\s+/g, ' ')
    const piece = atLineStart() || text.endsWith(' ') ? collapsed.trimStart() : collapsed
    if (piece !== '') add(piece)
  }

  function end(isQuote: boolean): void {
    parts.push({ isQuote, text: text.trimEnd() })
    text = ''
    breakDue = false
    marked = false
  }

  function result(): string {
    end(false)
    const said = parts.filter((part) => part.text.trim() !== '')
    const onlyQuotes = said.every((part) => part.isQuote)
    return said
      .map((part) => (part.isQuote && !onlyQuotes ? '[…]' : part.text))
      .join('\n')
      .trim()
  }

  return {
    atLineStart,
    flow,
    result,
    asTyped: (piece: string) => {
      if (piece !== '') add(piece)
    },
    lineBreak: () => {
      if (!marked) breakDue = true
    },
    prefix: (mark: string) => {
      add(mark)
      marked = true
    },
    /** Goes on in the line before, though a block ended. */
    sameLine: (piece: string) => {
      breakDue = false
      text = text.trimEnd()
      flow(piece)
    },
    startPart: () => end(false),
    endQuote: () => end(true),
  }
}
