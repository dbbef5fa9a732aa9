import { quietUntil } from '#shared/core/attention/quiet-hours.ts'
import { disturbUntil } from '#shared/core/attention/silence.ts'
import { clockUntilWords } from '#shared/core/clock-until-words.ts'
import type { AppState } from '#shared/core/state.ts'

/** The quiet that reigns, for the foot of the window; null: none does. */
export function hushWords(state: AppState, now: number): string | null {
  const disturb = disturbUntil(state.silences, now)
  if (disturb !== null) return `Do not disturb ${clockUntilWords(disturb, now)}`
  const hours = quietUntil(state.settings.attention.quietHours, now)
  return hours === null ? null : `Quiet hours ${clockUntilWords(hours, now)}`
}

/** When "do not disturb" may end, epoch ms. */
export function disturbChoices(now: number): readonly (readonly [label: string, at: number])[] {
  const minute = 60_000
  const morning = new Date(now)
  // By the calendar and not by 24 hours: a night with a change of clocks is longer or shorter.
  morning.setDate(morning.getDate() + 1)
  morning.setHours(9, 0, 0, 0)
  return [
    ['30 min', now + 30 * minute],
    ['1 h', now + 60 * minute],
    ['Until tomorrow 09:00', morning.getTime()],
  ]
}
