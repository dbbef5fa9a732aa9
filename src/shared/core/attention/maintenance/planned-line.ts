import { readDuration } from '../../time.ts'
import { readMoment } from '../../typed-time.ts'
import { dayMs, findZone, minuteMs, wallClock } from '../../wall-clock.ts'
import type { PlannedTimes } from './planned.ts'

/** What is planned begins within this time. */
const furthestMs = 365 * dayMs
const longestMs = 30 * dayMs
const dayMinutes = 24 * 60

/** Longer ones are something else, pasted. */
const longestText = 200

const clock = String.raw`(?:\d{1,2}(?:[:.]\d\d)? ?(?:[ap]m)?|[012]\d[0-5]\d)`
const unit = '(?:h|hrs?|hours?|m|mins?|minutes?|d|days?)'
const length = String.raw`\d{1,4}(?:\.\d)? ?${unit}(?: ?(?:and )?\d{1,2} ?${unit}?)?|an hour|half an hour`
/** "22:00-23:30", "from 2 to 4pm", "02:00 for 2 h". */
const spans = new RegExp(
  `(?<=^| )(?:from |at |between )?(?<from>${clock})(?: ?- ?| to | until | till | and )(?<to>${clock})(?= |$)` +
    `|(?<=^| )(?:from |at )?(?<at>${clock}) ?for (?<length>${length})(?= |$)`,
  'g',
)

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const workdays = [1, 2, 3, 4, 5]
const groups: ReadonlyMap<string, readonly number[]> = new Map(
  (
    [
      ['day days night nights daily nightly', [...workdays, 6, 0]],
      ['weekday weekdays workday workdays', workdays],
      ['weekend weekends', [6, 0]],
    ] as const
  ).flatMap(([names, on]) => names.split(' ').map((name) => [name, on] as const)),
)

/** Words that say no more than the others do. */
const fillers = new Set('on at in the from and & each every weekly week weeks'.split(' '))
const repeats = /^(?:every|each|weekly|days|nights|mornings|afternoons|evenings)$/
/** "Sunday nights" are not every night. */
const partsOfDays = /^(?:days?|nights?|mornings?|afternoons?|evenings?)$/

type Read = PlannedTimes | { readonly problem: string } | null

/**
 * Parses when a planned maintenance is: "every Sunday 02:00–04:00", "mon-fri 22:00 for 1 h",
 * "tomorrow 2 to 4pm", "5 dec 22:00-23:00 in Berlin". `zone`: this computer's, an IANA name. Null if
 * no time of day is named at which it begins and ends; `problem` says what to change.
 */
export function readPlannedTimes(text: string, now: number, zone: string): Read {
  if (text.length > longestText) return null
  const typed = normalised(text)
  const long = fromDayToDay(typed, now)
  if (long !== null) return long
  // A date has numbers that look like a span.
  const date = /(?<!\S)\d{4}-\d\d-\d\d(?!\S)/.exec(typed)?.[0] ?? ''
  const rest = typed.replace(date, '')
  const found = [...rest.matchAll(spans)].at(-1)
  if (found === undefined) return null
  const span = spanOf(found.groups ?? {})
  if (span === null) return null
  if (span.minutes < 1) return { problem: 'It must last at least a minute.' }
  const left = `${date} ${rest.slice(0, found.index)} ${rest.slice(found.index + found[0].length)}`
  const all = left.split(/[\s,+]+/).filter((word) => word !== '')
  const isEvery = all.some((word) => repeats.test(word))
  const telling = all.filter((word) => !fillers.has(word))
  const others = telling.filter((word) => !partsOfDays.test(word))
  const words = others.some((word) => daysOf(word) !== null) ? others : telling
  const named = words.map((word) => [word, daysOf(word)] as const)
  const on = [...new Set(named.flatMap(([, found]) => found ?? []))]
  const unread = named.flatMap(([word, found]) => (found === null ? [word] : []))
  const single = named.find(([, found]) => found !== null)?.[0] ?? ''
  const isRepeated = isEvery || on.length > 1 || /s$|ly$/.test(single)
  if (!isRepeated) return once(words, span, now, zone)
  if (on.length === 0) return { problem: 'Say on which days: “every Sunday” or “mon-fri”.' }
  const there = unread.length === 0 ? zone : findZone(unread.join(' '))
  if (there === null) return unreadable(unread)
  if (span.minutes > dayMinutes) return { problem: 'What is repeated can last at most 24 hours.' }
  const [from, to] = [timeOf(span.first), timeOf(span.first + span.minutes)]
  return { of: 'weekly', days: on.sort(), from, to, zone: there }
}

/** "24 dec 18:00 to 26 dec 8:00"; null if it is not of that shape. */
function fromDayToDay(typed: string, now: number): Read {
  const parts = typed.replace(/^from /, '').split(/ (?:-|to|until|till) /)
  const [first = '', last = '', ...more] = parts
  if (more.length > 0 || !parts.every((part) => /\p{L}{3}|\d{4}-/u.test(part))) return null
  const from = readMoment(first, now)
  const until = from === null ? null : readMoment(last, from)
  return from === null || until === null ? null : limited({ of: 'once', from, until }, now)
}

