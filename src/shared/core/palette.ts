import type { Target } from './target.ts'

/** Commands that lead to no place and are no operation: the palette's view knows how each is done. */
export type PaletteCommand =
  | 'refresh'
  | 'themeLight'
  | 'themeDark'
  | 'themeSystem'
  | 'clearNotices'
  | 'testNotification'
  | 'exploreDemo'
  | 'leaveDemo'
  | 'keys'
  | 'hide'

/** What choosing an item does. */
export type PaletteAction =
  | { readonly does: 'go'; readonly target: Target }
  | { readonly does: 'command'; readonly command: PaletteCommand }
  | { readonly does: 'operation'; readonly operation: string }

type PaletteKind = 'check' | 'conversation' | 'command' | 'operation'

/** One line of the palette. */
export interface PaletteItem {
  /** Stable over restarts: recents are kept by it. */
  readonly id: string
  readonly kind: PaletteKind
  readonly title: string
  /** Quiet words beside the title: whose it is, how it stands. */
  readonly hint: string
  /** The key that does the same elsewhere, or ''. */
  readonly key: string
  /** Found by these too, though they are not shown: tags, paths, other words. */
  readonly keywords: string
  readonly action: PaletteAction
}

/** Items made ready for searching. */
export interface PaletteIndex {
  readonly items: readonly PaletteItem[]
  /** Folded titles and keywords, at the same places as `items`. */
  readonly titles: readonly string[]
  readonly keywords: readonly string[]
}

/** More than anybody reads; who does not find it here types another letter. */
export const paletteShown = 50

/** Lower case and without accents, so that "kovac" finds "Kovač". */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Folding costs more than searching, so it is done once for each list of items. */
export function paletteIndex(items: readonly PaletteItem[]): PaletteIndex {
  return {
    items,
    titles: items.map(({ title }) => folded(title)),
    keywords: items.map(({ keywords, hint }) => folded(`${keywords} ${hint}`)),
  }
}

/** Several lists as one, without folding again. */
export function joinedIndex(parts: readonly PaletteIndex[]): PaletteIndex {
  return {
    items: parts.flatMap(({ items }) => items),
    titles: parts.flatMap(({ titles }) => titles),
    keywords: parts.flatMap(({ keywords }) => keywords),
  }
}

/** How well a word fits, best first. */
const fits = { exact: 0, prefix: 1, wordStart: 2, inside: 3, keyword: 4, letters: 5 } as const
const noFit = 9

/**
 * The items that hold every word of the query, best first: whole title, its beginning, a word's
 * beginning, any place, the keywords, and last the letters in their order ("lei" for "List existing
 * integrations"). What was used lately comes before everything that fits no better than a word's
 * beginning, so two letters are enough for it. Without a query: what was used lately, then all.
 */
export function paletteResults(
  index: PaletteIndex,
  query: string,
  recents: readonly string[],
): readonly PaletteItem[] {
  const words = folded(query)
    .split(/\s+/)
    .filter((word) => word !== '')
  const whole = words.join(' ')
  const places = new Map(recents.map((id, at) => [id, at]))
  const found: { readonly at: number; readonly score: number }[] = []
  for (const [at, item] of index.items.entries()) {
    const fit = fitOf(index.titles[at] ?? '', index.keywords[at] ?? '', whole, words)
    if (fit === noFit) continue
    found.push({ at, score: scoreOf(fit, places.get(item.id), item.title.length, words.length) })
  }
  found.sort((a, b) => a.score - b.score || a.at - b.at)
  return found.slice(0, paletteShown).flatMap(({ at }) => index.items[at] ?? [])
}

/** The worst of the words' fits, so that one lucky word does not carry the others. */
function fitOf(title: string, keywords: string, whole: string, words: readonly string[]): number {
  if (whole === '') return fits.exact
  if (title === whole) return fits.exact
  if (title.startsWith(whole)) return fits.prefix
  let worst: number = fits.wordStart
  for (const word of words) {
    const fit = wordFit(title, keywords, word)
    if (fit === noFit) return holdsLetters(title, whole) ? fits.letters : noFit
    if (fit > worst) worst = fit
  }
  return worst
}

function wordFit(title: string, keywords: string, word: string): number {
  const at = title.indexOf(word)
  if (at >= 0) return startsWord(title, word, at) ? fits.wordStart : fits.inside
  return keywords.includes(word) ? fits.keyword : noFit
}

function startsWord(text: string, word: string, first: number): boolean {
  for (let at = first; at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true
  return false
}

/** The letters stand in the title in this order, the first of them at the beginning of a word. */
function holdsLetters(title: string, whole: string): boolean {
  const letters = whole.replaceAll(' ', '')
  if (letters.length < 2) return false
  for (let start = title.indexOf(letters.charAt(0)); start >= 0; ) {
    if (startsWord(title, letters.charAt(0), start) && lettersFrom(title, letters, start))
      return true
    start = title.indexOf(letters.charAt(0), start + 1)
  }
  return false
}

function lettersFrom(title: string, letters: string, start: number): boolean {
  let at = start - 1
  for (const letter of letters) {
    at = title.indexOf(letter, at + 1)
    if (at < 0) return false
  }
  return true
}

/** Lower is better. Without words only what was used lately is moved; ties keep the list's order. */
function scoreOf(
  fit: number,
  recent: number | undefined,
  titleLength: number,
  words: number,
): number {
  if (recent !== undefined)
    return fit <= fits.wordStart ? recent - 1_000_000 : fit * 10_000 + recent - 5_000
  return words === 0 ? 0 : fit * 10_000 + Math.min(titleLength, 4_000)
}

/** The recents after one more use. */
export function withRecent(
  recents: readonly string[],
  id: string,
  limit: number,
): readonly string[] {
  return [id, ...recents.filter((one) => one !== id)].slice(0, limit)
}
