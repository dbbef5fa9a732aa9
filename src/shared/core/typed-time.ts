import { readDuration } from './time.ts'
import { dayMs, hourMs, minuteMs } from './wall-clock.ts'

/** Longer texts are something else, pasted. */
const longest = 200

/**
 * A moment as people type it, in this computer's zone: "in 2 h", "14:30", "tomorrow 14", "tue 9:30",
 * "noon", "half past five", "eod", "20 march", or a date field's "2026-03-17T14:25". An hour without
 * am or pm is one of 24, and a day without a time begins at 9. Epoch ms; null if it is none of these
 * or not in the future.
 */
export function readMoment(text: string, now: number): number | null {
  const words = plain(text)
  const at = durationIn(words, now) ?? timeIn(words, now)
  return at !== null && Number.isFinite(at) && at > now ? at : null
}

/** Why a text is no moment to come, as a sentence; '' if it is one, or empty. */
export function momentProblem(text: string, now: number): string {
  if (text.trim() === '' || readMoment(text, now) !== null) return ''
  const words = plain(text)
  const [, number] = /^(?:at |by |for |in |until )?(\d{1,3})$/.exec(words) ?? []
  if (number !== undefined) {
    const hour = Number(number)
    const clock =
      hour > 23
        ? `${number} h`
        : hour > 12 || hour === 0
          ? `${number}:00`
          : `${number} am, ${number} pm`
    return `Type ${clock} or ${number} min.`
  }
  return durationIn(words, now) === null && saidIn(words) === null
    ? 'Not a time. Type “tue 9:30”, “in 2 h” or “20 march”.'
    : 'That is not in the future.'
}

