import { clockWords, durationWords } from '../time.ts'
import { minuteMs } from '../wall-clock.ts'
import type { Until } from './silence.ts'

/** When the working day begins, in this computer's zone. */
const morningHour = 9
/** Before this hour, the next morning is that of the same day. */
const nightUntilHour = 5
const monday = 1

export interface UntilChoice {
  readonly label: string
  readonly until: Until
}

/** Relative to the time of the choice, since a menu may stay open for hours. */
export type Span =
  | { readonly kind: 'for'; readonly minutes: number }
  /** The next morning in this computer's zone; at night, that of the same day. */
  | { readonly kind: 'tomorrow' }

/** "For 1 h", "Until tomorrow 09:00", at night "Until 09:00". */
export function spanWords(span: Span, now: number): string {
  if (span.kind === 'for') return `For ${durationWords(span.minutes * minuteMs)}`
  const at = nextMorning(now)
  return `Until ${isNight(now) ? '' : 'tomorrow '}${clockWords(at, at)}`
}

/** Epoch ms. */
export function spanEnd(span: Span, now: number): number {
  return span.kind === 'for' ? now + span.minutes * minuteMs : nextMorning(now)
}

export const disturbHour = { kind: 'for', minutes: 60 } as const
/** The choices for do not disturb. */
export const disturbSpans: readonly Span[] = [
  { kind: 'for', minutes: 30 },
  disturbHour,
  { kind: 'tomorrow' },
]

const timeSpans: readonly Span[] = [
  { kind: 'for', minutes: 15 },
  { kind: 'for', minutes: 60 },
  { kind: 'for', minutes: 240 },
  { kind: 'tomorrow' },
]

/** The choices for a silence: durations first, then mornings, in this computer's zone. */
export function timeChoices(now: number): readonly UntilChoice[] {
  const tomorrow = nextMorning(now)
  const week = nextMonday(now)
  return [
    ...timeSpans.map((span) => ({
      label: spanWords(span, now),
      until: { kind: 'time', at: spanEnd(span, now) } as const,
    })),
    // On Sundays both are the same morning.
    ...(week === tomorrow
      ? []
      : [
          {
            label: `Until Monday ${clockWords(week, week)}`,
            until: { kind: 'time', at: week },
          } as const,
        ]),
  ]
}

/** The choices for doing something later, in this computer's zone. */
export function laterChoices(
  now: number,
): readonly { readonly label: string; readonly at: number }[] {
  const tomorrow = nextMorning(now)
  const week = nextMonday(now)
  return [
    { label: 'In 30 min', at: now + 30 * minuteMs },
    { label: 'In 1 h', at: now + 60 * minuteMs },
    { label: 'In 4 h', at: now + 240 * minuteMs },
    { label: isNight(now) ? 'This morning' : 'Tomorrow morning', at: tomorrow },
    ...(week === tomorrow ? [] : [{ label: 'Monday morning', at: week }]),
  ]
}

function isNight(now: number): boolean {
  return new Date(now).getHours() < nightUntilHour
}

function nextMorning(now: number): number {
  return morning(now, isNight(now) ? 0 : 1)
}

/** By calendar days, which may have 23 or 25 hours. */
export function morning(now: number, daysOn: number): number {
  const date = new Date(now)
  return new Date(
    date.getFullYear(),
    date.getMonth(),
    date.getDate() + daysOn,
    morningHour,
  ).getTime()
}

/** On a Monday, that of next week. */
function nextMonday(now: number): number {
  const today = new Date(now).getDay()
  return morning(now, (monday - today + 7) % 7 || 7)
}

/** Parses a date field, "2026-03-17T14:25"; null if the time isn't in the future. */
export function pickedTime(text: string, now: number): number | null {
  const at = text === '' ? Number.NaN : new Date(text).getTime()
  return Number.isFinite(at) && at > now ? at : null
}

/** A time as the value of a date field, in this computer's zone. */
export function fieldTime(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 16)
}
