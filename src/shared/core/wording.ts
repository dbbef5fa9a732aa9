/** What nobody set: 24 hours, the day before the month. */
const standard = 'en-GB'
/** For what a program reads and not a person: a form that is the same everywhere. */
export const machineLocale = 'en-US'

/** The words are English; dates, times, numbers and lists are written as in the user's region. */
let locale = standard

/** `system`: the locale of the system's formats, as "de-DE" or "de_DE.UTF-8"; without a region: British. */
export function setLocale(system: string): void {
  const named = /^[a-z]{2,3}(?:[-_][a-z]{4})?[-_]([a-z]{2}|\d{3})\b(?!.*posix)/i.exec(system)
  const wanted = named?.[1] === undefined ? standard : `en-${named[1].toUpperCase()}`
  // Where English has no form of its own it would be the American one.
  if (wanted === locale) return
  // Of all formats this one is made in the least time.
  const { locale: found } = new Intl.NumberFormat(wanted).resolvedOptions()
  const known = found === wanted ? wanted : standard
  if (known === locale) return
  locale = known
  formats.clear()
}

type Format = Intl.DateTimeFormat | Intl.NumberFormat | Intl.ListFormat | Intl.Collator
/** Making one costs a hundred times what asking it costs. */
const formats = new Map<string, Format>()

function kept<T extends Format>(name: string, make: () => T): T {
  const known = formats.get(name)
  // A name stands for one kind of format.
  if (known !== undefined) return known as T
  const format = make()
  formats.set(name, format)
  return format
}

/** `zone`: an IANA name, else this computer's zone. Throws a RangeError for one that is unknown here. */
export function dateWords(at: number, shape: Intl.DateTimeFormatOptions, zone?: string): string {
  const options = zone === undefined ? shape : { ...shape, timeZone: zone }
  // A format keeps the zone that it was made in, and computers travel.
  const offset = zone ?? new Date(at).getTimezoneOffset()
  const name = `${offset} ${JSON.stringify(options)}`
  return kept(name, () => new Intl.DateTimeFormat(locale, options)).format(at)
}

/** "12,345". */
export function numberWords(count: number): string {
  return kept('number', () => new Intl.NumberFormat(locale)).format(count)
}

/** "99.98%": of a hundred, two decimals at most. */
export function percentWords(percent: number): string {
  const shape = { style: 'percent', maximumFractionDigits: 2 } as const
  return kept('percent', () => new Intl.NumberFormat(locale, shape)).format(percent / 100)
}

/** "1 check", "1,200 checks". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberWords(count)} ${count === 1 ? one : many}`
}

/** With a capital first letter, as a sentence begins. */
export function capitalised(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** As it stands within a sentence. */
export function lowerFirst(words: string): string {
  return `${words.slice(0, 1).toLowerCase()}${words.slice(1)}`
}

/** "a, b and c". */
export function listWords(parts: readonly string[]): string {
  return kept('list', () => new Intl.ListFormat(locale)).format(parts)
}

/** "a, b and 7 more". */
export function firstOf(names: readonly string[], most: number): string {
  const rest = names.length - most
  return listWords(rest > 0 ? [...names.slice(0, most), `${numberWords(rest)} more`] : names)
}

/** "job 2" before "job 10", whatever the case. */
export function compareNames(one: string, other: string): number {
  const options = { numeric: true, sensitivity: 'base' } as const
  return kept('names', () => new Intl.Collator('en', options)).compare(one, other)
}

/** Lower case and without accents, so that "kovac" finds "Kovač". */
export function folded(text: string): string {
  // Most names of fifty thousand need no more.
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase()
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
