import { rightToLeftLetter } from '#shared/core/visible-text.ts'

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
