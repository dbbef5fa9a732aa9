import { zonedClockWords } from './zoned-clock.ts'

/** "until 07:00", "until Mon 09:00"; without an end "until you end it". Ours is the user's own clock. */
export function clockUntilWords(at: number, now: number): string {
  return Number.isFinite(at) ? `until ${zonedClockWords(at, now)}` : 'until you end it'
}
