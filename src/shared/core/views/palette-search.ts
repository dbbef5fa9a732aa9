import type { AccountId } from '../account.ts'
import type { OwnStatus } from '../chat/own-status.ts'
import type { Target } from '../target.ts'
import { folded } from '../wording.ts'

/** Commands that neither open a view nor are operations; the palette's view implements them. */
export type PaletteCommand =
  | 'refresh'
  | 'themeLight'
  | 'themeDark'
  | 'themeSystem'
  | 'densityCompact'
  | 'densityComfortable'
  | 'zoomIn'
  | 'zoomOut'
  | 'zoomReset'
  | 'disturb'
  | 'endDisturb'
  | 'hideNames'
  | 'showNames'
  | 'quit'
  | 'clearNotices'
  | 'testNotification'
  | 'markAllRead'
  | 'exploreDemo'
  | 'leaveDemo'
  | 'keys'
  | 'hide'

/** Who a new message is for, as far as chosen. */
export type Recipients =
  | { readonly to: 'anyone' }
  /** `userIds` in the order they were chosen, at least one. */
  | { readonly to: 'people'; readonly accountId: AccountId; readonly userIds: readonly number[] }
  | { readonly to: 'channel'; readonly accountId: AccountId; readonly channelId: number }

/** What choosing an item does. */
export type PaletteAction =
  | { readonly does: 'go'; readonly target: Target }
  | { readonly does: 'command'; readonly command: PaletteCommand }
  | { readonly does: 'operation'; readonly operation: string }
  /** Replaces what was typed: the second step of a verb, or the list of operations. */
  | { readonly does: 'type'; readonly text: string }
  | { readonly does: 'status'; readonly accountId: AccountId; readonly status: OwnStatus | null }
  /** Continues choosing a new message's recipients. */
  | { readonly does: 'message'; readonly recipients: Recipients }
  /** What a single key does in the current view. */
  | { readonly does: 'here'; readonly act: () => unknown }

type PaletteKind =
  | 'here'
  | 'check'
  | 'conversation'
  | 'person'
  | 'channel'
  | 'command'
  | 'setting'
  | 'operation'

/** One line of the palette. */
export interface PaletteItem {
  /** Stable across restarts: recents refer to it. */
  readonly id: string
  readonly kind: PaletteKind
  readonly title: string
  /** Secondary text beside the title: account, status. */
  readonly hint: string
  /** The key that does the same elsewhere, or ''. */
  readonly key: string
  /** Also searched, but not shown: tags, paths, synonyms; one of several words with hyphens. */
  readonly keywords: string
  readonly action: PaletteAction
  /** Someone muted: after all others, unless typed in full. */
  readonly isLast?: boolean
}

/** Items prepared for searching. */
export interface PaletteIndex {
  readonly items: readonly PaletteItem[]
  /** Folded titles and keywords, at the same indices as `items`. */
  readonly titles: readonly string[]
  readonly keywords: readonly string[]
  /** What each command is called, as whole words between spaces; '' for what has a name of its own. */
  readonly aliases: readonly string[]
}

/** Maximum number of results; typing another letter narrows them. */
export const paletteShown = 50

/** Folds the texts once for each list of items, since folding costs more than searching. */
export function paletteIndex(items: readonly PaletteItem[]): PaletteIndex {
  return {
    items,
    titles: items.map(({ title }) => folded(title)),
    keywords: items.map(({ keywords, hint }) => folded(`${keywords} ${hint}`)),
    aliases: items.map(aliasesOf),
  }
}

const isCommand: ReadonlySet<PaletteKind> = new Set(['here', 'command', 'setting'])

/** The verb that a title begins with, and the keywords; the rest of a title may be a check's name. */
function aliasesOf({ kind, title, keywords }: PaletteItem): string {
  const [verb = ''] = /[\p{L}\p{N}]+/u.exec(title) ?? []
  return isCommand.has(kind) ? folded(` ${verb} ${keywords} `) : ''
}

/** Whether all words are aliases, or together one of several words: "log out" is "log-out". */
function isCalled(aliases: string, words: readonly string[]): boolean {
  if (aliases === '') return false
  const has = (word: string) => aliases.includes(` ${word} `)
  return has(words.join('-')) || words.every(has)
}

