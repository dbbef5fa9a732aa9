import { readDuration } from './time.ts'
import { hourMs, minuteMs } from './wall-clock.ts'

/** When a day begins for which no time was typed, in this computer's zone. */
const morningHour = 9

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * A moment as people type it, in this computer's zone: "in 2 h", "14:30", "tomorrow 14", "tue 9:30",
 * or a date field's "2026-03-17T14:25". Epoch ms; null if it is none of these or not in the future.
 */
export function readMoment(text: string, now: number): number | null {
  const typed = text
    .trim()
    .toLowerCase()
    .replace(/^(?:until|at|on|by)\s+/, '')
  const words = spoken.reduce((said, [word, number]) => said.replace(word, number), typed)
  const at = dateIn(words) ?? monthIn(words, now) ?? durationIn(words, now) ?? dayIn(words, now)
  return at !== null && Number.isFinite(at) && at > now ? at : null
}

const months =
  'january february march april may june july august september october november december'.split(' ')

/** "1 dec", "Dec 1 9:00": of the next such day. */
function monthIn(words: string, now: number): number | null {
  const [, day, name, month = name, date = day, time = ''] =
    /^(?:(\d{1,2})(?:st|nd|rd|th|\.)? (\p{L}{3,9})|(\p{L}{3,9}) (\d{1,2})(?:st|nd|rd|th)?)(?:,? (?:at )?(\d.*))?$/u.exec(
      words,
    ) ?? []
  const at = months.findIndex((one) => month !== undefined && one.startsWith(month))
  const clock = time === '' ? { hours: morningHour, minutes: 0 } : clockIn(time, true)
  if (at === -1 || clock === null) return null
  const { hours, minutes } = clock
  const year = new Date(now).getFullYear()
  const on = [year, year + 1].map((of) => new Date(of, at, Number(date), hours, minutes))
  return on.find((one) => one.getTime() > now && one.getDate() === Number(date))?.getTime() ?? null
}

function dateIn(words: string): number | null {
  return /^\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d)?$/.test(words)
    ? new Date(
        words.length > 10 ? words.replace(' ', 't').toUpperCase() : `${words}T09:00`,
      ).getTime()
    : null
}

/** Words for a length of time or a time of day that are no number. */
const spoken: readonly (readonly [RegExp, string])[] = [
  [/\bhalf an hour\b/, '30 min'],
  [/^(in |for )?an? (?=\p{L})/u, '$11 '],
  [/\bnoon\b/, '12:00'],
  [/\bmorning\b/, '9:00'],
  [/\b(?:this evening|tonight)\b/, 'today 18:00'],
  [/\bevening\b/, '18:00'],
  [/^next week\b/, 'monday'],
  [/^(?:next|this) /, ''],
]

/** Longer ones are something else, pasted. */
const longestWords = 200

function durationIn(words: string, now: number): number | null {
  if (words.length > longestWords) return null
  const [, length = ''] = /^(?:in |for )?(\d.*\p{L}.*)$/u.exec(words) ?? []
  // "9 am" is a time of day.
  const seconds =
    length === '' || /^\d+(?::\d\d)? ?[ap]m$/.test(length) ? null : readDuration(length)
  return seconds === null ? null : now + seconds * 1_000
}

/** A day, a time of day, or both in any order. */
function dayIn(words: string, now: number): number | null {
  const [, first = '', last = ''] = /^(\d\S*(?: [ap]m)?),? (?:on )?(\p{L}{3,})$/u.exec(words) ?? []
  const ordered = first === '' ? words : `${last} ${first}`
  const [, name = '', time = ''] = /^(\p{L}{3,})?[ ,]*(?:at )?(\d.*)?$/u.exec(ordered) ?? []
  const clock = time === '' ? { hours: morningHour, minutes: 0 } : clockIn(time, name !== '')
  if (clock === null || name + time === '') return null
  const date = new Date(now)
  const on = (days: number): number =>
    new Date(
      date.getFullYear(),
      date.getMonth(),
      date.getDate() + days,
      clock.hours,
      clock.minutes,
    ).getTime()
  if (name === '') return [on(0), againAt(on(0))].find((at) => at > now) ?? on(1)
  if ('today'.startsWith(name)) return on(0)
  if ('tomorrow'.startsWith(name)) return on(1)
  const day = weekdays.findIndex((weekday) => weekday.startsWith(name))
  if (day === -1) return null
  const days = (day - date.getDay() + 7) % 7
  return on(days) > now ? on(days) : on(days + 7)
}

/** The second occurrence of a time that is repeated as clocks go back; else the same. */
function againAt(first: number): number {
  const offset = (at: number): number => new Date(at).getTimezoneOffset()
  const later = offset(first + 3 * hourMs)
  const again = first + (later - offset(first)) * minuteMs
  return again > first && offset(again) === later ? again : first
}

/** "14:30", "9.30", "2 pm"; "14" only after a day. */
function clockIn(text: string, isAfterDay: boolean) {
  const [, hour = '', minute, half] = /^(\d{1,2})(?:[:.](\d\d))? ?([ap]m)?$/.exec(text) ?? []
  if (hour === '' || (minute === undefined && half === undefined && !isAfterDay)) return null
  const given = Number(hour)
  if (half !== undefined && (given < 1 || given > 12)) return null
  const hours = half === undefined ? given : (given % 12) + (half === 'pm' ? 12 : 0)
  const minutes = Number(minute ?? 0)
  return hours > 23 || minutes > 59 ? null : { hours, minutes }
}
