import { type ComponentChildren, h, type VNode } from 'preact'
import { mathAttributes, mathElements } from './sanitize.ts'

const drawnElements = new Set(mathElements.filter((name) => name !== 'annotation'))

/**
 * A formula by its MathML half, which needs no style: the other half of KaTeX's markup is made of
 * inline styles that our policy refuses. The TeX source is in the title.
 */
export function mathNode(katex: Element, block: boolean): VNode {
  const tex = katex.querySelector('annotation')?.textContent.trim() ?? ''
  const math = katex.querySelector('math')
  const body = math === null ? tex || katex.textContent : mathMlNode(math, 0)
  return (
    <span class={block ? 'math math-block' : 'math'} title={tex}>
      {body}
    </span>
  )
}

function mathMlNode(element: Element, depth: number): ComponentChildren {
  if (depth > 40) return element.textContent
  const name = element.localName
  if (name === 'annotation') return null
  const children = [...element.childNodes].map((child) =>
    // Node type 1 is an element, whichever window its class is from.
    child.nodeType === 1 ? mathMlNode(child as Element, depth + 1) : child.nodeValue,
  )
  if (name === 'semantics' || !drawnElements.has(name)) return children
  return h(name, attributesOf(element), ...children)
}

function attributesOf(element: Element): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of mathAttributes) {
    const value = element.getAttribute(name)
    if (value !== null) kept[name] = value
  }
  return kept
}