function normalised(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[‐-―−]/g, '-')
    .replaceAll(/\bnoon\b/g, '12:00')
    .replaceAll(/\bmidnight\b/g, '00:00')
    .replaceAll(/\s+/g, ' ')
}

/** In minutes. */
interface Span {
  /** Since midnight. */
  readonly first: number
  readonly minutes: number
  /** Whether it lasts so long, even if clocks change meanwhile. */
  readonly isLength: boolean
}

function spanOf({ from = '', to, at, length: lasting }: Readonly<Record<string, string>>) {
  if (lasting !== undefined) {
    const first = minutesOf(at ?? '')
    const seconds = readDuration(lasting)
    if (first === null || seconds === null) return null
    return { first, minutes: Math.floor(seconds / 60), isLength: true }
  }
  const last = minutesOf(to ?? '')
  // "2 to 4pm" is 14:00 to 16:00, "11 to 1pm" begins in the morning.
  const half = /[ap]m$/.exec(to ?? '')?.[0] ?? ''
  const alike = minutesOf(`${from}${half}`)
  const first = alike !== null && alike < (last ?? 0) ? alike : minutesOf(from)
  if (first === null || last === null) return null
  const minutes = (last - first + dayMinutes) % dayMinutes || dayMinutes
  return { first, minutes, isLength: false }
}

/** Minutes since midnight of "2", "02:00", "2.30 pm"; null if there is no such time. */
function minutesOf(text: string): number | null {
  const [, hour = '', minute = '0', half] =
    /^(\d\d?)(?:[:.](\d\d))? ?([ap]m)?$/.exec(text.replace(/^(\d\d)(\d\d)$/, '$1:$2')) ?? []
  if (hour === '') return null
  const given = Number(hour)
  if (half !== undefined && (given < 1 || given > 12)) return null
  const hours = half === undefined ? given % 24 : (given % 12) + (half === 'pm' ? 12 : 0)
  return given > 24 || Number(minute) > 59 ? null : 60 * hours + Number(minute)
}

function timeOf(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60) % 24, minutes % 60]
  return [hours, rest].map((part) => String(part).padStart(2, '0')).join(':')
}

/** "sun", "sundays", "mon-fri", "weekdays"; null if it names no days. */
function daysOf(word: string): readonly number[] | null {
  const group = groups.get(word)
  if (group !== undefined) return group
  const [first = '', last, ...more] = word.split('-')
  const from = dayOf(first)
  if (from === -1 || more.length > 0) return null
  if (last === undefined) return [from]
  const to = dayOf(last)
  if (to === -1) return null
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, on) => (from + on) % 7)
}

function dayOf(name: string): number {
  const bare = name.replace(/s$/, '')
  return bare.length < 2 ? -1 : dayNames.findIndex((day) => day.startsWith(bare))
}

function once(words: readonly string[], span: Span, now: number, zone: string): Read {
  const time = timeOf(span.first)
  // What began today goes on.
  const isToday = words.length === 0 || words.join() === 'today'
  const today = isToday ? readMoment(time, now - dayMs) : null
  if (today !== null && today + span.minutes * minuteMs > now) return onceAt(today, span, zone, now)
  // The last words may name a zone.
  for (const from of [words.length, words.length - 1, words.length - 2]) {
    if (from < 0) break
    const there = from === words.length ? zone : findZone(words.slice(from).join(' '))
    if (there === null) continue
    const nowThere = wallClock(zone).moment(wallClock(there).at(now))
    const at = readMoment(`${words.slice(0, from).join(' ')} ${time}`, nowThere)
    if (at !== null) return onceAt(at, span, there, now)
  }
  return unreadable(words)
}

function unreadable(words: readonly string[]) {
  return {
    problem: `Belfry can’t read “${words.join(' ')}”: say “every Sunday”, “mon-fri”, “tomorrow” or “5 Dec”, and a time zone if it isn’t yours.`,
  }
}

/** `at`: the time that this computer's clock would show in the zone. */
function onceAt(at: number, { minutes, isLength }: Span, zone: string, now: number): Read {
  const { moment } = wallClock(zone)
  const shown = at - new Date(at).getTimezoneOffset() * minuteMs
  const from = moment({ shown, again: false })
  const ms = minutes * minuteMs
  const until = isLength ? from + ms : moment({ shown: shown + ms, again: true })
  return limited({ of: 'once', from, until }, now)
}

function limited(times: Extract<PlannedTimes, { of: 'once' }>, now: number): Read {
  const { from, until } = times
  if (until <= now || from > now + furthestMs) return { problem: 'Plan it for the next 12 months.' }
  return until - from > longestMs ? { problem: 'It can last at most 30 days.' } : times
}
