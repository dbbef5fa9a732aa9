import type { AccountId } from '../account.ts'
import type { BoardOrder } from '../checks/board-orders.ts'
import { type Check, type CheckId, checkName } from '../checks/check.ts'
import { compareNames } from '../wording.ts'

/** Ties are sorted by name, then id: the server's order is undefined, and names aren't unique. */
export function sortedChecks<T>(
  items: readonly T[],
  { compare }: BoardOrder,
  checkOf: (item: T) => Check,
): readonly T[] {
  return items
    .map((item) => named(checkOf(item), item))
    .sort((a, b) => compare(a.check, b.check) || compareNamed(a, b))
    .map(({ item }) => item)
}

interface Named<T> {
  readonly check: Check
  /** Null until a comparison needs it. */
  key: NameKey | null
  readonly item: T
}

function named<T>(check: Check, item: T): Named<T> {
  return { check, key: null, item }
}

function compareNamed(a: Named<unknown>, b: Named<unknown>): number {
  a.key ??= nameKey(checkName(a.check))
  b.key ??= nameKey(checkName(b.check))
  return compareNameKeys(a.key, b.key) || (a.check.id < b.check.id ? -1 : 1)
}

interface Sorted {
  readonly checks: ReadonlyMap<CheckId, Check>
  readonly order: BoardOrder
  /** The checks of the map, in its order. */
  readonly listed: readonly Check[]
  /** By name: positions in `listed`. */
  readonly places: readonly number[]
  readonly sorted: readonly Check[]
}

/** The last result per project. A board whose checks didn't change keeps its map (`withChecks`). */
const lastSorted = new Map<AccountId, Sorted>()

/**
 * A project's checks in one of the board's orders. Caches the order by name, so that other changes
 * only compare numbers.
 */
export function boardSorted(
  accountId: AccountId,
  checks: ReadonlyMap<CheckId, Check>,
  order: BoardOrder,
): readonly Check[] {
  const last = lastSorted.get(accountId)
  if (last?.checks === checks && last.order === order) return last.sorted
  const listed = [...checks.values()]
  const places =
    last === undefined ? sortedByName(listed, listed.keys()) : placesAfter(last, listed)
  const sorted = places.flatMap((place) => listed[place] ?? []).sort(order.compare)
  lastSorted.set(accountId, { checks, order, listed, places, sorted })
  return sorted
}

/** Starts from `places`, which are probably almost in order already: that makes sorting fast. */
function sortedByName(listed: readonly Check[], places: Iterable<number>): readonly number[] {
  return [...places]
    .flatMap((place) => {
      const check = listed[place]
      return check === undefined ? [] : [named(check, place)]
    })
    .sort(compareNamed)
    .map(({ item }) => item)
}

function placesAfter(last: Sorted, listed: readonly Check[]): readonly number[] {
  const { listed: old, places } = last
  const isAsBefore =
    old.length === listed.length && listed.every((one, n) => isNamedAs(one, old[n]))
  if (isAsBefore) return places
  const placeOf = new Map(listed.map(({ id }, place) => [id, place]))
  const kept = places.flatMap((place) => placeOf.get(old[place]?.id ?? '') ?? [])
  return sortedByName(listed, new Set([...kept, ...listed.keys()]))
}

function isNamedAs(check: Check, old: Check | undefined): boolean {
  return check.id === old?.id && check.name === old.name && check.slug === old.slug
}

/**
 * A name as a string whose plain order equals the collator's: creating a collator takes a new
 * window 15 ms, and sorting with it takes twice as long.
 */
interface NameKey {
  readonly name: string
  readonly text: string
  /** False if only the collator can order the rest of the name. */
  readonly isWhole: boolean
}

/** ASCII punctuation sorts before digits and letters, in this order; ☺ stands for emoji. */
const signs = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~☺$'
const picture = signed('☺')
const pictures = /^[\u2600-\u2767\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6d2}\u{1f900}-\u{1f9ff}]/u
/** Alphabets that sort after all of ASCII. */
const letter = '\x7f'
const letters =
  /^[\u0391-\u03a1\u03b1-\u03c9\u0400-\u0481\u05d0-\u05ea\u0904-\u0939\u0e01-\u0e2e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]/

export function nameKey(name: string): NameKey {
  const ascii = /^[ -~]*/.exec(name)?.[0] ?? ''
  const rest = name.slice(ascii.length)
  return { name, text: textOf(ascii, rest), isWhole: rest === '' }
}

function textOf(ascii: string, rest: string): string {
  if (rest === '') return plainText(ascii)
  if (pictures.test(rest)) return plainText(ascii) + picture
  if (letters.test(rest)) return plainText(ascii) + letter
  // A number may continue in the digits of another alphabet.
  return plainText(ascii.replace(/(?<!\d)\d+$/, ''))
}

function plainText(ascii: string): string {
  return ascii
    .toLowerCase()
    .replace(/\d+|[^a-z]/g, (part) => (signs.includes(part) ? signed(part) : numbered(part)))
}

function signed(sign: string): string {
  return String.fromCharCode(1 + signs.indexOf(sign))
}

/** Numbers sort by value: the longer one is larger. */
function numbered(part: string): string {
  const digits = part.replace(/^0+/, '')
  return `0${String.fromCharCode(digits.length)}${digits}`
}

/** "job 2" before "job 10", ignoring case. */
export function compareNameKeys(a: NameKey, b: NameKey): number {
  if (goesOn(a, b) || goesOn(b, a)) return compareNames(a.name, b.name)
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0
}

/** Whether the keys are equal up to the end of `a`, and only the collator can order the rest. */
function goesOn(a: NameKey, b: NameKey): boolean {
  return !a.isWhole && b.text.startsWith(a.text)
}
