import { clockWords, durationWords } from '../time.ts'
import { minuteMs } from '../wall-clock.ts'
import type { Until } from './silence.ts'

/** When a day of work begins, by this computer's clock. */
const morningHour = 9
/** Whoever is still awake before this means the morning to come, and not a day of silence. */
const nightUntilHour = 5
const monday = 1

export interface UntilChoice {
  readonly label: string
  readonly until: Until
}

/** Counted from the choice: a menu may stay open for hours. */
export type Span =
  | { readonly kind: 'for'; readonly minutes: number }
  /** The next morning by this computer's clock: in the night that of the same day. */
  | { readonly kind: 'tomorrow' }

/** "For 1 h", "Until tomorrow 09:00", in the night "Until 09:00". */
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
/** For how long notifications may be held back. */
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

/** How long something may be quiet: fixed lengths first, then mornings. By this computer's own clock. */
export function timeChoices(now: number): readonly UntilChoice[] {
  const tomorrow = nextMorning(now)
  const week = nextMonday(now)
  return [
    ...timeSpans.map((span) => ({
      label: spanWords(span, now),
      until: { kind: 'time', at: spanEnd(span, now) } as const,
    })),
    // On a Sunday that is the same morning.
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

/** Moments for what is to happen later. By this computer's own clock. */
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

/** By the calendar and not by 24 hours: a day may have 23 or 25. */
export function morning(now: number, daysOn: number): number {
  const date = new Date(now)
  return new Date(
    date.getFullYear(),
    date.getMonth(),
    date.getDate() + daysOn,
    morningHour,
  ).getTime()
}

/** The next one: on a Monday that of next week. */
function nextMonday(now: number): number {
  const today = new Date(now).getDay()
  return morning(now, (monday - today + 7) % 7 || 7)
}

/** What a date field gives, "2026-03-17T14:25"; null where it is no moment to come. */
export function pickedTime(text: string, now: number): number | null {
  const at = text === '' ? Number.NaN : new Date(text).getTime()
  return Number.isFinite(at) && at > now ? at : null
}

/** A time as a date field has it, by this computer's clock. */
export function fieldTime(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 16)
}
