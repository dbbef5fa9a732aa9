import type { Page } from 'playwright/test'

/** The widest font that a default desktop has, and a narrow one. */
const fonts = ['DejaVu Sans', 'Nimbus Sans Narrow'] as const

/** The narrowest window that is laid out for, and the usual one. */
const widths = [360, 420] as const

/** So tall that nothing is left to scroll. */
const tall = 3_000

/**
 * What does not fit in the view that is open, in windows of both widths with both fonts: times that
 * are cut or broken over two lines, verbs and counts that are cut, names that are cut without an
 * ellipsis or to a letter, words over words, and a page wider than its window. Empty where everything fits.
 */
export async function misfits(window: Page): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const width of widths) {
    await window.setViewportSize({ width, height: tall })
    for (const font of fonts) {
      await window.evaluate((family) => {
        const { style } = document.documentElement
        style.setProperty('--font', `var(--body) / 1.4 "${family}"`)
      }, font)
      for (const fault of await window.evaluate(measure))
        found.add(`${fault} (${width} px, ${font})`)
    }
  }
  return [...found]
}

/** Runs in the page, so it can use nothing outside. */
async function measure(): Promise<string[]> {
  interface Drawn {
    readonly rect: DOMRect
    readonly node: Text
  }
  const moment =
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\d{1,2}(?::\d{2})([\s\u202f](?:AM|PM))?(?=$|[,.;]?\s)/g
  const time =
    /\d{1,2}:\d{2}(?::\d{2})?(?:[\s\u202f](?:AM|PM))?|\b\d[\d.,]*[\s\u202f](?:s|min|h|d|days?)\b/g
  const verbs = 'button, [role="button"], [role="tab"], [role="menuitem"], summary'
  const layers = 'dialog, [role="dialog"], [role="menu"], [popover]'
  /** Px: two letters and the ellipsis. */
  const leastOfWords = 24
  const faults: string[] = []
  // Rows are laid out anew once the observers of sizes have run.
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  const texts = textsOnTop()
  for (const text of texts) {
    checkTimes(text)
    checkWhole(text)
  }
  checkOverlaps(texts.flatMap(drawnOf))
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) faults.push(`page ${scrollWidth} px wide`)
  return faults

  function textsOnTop(): Text[] {
    const found: Text[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node as Text
      const element = elementOf(text)
      if (text.data.trim() === '' || !element.checkVisibility()) continue
      // What only a screen reader reads, and what isn't drawn as text.
      if (element.closest('.visually-hidden, svg, script, style, option, textarea') !== null)
        continue
      widen(text)
      if (isOnTop(text)) found.push(text)
    }
    return found
  }

  /** Whatever the time is now: the widest there is, a moment of another year. */
  function widen(text: Text): void {
    text.data = text.data.replace(moment, (words: string, half: string | undefined) => {
      if (/^\d/.test(words)) return half === undefined ? words : `10:58${half}`
      return half === undefined ? '30 Nov 2025, 20:58' : `Nov 30, 2025, 10:58${half}`
    })
  }

  function checkTimes(text: Text): void {
    for (const match of text.data.matchAll(time)) {
      const range = rangeOf(text, match.index, match.index + match[0].length)
      if (match[0].includes(':') && linesOf(range) > 1) say('time over two lines', range)
      if (cutBy(range) !== null) say('time cut', range)
    }
  }

  function checkWhole(text: Text): void {
    const whole = rangeOf(text, 0, text.data.length)
    const by = cutBy(whole)
    if (by === null) return
    const isVerb = elementOf(text).closest(verbs)?.textContent === text.data
    const isCount = /^[\s\d.,]+$/.test(text.data)
    const { textOverflow, webkitLineClamp } = getComputedStyle(by)
    if (isVerb || isCount) say('cut', whole)
    else if (textOverflow !== 'ellipsis' && webkitLineClamp === 'none')
      say('cut without an ellipsis', whole)
    else if (by.clientWidth < leastOfWords) say('cut to almost nothing', whole)
  }

  function checkOverlaps(drawn: readonly Drawn[]): void {
    for (const [at, one] of drawn.entries())
      for (const other of drawn.slice(at + 1))
        if (one.node !== other.node && isOver(one.rect, other.rect))
          faults.push(`over each other: “${one.node.data.trim()}” and “${other.node.data.trim()}”`)
  }

  function isOver(one: DOMRect, other: DOMRect): boolean {
    const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
    const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
    // Line boxes of neighbours overlap by their leading.
    return wide > 2 && high > Math.min(one.height, other.height) * 0.4
  }

  function elementOf(text: Node): Element {
    return text.parentElement ?? document.body
  }

  function rangeOf(text: Text, from: number, to: number): Range {
    const range = document.createRange()
    range.setStart(text, from)
    range.setEnd(text, to)
    return range
  }

  function say(what: string, range: Range): void {
    const element = elementOf(range.startContainer)
    const within = element.closest('[class]')?.className ?? ''
    const words = range.toString().trim().slice(0, 60)
    faults.push(`${what}: “${words}” in ${element.tagName.toLowerCase()}.${String(within)}`)
  }

  function linesOf(range: Range): number {
    const drawn = [...range.getClientRects()].filter(({ width }) => width > 0)
    return new Set(drawn.map(({ top }) => Math.round(top))).size
  }

  /** Not behind a dialog or menu, and scrolled into view. */
  function isOnTop(text: Text): boolean {
    const { left, top, height: high } = rangeOf(text, 0, text.data.length).getBoundingClientRect()
    const hit = document.elementFromPoint(left + 1, top + high / 2)
    return hit !== null && (hit.closest(layers)?.contains(text) ?? true)
  }

  /** The element that hides a part of it sideways for good: it doesn't scroll. */
  function cutBy(range: Range): Element | null {
    const { left, right } = range.getBoundingClientRect()
    for (const element of ancestorsOf(elementOf(range.startContainer))) {
      const { overflowX } = getComputedStyle(element)
      if (overflowX === 'auto' || overflowX === 'scroll') return null
      const box = element.getBoundingClientRect()
      if (overflowX !== 'visible' && (left < box.left - 1 || right > box.right + 1)) return element
    }
    return null
  }

  /** The parts of it that its ancestors let through. */
  function drawnOf(node: Text): Drawn[] {
    const clips = ancestorsOf(elementOf(node))
      .filter((element) => getComputedStyle(element).overflowX !== 'visible')
      .map((element) => element.getBoundingClientRect())
    return [...rangeOf(node, 0, node.data.length).getClientRects()].flatMap((rect) => {
      const left = Math.max(rect.left, ...clips.map((clip) => clip.left))
      const top = Math.max(rect.top, ...clips.map((clip) => clip.top))
      const width = Math.min(rect.right, ...clips.map((clip) => clip.right)) - left
      const height = Math.min(rect.bottom, ...clips.map((clip) => clip.bottom)) - top
      return width > 1 && height > 1 ? [{ node, rect: new DOMRect(left, top, width, height) }] : []
    })
  }

  function ancestorsOf(element: Element): Element[] {
    const { parentElement } = element
    return [element, ...(parentElement === null ? [] : ancestorsOf(parentElement))]
  }
}
