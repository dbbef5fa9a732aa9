import type { Clock } from '../../src/main/base/ports.ts'

export interface Clockwork extends Clock {
  moveOn(): void
}

/** The app holds back pop-ups after three in 10 s. */
const stepMs = 4_000

/** A clock that advances only with `moveOn`. */
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

/** This computer's clock. */
export const wallClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  random: Math.random,
}