/** Joins several lists without folding again. */
export function joinedIndex(parts: readonly PaletteIndex[]): PaletteIndex {
  return {
    items: parts.flatMap(({ items }) => items),
    titles: parts.flatMap(({ titles }) => titles),
    keywords: parts.flatMap(({ keywords }) => keywords),
    aliases: parts.flatMap(({ aliases }) => aliases),
  }
}

/** How well a word matches, best first. */
const fits = {
  named: -2,
  begun: -1,
  exact: 0,
  word: 1,
  prefix: 2,
  wordStart: 3,
  initials: 4,
  inside: 5,
  keyword: 6,
  typo: 7,
  letters: 8,
} as const
const noFit = 9

/** Fewer letters, scattered in a title, say nothing: “db” is not “Density: comfortable”. */
const leastScattered = 3

/**
 * The items that contain every word of the query, best first: the whole title; commands that are
 * called so, by their verb or a keyword; the title's beginning, a word's beginning, the
 * initials ("lei" for "List existing integrations"), anywhere, the beginning of a keyword; if none of
 * these is found, words with one typing error, then the letters in order. Recently used
 * items come before everything that fits no better than a word's beginning, so two letters suffice
 * for them; but before those comes a place that is named in full, or a channel or person whose name
 * begins as typed after "#" or "@": what is written next would go to the wrong one. Without a query:
 * recently used ones, then all.
 */
export function paletteResults(
  index: PaletteIndex,
  query: string,
  recents: readonly string[],
): readonly PaletteItem[] {
  const words = folded(query)
    // "ops > db" finds "# ops › db".
    .split(/[\s>›]+/)
    .filter((word) => word !== '')
  const whole = words.join(' ')
  const letters = words.join('')
  const named = nameFit(folded(query).trim())
  const best = bestOf(index, recents, words.length)
  const others: number[] = []
  for (const at of index.titles.keys()) {
    const fit = named(index, at) ?? fitOf(index, at, whole, words)
    if (fit === noFit) others.push(at)
    else best.offer(at, fit)
  }
  const hasTrue = best.found.length > 0
  // The slowest search, skipped if better results fill the list.
  const worst = best.found.at(paletteShown - 1)?.score ?? Number.POSITIVE_INFINITY
  if (worst > fits.inside * 10_000 && letters.length > 1)
    for (const other of others) {
      const fit = looseFit(index.titles[other] ?? '', letters, hasTrue ? null : words)
      if (fit !== noFit) best.offer(other, fit)
    }
  return best.found.flatMap((found) => index.items[found.at] ?? [])
}

/** More than any score. */
const afterAll = 1_000_000_000

interface Found {
  readonly at: number
  readonly score: number
}

/** Keeps the best of the items offered; most of 10,000 are rejected by a single comparison. */
function bestOf(
  { items, titles }: PaletteIndex,
  recents: readonly string[],
  words: number,
): { readonly found: readonly Found[]; readonly offer: (at: number, fit: number) => void } {
  const places = new Map(recents.map((id, place) => [id, place]))
  const found: Found[] = []
  return {
    found,
    offer(at, fit) {
      const item = items[at]
      const recent = places.size === 0 ? undefined : places.get(item?.id ?? '')
      // Actions of the current view come first among equal matches, however long their titles.
      const length = item?.kind === 'here' ? 0 : (titles[at]?.length ?? 0)
      const isLast = item?.isLast === true && fit !== fits.named
      const score = scoreOf(fit, recent, length, words) + (isLast ? afterAll : 0)
      const isFull = found.length >= paletteShown
      if (isFull && score >= (found.at(-1)?.score ?? 0)) return
      const place = found.findIndex((other) => other.score > score)
      found.splice(place < 0 ? found.length : place, 0, { at, score })
      if (isFull) found.pop()
    },
  }
}

