import { zonedClockWords } from './zoned-clock.ts'

/**
 * A moment by this computer's clock, as one would say it today.
 *
 * TODO until its author has put back the first version: that one was overwritten by accident, and
 * this keeps its signature, not its wording.
 */
export function clockWords(at: number, now: number): string {
  return zonedClockWords(at, now)
}
