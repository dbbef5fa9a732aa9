/** What `withoutStyles` makes of styles, to be read: a cell's alignment, or the image of a preview. */
export const styleAttribute = 'data-style'

const mathMl = 'http://www.w3.org/1998/Math/MathML'

/** The elements that chat messages are made of (chat API, "Rendered message content"). */
export const elements = [
  ...['p', 'br', 'strong', 'em', 'b', 'i', 'del', 'code', 'a', 'span', 'hr', 'pre', 'blockquote'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'div', 'time'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'img', 'audio', 'video'],
]

/** MathML Core without links, actions and embedded HTML. */
export const mathElements = [
  ...['math', 'semantics', 'mrow', 'mi', 'mn', 'mo', 'ms', 'mtext', 'mspace', 'mfrac', 'msqrt'],
  ...['mroot', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts'],
  ...['mprescripts', 'mtable', 'mtr', 'mtd', 'mstyle', 'mpadded', 'mphantom', 'annotation'],
  // Not in MathML Core, but in what KaTeX makes.
  'menclose',
]

/** How MathML looks; none of them holds a URL, a script or a style. */
export const mathAttributes = [
  ...['display', 'displaystyle', 'scriptlevel', 'mathvariant', 'fence', 'separator', 'stretchy'],
  ...['accent', 'accentunder', 'linethickness', 'lspace', 'rspace', 'minsize', 'maxsize'],
  ...['columnalign', 'rowspacing', 'columnspacing', 'movablelimits', 'symmetric', 'largeop'],
  ...['width', 'height', 'depth', 'voffset', 'mathsize', 'mathcolor', 'mathbackground'],
]

/** The attributes that are kept, to be read. */
export const attributes = [
  ...['class', 'href', 'src', 'alt', 'title', 'datetime', 'start', 'aria-label', 'encoding'],
  ...['data-user-id', 'data-user-group-id', 'data-stream-id', 'data-code-language'],
  ...['data-original-src', 'data-original-dimensions', styleAttribute, 'notation', 'rowlines'],
  ...mathAttributes,
]

/** Elements whose content isn't for people to read: removed with everything in them. */
const silent = new Set([
  ...['script', 'style', 'template', 'iframe', 'object', 'embed', 'frame', 'frameset', 'noframes'],
  ...['noembed', 'noscript', 'svg', 'title', 'head', 'link', 'meta', 'base', 'textarea', 'select'],
  ...['applet', 'canvas', 'annotation-xml', 'foreignobject', 'plaintext', 'xmp', 'param', 'portal'],
])

/** Not yet in TypeScript's DOM types: the native sanitizer of Chromium 146 and later. */
interface SafeElement extends Element {
  setHTML(html: string, options: { sanitizer: Sanitizer }): void
}

/** True if there is a native sanitizer. Without it, messages are shown as plain text. */
export function canSanitize(): boolean {
  return 'Sanitizer' in globalThis && 'setHTML' in Element.prototype
}

const known = new Set([...elements, ...mathElements, ...silent])
/** Finds a tag with an unknown name, which few messages have. */
const stranger = new RegExp(`<(?!(?:${[...known].join('|')})[\\s/>])[a-z]`, 'i')
let knownOnly: Sanitizer | null = null

/**
 * A sanitizer with an explicit allow-list. Elements on neither list are kept, so that the markup of
 * a newer server is still read as text; the API can only do this for names it is given, hence the
 * names found in the message itself. (Replacing an element by its content would move all of that.)
 * Inside the tokens of a formula, the parser takes MathML for HTML.
 */
function sanitizerFor(html: string): Sanitizer {
  if (!stranger.test(html)) {
    knownOnly ??= createSanitizer([])
    return knownOnly
  }
  const strangers = new Set<string>()
  for (const [, found] of html.matchAll(/<([a-z][^\s/>]*)/gi)) {
    const name = found?.toLowerCase() ?? ''
    if (!known.has(name)) strangers.add(name)
  }
  return createSanitizer([...strangers].sort().slice(0, 50))
}

function createSanitizer(strangers: readonly string[]): Sanitizer {
  return new Sanitizer({
    elements: [
      ...elements,
      ...strangers,
      ...mathElements,
      ...[...mathElements, ...strangers].map((name) => ({ name, namespace: mathMl })),
    ],
    attributes,
    dataAttributes: false,
    comments: false,
  })
}

/** Not those behind a slash or a quote: of such markup, `isTooCostly` lets little through. */
const reported = /(?<=\s)(?=(?:style|on[a-z]+)\s*=)/gi

/**
 * Renames the attributes for styles and for scripts before the parser sees them. They would be
 * dropped anyway, but our content security policy reports each one parsed as a violation: formulas
 * have hundreds, and a hostile message as many as it can hold.
 */
function withoutStyles(html: string): string {
  if (html.search(reported) === -1) return html
  return html.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(reported, 'data-'))
}

/** One paragraph of plain text, as many messages are. */
const onlyWords = /^<p>([^<&\p{Cc}]*)<\/p>$/u

/** A document without a window. Nothing is ever inserted into it: parsed trees stay detached. */
const ours = document.implementation.createHTMLDocument('')

/**
 * Parses a message's HTML where nothing can happen: a document without a window loads and runs
 * nothing, and the native sanitizer leaves only what is on the lists above. Even so, the result is
 * only read, never put on the page: `message-html.tsx` builds new nodes from it.
 */
export function inertTree(html: string, inert: Document = ours): Element {
  // The caller has checked `canSanitize`, so the method exists.
  const root = inert.createElement('div') as Element as SafeElement
  const words = onlyWords.exec(html)?.[1]
  if (words !== undefined) root.appendChild(inert.createElement('p')).textContent = words
  else root.setHTML(withoutStyles(html), { sanitizer: sanitizerFor(html) })
  return root
}

/** A text alone, to be drawn as a message is. */
export function textTree(text: string): Element {
  const root = ours.createElement('div')
  root.textContent = text
  return root
}

/** Longer than any URL that is opened, and any name that anybody reads. */
const longestAttribute = 2_500

/** The value of an attribute, cut if it is too long; '' if there is none. */
export function attribute(element: Element | null, name: string): string {
  return element?.getAttribute(name)?.slice(0, longestAttribute) ?? ''
}

/**
 * What has been drawn of the message that is being drawn: text that is on the page as it is, and
 * elements that are shown in other words, such as a mention by the person's current name.
 */
let shown = new WeakSet<Node>()

/** Before each drawing: the last one may have shown less, or the same in other words. */
export function noteNothing(): void {
  shown = new WeakSet()
}

/** Remembers that the node is on the page with everything in it. */
export function noteShown(node: Node): void {
  shown.add(node)
}

const media = new Set(['img', 'video', 'audio'])

/** Whether the reader would miss something of the element: a text or an image that isn't on the page. */
export function lacksText(node: Node): boolean {
  if (shown.has(node)) return false
  if (node.nodeType === 3) return (node.nodeValue ?? '').trim() !== ''
  if (media.has((node as Element).localName)) return true
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (lacksText(child)) return true
  return false
}

/** Longer than any name or time that may stand for the text. */
const longestReplaced = 150

/** Notes an element that is shown in other words, unless its text is too long to be just that. */
export function noteReplaced(element: Element): void {
  if (element.textContent.length <= longestReplaced) noteShown(element)
}
