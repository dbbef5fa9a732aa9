/** The default: 24-hour clock, day before month. */
const standard = 'en-GB'
/** For output that is parsed, so it must not depend on the user's locale. */
export const machineLocale = 'en-US'

/** English, with dates, times, numbers and lists formatted for the user's region. */
let locale = standard

/** `system`: the locale of the system's formats, "de-DE" or "de_DE.UTF-8"; no region: British. */
export function setLocale(system: string): void {
  const named = /^[a-z]{2,3}(?:[-_][a-z]{4})?[-_]([a-z]{2}|\d{3})\b(?!.*posix)/i.exec(system)
  const wanted = named?.[1] === undefined ? standard : `en-${named[1].toUpperCase()}`
  if (wanted === locale) return
  // An unsupported region would get American formats. NumberFormat is the fastest one to construct.
  const { locale: found } = new Intl.NumberFormat(wanted).resolvedOptions()
  const known = found === wanted ? wanted : standard
  if (known === locale) return
  locale = known
  formats.clear()
}

type Format = Intl.DateTimeFormat | Intl.NumberFormat | Intl.ListFormat | Intl.Collator
/** Constructing a format takes a hundred times as long as using it. */
const formats = new Map<string, Format>()

function kept<T extends Format>(name: string, make: () => T): T {
  const known = formats.get(name)
  // Each name is used for one type of format.
  if (known !== undefined) return known as T
  const format = make()
  formats.set(name, format)
  return format
}

/** `zone`: an IANA name, by default this computer's zone. Throws a RangeError if it is unknown. */
export function dateWords(at: number, shape: Intl.DateTimeFormatOptions, zone?: string): string {
  const options = zone === undefined ? shape : { ...shape, timeZone: zone }
  // A format keeps the zone it was created in, but the computer may travel.
  const name = `${zone ?? localOffsets(at)} ${JSON.stringify(options)}`
  const words = kept(name, () => new Intl.DateTimeFormat(locale, options)).format(at)
  // A line never ends between "5:20" and "AM".
  return words.replace(/\s(?=[ap]\.?m\b)/i, '\u00a0')
}

/** Tells zones apart: winter in one may be as far from UTC as summer in another. */
function localOffsets(at: number): string {
  return [at, winter, summer].map((one) => new Date(one).getTimezoneOffset()).join(' ')
}

const winter = Date.UTC(2026, 0)
const summer = Date.UTC(2026, 6)

/** "12,345". */
export function numberWords(count: number): string {
  return kept('number', () => new Intl.NumberFormat(locale)).format(count)
}

/** "99.98%", from 99.98: at most two decimals. */
export function percentWords(percent: number): string {
  const shape = { style: 'percent', maximumFractionDigits: 2 } as const
  return kept('percent', () => new Intl.NumberFormat(locale, shape)).format(percent / 100)
}

/** "1 check", "1,200 checks". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberWords(count)} ${count === 1 ? one : many}`
}

export function capitalised(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

export function lowerFirst(words: string): string {
  return `${words.slice(0, 1).toLowerCase()}${words.slice(1)}`
}

/** "a, b and c". */
export function listWords(parts: readonly string[]): string {
  return kept('list', () => new Intl.ListFormat(locale)).format(parts)
}

/** "a, b and 7 more". */
export function firstOf(names: readonly string[], most: number, all = names.length): string {
  const rest = all - most
  return listWords(rest > 0 ? [...names.slice(0, most), `${numberWords(rest)} more`] : names)
}

/** Sorts "job 2" before "job 10", ignoring case. */
export function compareNames(one: string, other: string): number {
  const options = { numeric: true, sensitivity: 'base' } as const
  return kept('names', () => new Intl.Collator('en', options)).compare(one, other)
}

/** Lower case and without accents, so that "kovac" finds "Kovač". */
export function folded(text: string): string {
  // A fast path for ASCII, which most names are.
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase()
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
