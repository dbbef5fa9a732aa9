/**
 * How the text inside an element is taken: flowing, as typed (`pre`), not at all, or, in a formula,
 * only its TeX source, which KaTeX keeps in an annotation.
 */
export type Mode = 'flow' | 'pre' | 'drop' | 'formula'

/** What a start tag means for the text, whatever is around it. */
export interface TextElement {
  readonly name: string
  readonly isBlock: boolean
  readonly isList: boolean
  /** Of its text where text flows or is as typed; null: as around it. */
  readonly mode: Mode | null
  /** The same inside of a formula. */
  readonly modeInFormula: Mode
  /** Stands in the text for an element whose content is not text: an emoji. */
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
/** A link preview is the words of someone else's page, not of the message. */
const droppedClasses = ['message_embed']

export function textElement(name: string, attributes: Attributes): TextElement {
  const classes = classesOf(attributes)
  const isTex = attributes['encoding'] === 'application/x-tex'
  return {
    name,
    isBlock: blocks.has(name),
    isList: name === 'ol' || name === 'ul',
    mode: modeOf(name, classes),
    modeInFormula: dropped.has(name) ? 'drop' : isTex ? 'flow' : 'formula',
    inPlace: textInPlace(name, classes, attributes),
    isAttachment: isAttachment(name, classes, attributes),
    isSpoiler: classes.includes('spoiler-content'),
    start: name === 'ol' ? listStart(attributes) : null,
  }
}

/** Of an element's classes: far more than any has. */
const classesMaxLength = 1_000

function classesOf(attributes: Attributes): readonly string[] {
  return (attributes['class'] ?? '').slice(0, classesMaxLength).split(/\s+/)
}

function modeOf(name: string, classes: readonly string[]): Mode | null {
  if (dropped.has(name)) return 'drop'
  if (classes.includes('katex')) return 'formula'
  if (classes.includes('spoiler-content') || droppedClasses.some((c) => classes.includes(c)))
    return 'drop'
  if (name === 'span' && emojiCharacters(classes) !== null) return 'drop'
  return name === 'pre' ? 'pre' : null
}

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
