import type { Mode, TextElement } from './text-element.ts'

/** The parser's time grows with the square of the depth, and no writer goes beyond some twenty. */
const maxDepth = 500

interface Frame {
  readonly element: TextElement
  readonly mode: Mode
  /** Lists: the number of the next item, null for bullets. */
  next: number | null
}

/** Takes a message's elements and words one after the other, and makes its text of them. */
export class TextReader {
  readonly #frames: Frame[] = []
  readonly #writer = new TextWriter()
  #mode: Mode = 'flow'
  #attached = false

  /** False when it is nested so deeply that reading on would only cost time. */
  open(element: TextElement): boolean {
    if (this.#mode === 'flow') {
      this.#attached ||= element.isAttachment
      this.#mark(element)
    }
    this.#mode = modeInside(this.#mode, element)
    this.#frames.push({ element, mode: this.#mode, next: element.start })
    return this.#frames.length <= maxDepth
  }

  /** What an element itself, before its content, does to the text. */
  #mark({ name, isBlock, isSpoiler, inPlace }: TextElement): void {
    const writer = this.#writer
    if (name === 'blockquote' && this.#frames.length === 0) writer.startPart()
    if (isBlock || name === 'br') writer.lineBreak()
    if (name === 'li') writer.prefix(itemPrefix(this.#frames))
    if ((name === 'td' || name === 'th') && !writer.atLineStart()) writer.flow(' | ')
    if (isSpoiler) writer.sameLine(' (…)')
    if (inPlace !== null) writer.flow(inPlace)
  }

  close(): void {
    const frame = this.#frames.pop()
    this.#mode = this.#frames.at(-1)?.mode ?? 'flow'
    if (!frame || this.#mode !== 'flow') return
    const { name, isBlock } = frame.element
    if (isBlock) this.#writer.lineBreak()
    if (name === 'blockquote' && this.#frames.length === 0) this.#writer.endQuote()
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

function modeInside(outside: Mode, { mode, modeInFormula }: TextElement): Mode {
  if (outside === 'drop') return 'drop'
  return outside === 'formula' ? modeInFormula : (mode ?? outside)
}

function itemPrefix(frames: readonly Frame[]): string {
  const lists = frames.filter(({ element }) => element.isList)
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
