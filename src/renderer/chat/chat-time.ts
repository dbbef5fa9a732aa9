import { clockWords } from '#shared/core/time.ts'
import { dateWords } from '#shared/core/wording.ts'

/** The local calendar day as a string, to compare days. */
export function dayOf(at: number): string {
  return new Date(at).toDateString()
}

/** "Today", "Yesterday", then "Friday, 13 March", with the year unless it is the current one. */
export function dayTitle(at: number, now: number): string {
  const day = dayOf(at)
  if (day === dayOf(now)) return 'Today'
  const yesterday = new Date(now)
  yesterday.setDate(yesterday.getDate() - 1)
  if (day === yesterday.toDateString()) return 'Yesterday'
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return dateWords(at, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(sameYear ? {} : { year: 'numeric' }),
  })
}

/** "14:25", in local time. */
export function timeOfDay(at: number): string {
  return clockWords(at, at)
}

/** For a narrow column: "14:25" today, "yesterday", then "14 Mar", or "Mar 2025" in other years. */
export function shortTime(at: number, now: number): string {
  if (dayOf(at) === dayOf(now)) return timeOfDay(at)
  if (dayTitle(at, now) === 'Yesterday') return 'yesterday'
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return dateWords(at, {
    month: 'short',
    ...(sameYear ? { day: 'numeric' } : { year: 'numeric' }),
  })
}
