import { uptime as systemUptime } from 'node:os'
import type { Clock } from '../../ports.ts'

/** The uptime comes in seconds on some systems, hence nothing finer counts as sleep. */
const sleepGrainMs = 2_000

interface Sources {
  readonly now: () => number
  /** Ms, never set back; stands still while the computer sleeps on Linux. */
  readonly running: () => number
  /** Seconds since the computer was started, sleep included, whatever the wall clock is set to. */
  readonly uptime: () => number
  readonly random: () => number
}

const system: Sources = {
  now: Date.now,
  running: () => performance.now(),
  uptime: systemUptime,
  random: Math.random,
}

/**
 * This computer's clock. Its monotonic side goes on through sleep, which no clock of JavaScript does
 * everywhere: what was ten minutes before the lid was closed is hours ago, and not ten minutes.
 */
export function createClock({ now, running, uptime, random }: Sources = system): Clock {
  const awake = (): number => {
    try {
      return uptime() * 1_000 - running()
    } catch {
      // A sandbox without /proc: sleep goes unnoticed here, and the system's own events must do.
      return 0
    }
  }
  const start = awake()
  let slept = 0
  return {
    now,
    monotonic: () => {
      const more = awake() - start - slept
      if (more > sleepGrainMs) slept += more
      return running() + slept
    },
    random,
  }
}
