import { htmlMaxLength } from '#shared/core/text-length.ts'
import { rightToLeftLetter } from '#shared/core/visible-text.ts'
import { compareFormulas, tokens } from './message-math.tsx'
import { canSanitize, inertTree, mathElements, textTree } from './sanitize.ts'

export const withoutFormat = 'Too complex to show with its formatting.'

export interface Tree {
  readonly root: Element
  /** What to say below it of what it lacks. */
  readonly missing: string | null
}

/**
 * The parsed message, or its plain text if it can't be parsed: without a sanitizer, or because that
 * would take too long.
 */
export function treeFor(html: string, text: string, isAction: boolean): Tree {
  const isCostly = isTooCostly(html)
  const root = isCostly || !canSanitize() ? null : parsedTree(html)
  if (root === null) {
    // Without a working sanitizer, an ordinary message loses only its formatting: no need to say so.
    return { root: textTree(text), missing: isCostly ? withoutFormat : null }
  }
  if (isAction) dropCommand(root)
  return { root, missing: html.length < htmlMaxLength ? null : 'Too long to show in full.' }
}

function parsedTree(html: string): Element | null {
  try {
    const root = inertTree(html)
    compareFormulas(root, html)
    return root
  } catch {
    // A newer browser may refuse a name on our lists: one message must not take the window down.
    return null
  }
}

function dropCommand(root: Element): void {
  const first = root.querySelector('p')?.firstChild
  if (first?.nodeType === Node.TEXT_NODE && first.nodeValue !== null)
    first.nodeValue = first.nodeValue.replace(/^\/me /, '')
}

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
/** What a slash at the end of the tag closes, but only inside of these: a formula's lines and spaces. */
const closedIn = { svg: new Set(['path', 'line']), math: new Set(['mspace']) } as const
/** What can follow inside: any other element could make the parser leave, or read HTML. */
const staysIn = { svg: closedIn.svg, math: new Set(mathElements) } as const
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
  let inside: Tag['inside'] = null
  while (at !== -1 && at < html.length) {
    const tag: Tag = tagAt(html, at, inside, open.at(-1))
    if (tag.name === '' || opaque.has(tag.name)) break
    if (tag.isEnd) isClear = isClear && open.pop() === tag.name
    if (!isClear || tag.staysOpen) open.push(tag.name)
    if (open.length > deepestMarkup) return true
    inside = tag.inside
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
  /** Where what follows it certainly is. */
  readonly inside: keyof typeof closedIn | null
  /** Including the text after the tag. */
  readonly length: number
}

function tagAt(html: string, at: number, inside: Tag['inside'], parent = ''): Tag {
  plainTag.lastIndex = at
  const [whole = '', end = '', found = '', slash = ''] = plainTag.exec(html) ?? []
  const name = found.toLowerCase()
  const isEnd = end === '/'
  // In a token, the parser reads HTML.
  const here = isEnd || !tokens.has(parent) ? inside : null
  const isClosed = here !== null && !isEnd && slash === '/' && closedIn[here].has(name)
  return {
    name,
    isEnd,
    staysOpen: !isEnd && !isClosed && !voidElements.has(name),
    inside: insideAfter(name, isEnd || slash === '/', here),
    length: whole.length,
  }
}

function insideAfter(name: string, isEnd: boolean, before: Tag['inside']): Tag['inside'] {
  if (name === 'svg' || name === 'math') return isEnd ? null : name
  return before !== null && staysIn[before].has(name) ? before : null
}

/** Whom or what a text is about rather than its own words. */
const notWords = 'a, code, time, .emoji, .katex, .user-mention, .user-group-mention, .topic-mention'

/**
 * The text direction of a block: that of its first letter, as the browser finds it by `auto`; but
 * if it begins with a mention, a link or code, that of the first letter after these.
 */
export function directionOf(block: Element): 'auto' | 'ltr' | 'rtl' {
  const first = firstLetter(block, false)
  if (first === null || !first.isSkipped) return 'auto'
  const word = firstLetter(block, true)
  if (word === null) return 'auto'
  return rightToLeftLetter.test(word.letter) ? 'rtl' : 'ltr'
}

function firstLetter(block: Element, skips: boolean) {
  const texts = block.ownerDocument.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const letter = /\p{L}/u.exec(node.nodeValue ?? '')?.[0]
    if (letter === undefined) continue
    const inside = node.parentElement?.closest(notWords) ?? null
    const isSkipped = inside !== null && inside !== block && block.contains(inside)
    if (!isSkipped || !skips) return { letter, isSkipped }
  }
  return null
}