/** In lower case, with numbers as digits. */
function plain(text: string): string {
  if (text.length > longest) return '?'
  const words = text
    .toLowerCase()
    .replace(/(\d{4}-\d\d-\d\d)t/, '$1 ')
    .replace(/,(?!\d)|@| - /g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(number, (word) => `${numbers.indexOf(word) + 1}`)
  return spoken.reduce((said, [word, other]) => said.replace(word, other), words)
}

const numbers = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const number = new RegExp(`\\b(?:${numbers.join('|')})\\b`, 'g')

/** Lengths of time that are said in words. */
const spoken: readonly (readonly [RegExp, string])[] = [
  [/\bfifteen\b/, '15'],
  [/\btwenty\b/, '20'],
  [/\bthirty\b/, '30'],
  [/\b(?:a )?half (?:an )?hour\b/, '30 min'],
  [/\b(?:a )?quarter of an hour\b/, '15 min'],
  [/\ban hour and a half\b/, '90 min'],
  [/\b(\d+) and a half (?=hours?\b)/, '$1.5 '],
  [/\ba couple of\b/, '2'],
  [/ (?:from now|later)$/, ''],
  [/^(?:in|for)? ?(?:about )?(?:the )?(?:next |another )(?=\d|hour\b|an? )/, ''],
  [/^(?:in |for )?an? (?=\p{L})(?!quarter)/u, '1 '],
  [/^hour$/, '1 hour'],
]

function durationIn(words: string, now: number): number | null {
  const length = words.replace(/^(?:in|for) /, '')
  // Times of day: "9 am", "17h30".
  const isTime = /^\d+(?::\d\d)? ?[ap]\.?m?\.?$|^(?:1[3-9]|2[0-3])h(?:\d\d)?$/.test(length)
  const seconds = /^\d.*\p{L}/u.test(length) && !isTime ? readDuration(length) : null
  return seconds === null ? null : now + seconds * 1_000
}

interface Day {
  /** How many days after today. */
  readonly offset: number
  readonly date: Date
}

type IsDay = (day: Day) => boolean

interface Said {
  /** What the day must be. */
  readonly days: readonly IsDay[]
  readonly clock: { readonly hours: number; readonly minutes: number } | null
  /** An hour by itself, which after a day only is certainly one. */
  readonly isBare: boolean
  readonly part: keyof typeof parts | null
  readonly year: number | null
}

/** When a part of the day begins. */
const parts = { morning: 9, afternoon: 14, evening: 18, night: 20 } as const
const isPart = (word: string): word is keyof typeof parts => Object.hasOwn(parts, word)

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months =
  'january february march april may june july august september october november december'.split(' ')

const otherNames: Readonly<Record<string, string>> = {
  tmrw: 'tomorrow',
  tmr: 'tomorrow',
  weds: 'wednesday',
  sept: 'september',
  weekend: 'saturday',
}

/** One of the words by its beginning; -1: none. */
function placeOf(words: readonly string[], typed: string): number {
  const name = otherNames[typed] ?? typed
  return name.length < 3 ? -1 : words.findIndex((word) => word.startsWith(name))
}

const isOffset =
  (wanted: number): IsDay =>
  ({ offset }) =>
    offset === wanted
const isWeekday =
  (wanted: number): IsDay =>
  ({ date }) =>
    date.getDay() === wanted
const isDate =
  (wanted: string): IsDay =>
  ({ date }) =>
    date.getDate() === Number(wanted)
const isMonth =
  (wanted: number): IsDay =>
  ({ date }) =>
    date.getMonth() === wanted
const isYear =
  (wanted: number): IsDay =>
  ({ date }) =>
    date.getFullYear() === wanted
const isLaterDay: IsDay = ({ offset }) => offset > 0
/** Monday begins the week. */
const isNextWeek: IsDay = ({ offset, date }) => {
  const sinceMonday = (date.getDay() + 6) % 7
  return offset > sinceMonday && offset - sinceMonday <= 7
}

const ordinal = '(\\d\\d?)(?:st|nd|rd|th|\\.)?'
const year = '(?: (\\d{4}))?'

/** What can be said of a time, in any order. A null: not that, after all. */
const phrases: readonly (readonly [
  string,
  (found: readonly (string | undefined)[]) => Partial<Said> | null,
])[] = [
  ['(\\d{4})-(\\d\\d)-(\\d\\d)', ([, of, month, day = '']) => onDate(day, Number(month) - 1, of)],
  [
    '(\\d\\d?)\\.(\\d\\d?)\\.(\\d{4})?',
    ([, day = '', month, of]) => onDate(day, Number(month) - 1, of),
  ],
  [
    `${ordinal} (?:of )?(\\p{L}{3,9})\\.?${year}`,
    ([, day = '', month = '', of]) => onDate(day, placeOf(months, month), of),
  ],
  [
    `(\\p{L}{3,9})\\.? ${ordinal}${year}`,
    ([, month = '', day = '', of]) => onDate(day, placeOf(months, month), of),
  ],
  ['(\\d\\d?)(?:st|nd|rd|th)', ([, day = '']) => on(isDate(day))],
  ['day after tomorrow', () => on(isOffset(2))],
  [
    '(\\d{1,3}) (day|week)s?',
    ([, count, unit]) => on(isOffset(Number(count) * (unit === 'week' ? 7 : 1))),
  ],
  ['next week', () => on(isNextWeek)],
  ['next (\\p{L}+)\\.?', ([, name = '']) => onWeekday(name, [isLaterDay])],
  ['(?:eow|end of (?:the )?week)', () => ({ ...on(isWeekday(5)), clock: oclock(18) })],
  ['(?:eod|cob|end of (?:the )?day|close of business)', () => ({ clock: oclock(18) })],
  ['tonight', () => ({ ...on(isOffset(0)), part: 'night' })],
  ['this (\\p{L}+)', ([, part = '']) => (isPart(part) ? { ...on(isOffset(0)), part } : null)],
  ['(?:in the )?(\\p{L}+)', ([, part = '']) => (isPart(part) ? { part } : null)],
  ['(?:(?:12 )?noon|mid-?day)', () => ({ clock: oclock(12) })],
  ['mid-?night', () => ({ clock: oclock(24) })],
  [
    '(?:a )?(half|quarter) past (\\d\\d?)(?: ?([ap])\\.?m\\.?)?',
    ([, of, hour = '', half]) => clockOf(hour, of === 'half' ? '30' : '15', half),
  ],
  [
    '(?:a )?quarter to (\\d\\d?)(?: ?([ap])\\.?m\\.?)?',
    ([, hour = '', half]) => clockOf(`${Number(hour) - 1 || 12}`, '45', half),
  ],
  [
    '(\\d\\d?)(?:[:.h](\\d\\d))? ?([ap])\\.?m?\\.?',
    ([, hour = '', minute = '0', half]) => clockOf(hour, minute, half),
  ],
  ['(\\d\\d?)[:.h](\\d\\d)h?', ([, hour = '', minute = '']) => clockOf(hour, minute)],
  ['(\\d\\d)(\\d\\d)', ([, hour = '', minute = '']) => clockOf(hour, minute)],
  ['(?:at|by|till?|until) (1[3-9]|2[0-3])', ([, hour = '']) => clockOf(hour, '0')],
  ['(1[3-9]|2[0-3])h', ([, hour = '']) => clockOf(hour, '0')],
  ["(\\d\\d?)(?: ?o[’']?clock)?", ([, hour = '']) => bareClock(hour)],
  ['(\\p{L}{3,})\\.?', ([, name = '']) => named(name)],
  // Words that say nothing.
  ['(?:at|before|by|coming|first thing|for|from|in|of|on|the|this|till?|until)', () => ({})],
]

function on(day: IsDay): Pick<Said, 'days'> {
  return { days: [day] }
}

/** `month` from 0. */
function onDate(day: string, month: number, of: string | undefined): Partial<Said> | null {
  if (month < 0 || month > 11) return null
  const days = [isDate(day), isMonth(month)]
  return of === undefined ? { days } : { days: [...days, isYear(Number(of))], year: Number(of) }
}

function onWeekday(name: string, others: readonly IsDay[]) {
  const day = placeOf(weekdays, name)
  return day === -1 ? null : { days: [isWeekday(day), ...others] }
}

function named(name: string): Partial<Said> | null {
  const day = placeOf(['today', 'tomorrow'], name)
  return day === -1 ? onWeekday(name, []) : on(isOffset(day))
}

function oclock(hours: number) {
  return { hours, minutes: 0 }
}

function clockOf(hour: string, minute: string, half?: string): Pick<Said, 'clock'> | null {
  const [given, minutes] = [Number(hour), Number(minute)]
  if (half !== undefined && (given < 1 || given > 12)) return null
  const hours = half === undefined ? given : (given % 12) + (half === 'p' ? 12 : 0)
  return hours * 60 + minutes > 24 * 60 || minutes > 59 ? null : { clock: { hours, minutes } }
}

function bareClock(hour: string): Partial<Said> | null {
  const said = clockOf(hour, '0')
  return said && { ...said, isBare: true }
}

const grammar = phrases.map(
  ([source, read]) => [new RegExp(`^(?:${source})(?: |$)`, 'u'), read] as const,
)

const nothingSaid: Said = { days: [], clock: null, isBare: false, part: null, year: null }

/** What all the words say together; null if some say nothing of a time, or two contradict. */
function saidIn(words: string): Said | null {
  let said = nothingSaid
  let rest = words
  while (rest !== '') {
    let more: Partial<Said> | null = null
    let length = 0
    for (const [phrase, read] of grammar) {
      const found = phrase.exec(rest)
      more = found && read(found)
      length = found?.[0].length ?? 0
      if (more !== null) break
    }
    if (more === null) return null
    if ((more.clock != null && said.clock !== null) || (more.part != null && said.part !== null))
      return null
    said = { ...said, ...more, days: [...said.days, ...(more.days ?? [])] }
    rest = rest.slice(length)
  }
  const hasDay = said.days.length > 0 || said.part !== null
  return hasDay || (said.clock !== null && !said.isBare) ? said : null
}

/** Far enough for 29 February. */
const mostDays = 366 * 8

/** Days from a date to the beginning of a year; 0 if that has begun. */
function daysTo(from: Date, to: number): number {
  const days =
    (Date.UTC(to, 0) - Date.UTC(from.getFullYear(), from.getMonth(), from.getDate())) / dayMs
  return Math.max(0, days)
}

function timeIn(words: string, now: number): number | null {
  const said = saidIn(words)
  if (said === null) return null
  const { hours, minutes } = clockIn(said)
  const today = new Date(now)
  const from = said.year === null ? 0 : daysTo(today, said.year)
  for (let offset = from; offset <= from + mostDays; offset += 1) {
    const of = [today.getFullYear(), today.getMonth(), today.getDate() + offset] as const
    if (!said.days.every((fits) => fits({ offset, date: new Date(...of) }))) continue
    const first = new Date(...of, hours, minutes).getTime()
    const at = [first, againAt(first)].find((one) => one > now)
    if (at !== undefined) return at
  }
  return null
}

function clockIn({ clock, part }: Said): { readonly hours: number; readonly minutes: number } {
  if (clock === null) return oclock(parts[part ?? 'morning'])
  if (part === null || part === 'morning' || clock.hours >= 12) return clock
  // "2 at night".
  return part === 'night' && clock.hours < 5 ? clock : { ...clock, hours: clock.hours + 12 }
}

/** The second occurrence of a time that is repeated as clocks go back; else the same. */
function againAt(first: number): number {
  const offset = (at: number): number => new Date(at).getTimezoneOffset()
  const later = offset(first + 3 * hourMs)
  const again = first + (later - offset(first)) * minuteMs
  return again > first && offset(again) === later ? again : first
}
