import { clockWords, durationWords } from '../time.ts'
import { minuteMs } from '../wall-clock.ts'
import { capitalised } from '../wording.ts'

/** When the working day begins, in this computer's zone. */
const morningHour = 9
/** Before this hour, the next morning is that of the same day. */
const nightUntilHour = 5
const monday = 1

/** Relative to the time of the choice, since a menu may stay open for hours. */
export type Span =
  | { readonly kind: 'for'; readonly minutes: number }
  /** The next morning in this computer's zone; at night, that of the same day. */
  | { readonly kind: 'tomorrow' }
  /** The next Monday's morning in this computer's zone. */
  | { readonly kind: 'monday' }

export function isSpan<Other extends { readonly kind: string }>(of: Span | Other): of is Span {
  return spans.some(({ kind }) => kind === of.kind)
}

/** Wherever a time is chosen, in this order. */
const spans: readonly Span[] = [
  { kind: 'for', minutes: 30 },
  { kind: 'for', minutes: 60 },
  { kind: 'for', minutes: 240 },
  { kind: 'tomorrow' },
  { kind: 'monday' },
]

/** How many digits the spans have; other choices have those after them. */
export const spanDigits = spans.length

/** The spans to choose from now, each with its digit. On Sundays both mornings are the same. */
export function offeredSpans(
  now: number,
): readonly { readonly digit: number; readonly span: Span }[] {
  return spans
    .map((span, at) => ({ digit: at + 1, span }))
    .filter(({ span }) => span.kind !== 'monday' || nextMonday(now) !== nextMorning(now))
}

/** Whether something lasts that long or is to happen then. */
export type SpanUse = 'until' | 'at'

/** "For 1 h", "Until tomorrow 09:00", at night "Until 09:00"; "In 1 h", "Tomorrow morning". */
export function spanWords(span: Span, now: number, use: SpanUse = 'until'): string {
  if (span.kind === 'for')
    return `${use === 'at' ? 'In' : 'For'} ${durationWords(span.minutes * minuteMs)}`
  const at = spanEnd(span, now)
  const day = span.kind === 'monday' ? 'Monday' : isNight(now) ? '' : 'tomorrow'
  if (use === 'at') return `${capitalised(day || 'this')} morning`
  return `Until ${day === '' ? '' : `${day} `}${clockWords(at, at)}`
}

/** Epoch ms. */
export function spanEnd(span: Span, now: number): number {
  if (span.kind === 'for') return now + span.minutes * minuteMs
  return span.kind === 'monday' ? nextMonday(now) : nextMorning(now)
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

/** A time as the value of a date field, in this computer's zone. */
export function fieldTime(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 16)
}
