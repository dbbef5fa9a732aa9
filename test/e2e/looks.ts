import type { Page } from 'playwright/test'

/** The widest font that a default desktop has, and a narrow one. */
const fonts = ['DejaVu Sans', 'Nimbus Sans Narrow'] as const

/** The narrowest window that is laid out for, and the usual one. */
const widths = [360, 420] as const

/** So tall that nothing is left to scroll. */
const height = 3_000

/**
 * What does not fit in the view that is open, in windows of both widths with both fonts: times that
 * are cut or broken over two lines, verbs and counts that are cut, names that are cut without an
 * ellipsis, words over words, and a page wider than its window. Empty where everything fits.
 */
export async function misfits(window: Page): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const width of widths) {
    await window.setViewportSize({ width, height })
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

/** Runs in the page. */
async function measure(): Promise<string[]> {
  // Rows are laid out anew once the observers of sizes have run.
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  const time =
    /(?:午前|午後)?\d{1,2}[:時]\d{2}分?(?::\d{2})?(?:[\s\u202f](?:AM|PM))?|\b\d[\d.,]*[\s\u202f](?:s|min|h|d|days?)\b/g
  const verbs = 'button, [role="button"], [role="tab"], [role="menuitem"], summary'
  const clock =
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\d{1,2}(?::\d{2})([\s\u202f](?:AM|PM))?(?=$|[,.;]?\s)/g
  const faults: string[] = []
  const drawn: { readonly rect: DOMRect; readonly node: Text }[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node as Text
    // Whatever the time is now: the widest there is, a moment of another year.
    text.data = text.data.replace(clock, (words: string, half: string | undefined) => {
      if (/^\d/.test(words)) return half === undefined ? words : `10:58${half}`
      return half === undefined ? '30 Nov 2025, 20:58' : `Nov 30, 2025, 10:58${half}`
    })
    const element = text.parentElement
    if (element === null || text.data.trim() === '' || !element.checkVisibility()) continue
    // What only a screen reader reads, and what is drawn as a picture.
    if (element.closest('.visually-hidden, svg, script, style, option, textarea') !== null) continue
    const say = (what: string, range: Range): void => {
      const words = range.toString().trim().slice(0, 60)
      const within = element.closest('[class]')?.className ?? ''
      faults.push(`${what}: “${words}” in ${element.tagName.toLowerCase()}.${String(within)}`)
    }
    const whole = rangeOf(text, 0, text.data.length)
    if (!isOnTop(whole, element)) continue
    for (const match of text.data.matchAll(time)) {
      const range = rangeOf(text, match.index, match.index + match[0].length)
      if (/[:時]/.test(match[0]) && linesOf(range) > 1) say('time over two lines', range)
      if (isCut(range, element) !== null) say('time cut', range)
    }
    const cutBy = isCut(whole, element)
    const isVerb = element.closest(verbs)?.textContent === text.data
    const isCount = /^[\s\d.,]+$/.test(text.data)
    if (cutBy !== null && (isVerb || isCount)) say('cut', whole)
    else if (cutBy !== null && !endsInEllipsis(cutBy)) say('cut without an ellipsis', whole)
    for (const rect of whole.getClientRects())
      if (rect.width > 1 && rect.height > 1) drawn.push({ rect: shown(rect, element), node: text })
  }
  for (const [at, one] of drawn.entries())
    for (const other of drawn.slice(at + 1)) {
      if (one.node === other.node) continue
      const wide =
        Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
      const high =
        Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top)
      // Line boxes of neighbours overlap by their leading.
      const leading = Math.min(one.rect.height, other.rect.height) * 0.4
      if (wide > 2 && high > leading)
        faults.push(`over each other: “${one.node.data.trim()}” and “${other.node.data.trim()}”`)
    }
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) faults.push(`page ${scrollWidth} px wide`)
  return faults

  function rangeOf(text: Text, from: number, to: number): Range {
    const range = document.createRange()
    range.setStart(text, from)
    range.setEnd(text, to)
    return range
  }

  function linesOf(range: Range): number {
    const tops = [...range.getClientRects()]
      .filter(({ width }) => width > 0)
      .map(({ top }) => Math.round(top))
    return new Set(tops).size
  }

  /** Not behind a dialog or menu, and scrolled into view. */
  function isOnTop(range: Range, element: Element): boolean {
    const { left, top, height: high } = range.getBoundingClientRect()
    const hit = document.elementFromPoint(left + 1, top + high / 2)
    const layer = hit?.closest('dialog, [role="dialog"], [role="menu"], [popover]')
    return hit !== null && (layer?.contains(element) ?? true)
  }

  /** The element that hides a part of it sideways for good: it doesn't scroll. */
  function isCut(range: Range, from: Element): Element | null {
    const { left, right } = range.getBoundingClientRect()
    for (let element: Element | null = from; element !== null; element = element.parentElement) {
      const { overflowX } = getComputedStyle(element)
      if (overflowX === 'auto' || overflowX === 'scroll') return null
      if (overflowX === 'visible') continue
      const box = element.getBoundingClientRect()
      if (left < box.left - 1 || right > box.right + 1) return element
    }
    return null
  }

  function endsInEllipsis(element: Element): boolean {
    const { textOverflow, webkitLineClamp } = getComputedStyle(element)
    return textOverflow === 'ellipsis' || webkitLineClamp !== 'none'
  }

  /** The part of it that its parents let through. */
  function shown(rect: DOMRect, from: Element): DOMRect {
    let { left, right, top, bottom } = rect
    for (let element: Element | null = from; element !== null; element = element.parentElement) {
      if (getComputedStyle(element).overflowX === 'visible') continue
      const box = element.getBoundingClientRect()
      left = Math.max(left, box.left)
      right = Math.min(right, box.right)
      top = Math.max(top, box.top)
      bottom = Math.min(bottom, box.bottom)
    }
    return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
  }
}
