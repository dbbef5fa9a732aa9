import { dayMs } from './wall-clock.ts'
import { folded } from './wording.ts'

/** Epoch ms: the beginning of a day and of the one after the last, in this computer's zone. */
export interface Days {
  readonly from: number
  readonly to: number
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september'],
  ...['october', 'november', 'december'],
]

/** Longer ones are something else, pasted. */
const longestWords = 40

/**
 * A past day, or several, as people type them, in this computer's zone: "today", "yesterday", "tue",
 * "last tuesday", "7 nov", "Nov 7th, 2026", "2026-11-07", "7.11.", "3 days ago", "last week". Without a
 * year it is the latest such day that is not in the future. Null if it is none of these.
 */
export function readDays(text: string, now: number): Days | null {
  if (text.length > longestWords) return null
  const words = folded(text)
    .trim()
    .replace(/^on\s+/, '')
    .replaceAll(/[,\s]+/g, ' ')
  return weekIn(words, now) ?? relativeDay(words, now) ?? dateIn(words, now)
}

/** The day that is `days` after that of `at`. */
export function dayAt(at: number, days = 0): Days {
  return { from: dayStart(at, days), to: dayStart(at, days + 1) }
}

function dayStart(at: number, days: number): number {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime()
}

function weekIn(words: string, now: number): Days | null {
  if (words !== 'this week' && words !== 'last week') return null
  const monday = -((new Date(now).getDay() + 6) % 7) - (words === 'last week' ? 7 : 0)
  return { from: dayStart(now, monday), to: dayStart(now, monday + 7) }
}

function relativeDay(words: string, now: number): Days | null {
  if (words === 'today') return dayAt(now)
  if (words === 'yesterday') return dayAt(now, -1)
  if (words === 'the day before yesterday' || words === 'day before yesterday')
    return dayAt(now, -2)
  const [, count, unit] = /^(an?|\d{1,3}) (day|week)s? ago$/.exec(words) ?? []
  if (count !== undefined)
    return dayAt(now, -(Number.parseInt(count, 10) || 1) * (unit === 'week' ? 7 : 1))
  const [, last, name = ''] = /^(?:(last|this) )?([a-z]{3,})$/.exec(words) ?? []
  const weekday = name === '' ? -1 : weekdays.findIndex((one) => startsDay(one, name))
  if (weekday === -1) return null
  const ago = (new Date(now).getDay() - weekday + 7) % 7
  return dayAt(now, -(ago === 0 && last === 'last' ? 7 : ago))
}

/** "tue", "tues", "tuesday", "tuesdays". */
function startsDay(weekday: string, name: string): boolean {
  return weekday.startsWith(name) || name === `${weekday}s`
}

function dateIn(words: string, now: number): Days | null {
  const [, iso, isoMonth, isoDay] = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(words) ?? []
  if (iso !== undefined) return dayOf(Number(isoDay), Number(isoMonth) - 1, Number(iso), now)
  const [, dotDay, dotMonth, dotYear] = /^(\d\d?)\.(\d\d?)\.(\d{4})?$/.exec(words) ?? []
  if (dotDay !== undefined) return dayOf(Number(dotDay), Number(dotMonth) - 1, yearOf(dotYear), now)
  const named =
    /^(?<day>\d\d?)(?:st|nd|rd|th)?\.?(?: of)? (?<month>[a-z]{3,})\.?(?: (?<year>\d{4}))?$/.exec(
      words,
    ) ?? /^(?<month>[a-z]{3,})\.? (?<day>\d\d?)(?:st|nd|rd|th)?(?: (?<year>\d{4}))?$/.exec(words)
  const { day, month: name, year } = named?.groups ?? {}
  if (day === undefined || name === undefined) return null
  const month = months.findIndex((one) => one.startsWith(name === 'sept' ? 'sep' : name))
  return month === -1 ? null : dayOf(Number(day), month, yearOf(year), now)
}

function yearOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}

/** `month` from 0. Null for a date that doesn't exist or is in the future. */
function dayOf(day: number, month: number, year: number | null, now: number): Days | null {
  const thisYear = new Date(now).getFullYear()
  // 29 February is up to eight years ago.
  const years = year === null ? Array.from({ length: 9 }, (_, ago) => thisYear - ago) : [year]
  for (const one of years) {
    const date = new Date(one, month, day)
    const isReal = date.getMonth() === month && date.getDate() === day
    if (isReal && date.getTime() <= now) return dayAt(date.getTime())
  }
  return null
}

/** The days of a week up to the one of `at`, oldest first. */
export function weekUpTo(at: number): readonly Days[] {
  return Array.from({ length: 7 }, (_, n) => dayAt(at, n - 6))
}

/** How many days lie between two beginnings of days, whatever the clocks did in between. */
export function daysBetween(from: number, to: number): number {
  return Math.round((to - from) / dayMs)
}
