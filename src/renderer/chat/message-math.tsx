import { type ComponentChildren, h, type VNode } from 'preact'
import { inertTree, mathAttributes, mathElements } from './sanitize.ts'

const drawnElements = new Set(mathElements)
/** Hold text; with anything else inside, browsers draw none of it. */
export const tokens = new Set(['mi', 'mn', 'mo', 'ms', 'mtext'])
/** What KaTeX draws around something, by a class for each. */
const notations = new Set([
  ...['box', 'top', 'bottom', 'left', 'right', 'actuarial', 'phasorangle', 'horizontalstrike'],
  ...['verticalstrike', 'updiagonalstrike', 'downdiagonalstrike'],
])

/** Formulas of which the parser left only a part: their source is shown. */
const lost = new WeakSet<Element>()

/**
 * Finds the formulas whose text is not the one that was sent: markup that the parser or the sanitizer
 * does not know as MathML would otherwise turn a formula into another one.
 */
export function compareFormulas(root: Element, html: string): void {
  const formulas = root.querySelectorAll('math')
  if (formulas.length === 0) return
  const sent = html.match(/<math[\s>](?:(?!<math[\s>])[\s\S])*?<\/math>/gi) ?? []
  for (const [at, formula] of formulas.entries())
    if (sent.length !== formulas.length || textOf(formula) !== textSent(sent[at] ?? ''))
      lost.add(formula)
}

function textOf(node: Node): string {
  if (node.nodeType === 3) return (node.nodeValue ?? '').replace(/\s+/g, '')
  if ((node as Element).localName === 'annotation') return ''
  return [...node.childNodes].map(textOf).join('')
}

function textSent(markup: string): string {
  const text = markup
    .replace(/<annotation(?:(?!<annotation)[\s\S])*?<\/annotation>/gi, '')
    .replace(/<[^<>]*>/g, '')
  return textOf(inertTree(`<p>${text}</p>`))
}

/**
 * Draws a formula by its MathML half, which needs no styles: the other half of KaTeX's markup
 * relies on inline styles, which our content security policy refuses. The title is the TeX source.
 */
export function mathNode(katex: Element, math: Element, block: boolean): VNode {
  const source = sourceOf(katex)
  const body = lost.has(math) ? <code>{source}</code> : mathMlNode(math, 0, false)
  return (
    <span class={block ? 'math math-block' : 'math'} title={texOf(katex)}>
      {body}
    </span>
  )
}

/** What the formula was written as, if it is known; else its text. */
export function sourceOf(katex: Element): string {
  return texOf(katex) || katex.textContent
}

function texOf(katex: Element): string {
  return katex.querySelector('annotation')?.textContent.trim() ?? ''
}

/** `isSized`: a size was set around it; sizes multiply. */
function mathMlNode(element: Element, depth: number, isSized: boolean): ComponentChildren {
  if (depth > 40) return element.textContent
  const name = element.localName
  if (name === 'annotation') return null
  const attributes = attributesOf(element, isSized)
  const isBare = tokens.has(name) && element.firstElementChild === null
  const children = [...element.childNodes].map((child) =>
    // Node type 1 is an element; `instanceof` would depend on which window its class is from.
    child.nodeType === 1
      ? mathMlNode(child as Element, depth + 1, isSized || 'mathsize' in attributes)
      : isBare || child.nodeValue?.trim() === ''
        ? child.nodeValue
        : h('mtext', null, child.nodeValue),
  )
  if (name === 'semantics') return children
  if (name === 'mtr') return h(name, { ...attributes, ...lineBelow(element) }, ...children)
  // Inside a token, the parser knows no empty elements: what follows is inside.
  if (name === 'mspace') return [h(name, attributes), ...children]
  if (isWider(element)) return h(name, { ...attributes, class: 'math-wider' }, ...children)
  if (name === 'menclose')
    return h('mrow', { ...attributes, class: enclosed(element) }, ...children)
  const isDrawn = drawnElements.has(name) && (isBare || !tokens.has(name))
  return h(isDrawn ? name : 'mrow', isDrawn ? attributes : null, ...children)
}

function enclosed(element: Element): string {
  const names = (element.getAttribute('notation') ?? '').split(/\s+/)
  return names.flatMap((one) => (notations.has(one) ? `math-${one}` : [])).join(' ')
}

/** The class of a row with a line below it: browsers draw no `rowlines`. */
function lineBelow(row: Element): { readonly class?: string } {
  const lines = row.parentElement?.getAttribute('rowlines')?.split(/\s+/) ?? []
  const rows = [...(row.parentElement?.children ?? [])]
  const at = rows.indexOf(row)
  const line = lines[Math.min(at, lines.length - 1)]
  const isLined = at < rows.length - 1 && (line === 'solid' || line === 'dashed')
  return isLined ? { class: `math-line-${line}` } : {}
}

function attributesOf(element: Element, isSized: boolean): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of mathAttributes) {
    const value = element.getAttribute(name)
    if (value !== null && isFit(name, value, element, isSized)) kept[name] = value
  }
  return kept
}

/** Sizes that are added to those of the content, which browsers take for the sizes. */
function isWider(element: Element): boolean {
  return element.localName === 'mpadded' && element.getAttribute('width')?.startsWith('+') === true
}

/** In em, far above what formulas use: a message must not draw over the window. */
const longest = 10
const largest = 2.5

function isFit(name: string, value: string, element: Element, isSized: boolean): boolean {
  switch (name) {
    case 'mathcolor':
    case 'mathbackground':
      return /^(?:#[\da-f]{3,8}|[a-z]{3,20})$/i.test(value)
    case 'mathsize':
      return !isSized && lengthOf(value) <= largest
    case 'width':
      if (isWider(element)) return false
      // Without its shift to the left (in widths, which browsers don't know) it would cover the next.
      if (element.getAttribute('lspace')?.endsWith('width') === true) return false
      return lengthOf(value) <= longest
    case 'height':
    case 'depth':
    case 'voffset':
      return !isWider(element) && lengthOf(value) <= longest
    case 'minsize':
    case 'maxsize':
    case 'linethickness':
    case 'lspace':
    case 'rspace':
      return lengthOf(value) <= longest
    default:
      return true
  }
}

/** In em, without its sign; infinite for any other text than a length. */
function lengthOf(value: string): number {
  const [, digits, unit] =
    /^[+-]?(\d{1,4}(?:\.\d{0,9})?|\.\d{1,9})(em|ex|pt|px)?$/.exec(value) ?? []
  const count = Number(digits ?? Number.POSITIVE_INFINITY)
  return unit === 'px' || unit === 'pt' ? count / 10 : count
}
