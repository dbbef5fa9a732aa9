import type { Clock } from '../../src/main/ports.ts'

export interface Clockwork extends Clock {
  moveOn(): void
}

/** At three pop-ups in 10 s the app holds back the next. */
const stepMs = 4_000

/** A clock that stands still until it is moved on. */
export function clockwork(): Clockwork {
  let now = Date.UTC(2026, 5, 1)
  return {
    now: () => now,
    monotonic: () => now,
    random: () => 0.5,
    moveOn: () => {
      now += stepMs
    },
  }
}

/** This computer's own. */
export const wallClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  random: Math.random,
}