/** How well a query names a place to write to, beginning with "#" or "@" or not; null: not at all. */
function nameFit(query: string): (index: PaletteIndex, at: number) => number | null {
  const sign = /^[#@]/.exec(query)?.[0]
  const name = sign === undefined ? query : query.slice(1).trimStart()
  const words = name.split(/\s+/)
  const kinds = sign === '#' ? ['channel'] : sign === '@' ? ['person'] : writtenTo
  return (index, at) => {
    const kind = index.items[at]?.kind ?? 'here'
    if (name === '' || !kinds.includes(kind)) return null
    const title = index.titles[at] ?? ''
    const start = kind === 'channel' ? '# '.length : 0
    if (title.startsWith(name, start)) {
      const rest = title.slice(start + name.length)
      if (rest === '' || (kind === 'person' && rest === ' (you)')) return fits.named
      if (sign !== undefined) return fits.begun
    }
    return sign === '@' ? fitOf(index, at, name, words) : null
  }
}

const writtenTo: readonly PaletteKind[] = ['conversation', 'person', 'channel']

/** The worst match among the words, so that one good word can't make up for the rest. */
function fitOf(index: PaletteIndex, at: number, whole: string, words: readonly string[]): number {
  const title = index.titles[at] ?? ''
  if (whole === '' || title === whole) return fits.exact
  if (isCalled(index.aliases[at] ?? '', words)) return fits.word
  let worst: number = fits.prefix
  for (const word of words) {
    const fit = wordFit(index, at, title, word)
    if (fit > worst) worst = fit
    if (fit === noFit) return noFit
  }
  // If the title begins with the whole query, that is a prefix match.
  return worst === fits.wordStart && title.startsWith(whole) ? fits.prefix : worst
}

function wordFit(index: PaletteIndex, at: number, title: string, word: string): number {
  const place = title.indexOf(word)
  if (place >= 0) return startsWord(title, word, place) ? fits.wordStart : fits.inside
  const keywords = index.keywords[at] ?? ''
  const known = keywords.indexOf(word)
  return known >= 0 && startsWord(keywords, word, known) ? fits.keyword : noFit
}

function startsWord(text: string, word: string, first: number): boolean {
  for (let at = first; at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !isLetter(text, at - 1)) return true
  return false
}

/** Letter or digit; without a regular expression for the common ones. */
function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
  return /[\p{L}\p{N}]/u.test(text.charAt(at))
}

/** By initials and, unless better was found (`words` null), by a typing error or scattered letters. */
function looseFit(title: string, letters: string, words: readonly string[] | null): number {
  const holds = holdsLetters(title, letters)
  if (holds && isInitials(title, letters)) return fits.initials
  if (words === null) return noFit
  if (isNearly(title, words)) return fits.typo
  return holds && letters.length >= leastScattered ? fits.letters : noFit
}

/** Whether the letters occur in the title in this order, the first at the beginning of a word. */
function holdsLetters(title: string, letters: string): boolean {
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

/** Whether the title's first words begin with these letters, one each. */
function isInitials(title: string, letters: string): boolean {
  const starts = title.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return [...letters].every((letter, at) => starts[at]?.startsWith(letter) === true)
}

/**
 * Whether each word begins a word of the title, with at most one edit (wrong, missing, swapped …).
 */
function isNearly(title: string, words: readonly string[]): boolean {
  // Shorter words would match almost everything.
  return words.every((word) => word.length > 2 && hasNearly(title, word))
}

function hasNearly(title: string, word: string): boolean {
  for (let at = 0; at < title.length; at += 1)
    if ((at === 0 || !isLetter(title, at - 1)) && startsNearly(title, at, word)) return true
  return false
}

/** Whether `title` continues at `start` with `word` after at most one edit. */
function startsNearly(title: string, start: number, word: string): boolean {
  let same = 0
  while (same < word.length && title[start + same] === word[same]) same += 1
  if (same === word.length) return true
  const at = start + same
  const rest = word.slice(same + 1)
  return (
    // Wrong, extra, missing.
    title.startsWith(rest, at + 1) ||
    title.startsWith(rest, at) ||
    title.startsWith(word.slice(same), at + 1) ||
    (title[at] === word[same + 1] &&
      title[at + 1] === word[same] &&
      title.startsWith(word.slice(same + 2), at + 2))
  )
}

/** Lower is better. Without a query, only recent items move up; ties keep the list's order. */
function scoreOf(
  fit: number,
  recent: number | undefined,
  titleLength: number,
  words: number,
): number {
  if (fit < fits.exact) return fit * 10_000_000 + (recent ?? 1_000 + titleLength)
  if (recent !== undefined)
    return fit <= fits.wordStart ? recent - 1_000_000 : fit * 10_000 + recent - 5_000
  return words === 0 ? 0 : fit * 10_000 + Math.min(titleLength, 4_000)
}

/** The recently used ids after `id` was used. */
export function withRecent(
  recents: readonly string[],
  id: string,
  limit: number,
): readonly string[] {
  return [id, ...recents.filter((one) => one !== id)].slice(0, limit)
}
