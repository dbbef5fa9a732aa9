import type { Clock } from '../ports.ts'

const tickMs = 5_000
/** Clocks are corrected by fractions of a second all day; only more than this is a jump. */
const clockGrainMs = 2_000
/** A tick that comes this late was not kept waiting by work: the computer or the process stood still. */
const lateMs = 15_000

/** A time in which nothing here ran: sleep, a stopped process, a paused virtual machine. */
export interface Gap {
  /** Epoch ms of the last moment before it that is known of. */
  readonly from: number
  /** Epoch ms of the first one after it. */
  readonly to: number
}

export interface ClockWatch {
  /** Compares the clocks now, so that nothing is decided after a gap before the gap is known. */
  look(): void
  stop(): void
}

/**
 * Notices what no event tells: that the wall clock was set, and that time was missed (the system's
 * own word for "awake again" does not come for a stopped process, and on some desktops never).
 */
export function watchClock(parts: {
  clock: Clock
  /** The wall clock was set by so many ms; negative: back. */
  onSet: (ms: number) => void
  onGap: (gap: Gap) => void
}): ClockWatch {
  const { clock } = parts
  let wall = clock.now()
  let monotonic = clock.monotonic()
  let timer = setTimeout(tick, tickMs)

  function tick(): void {
    timer = setTimeout(tick, tickMs)
    look()
  }

  function look(): void {
    const before = { wall, monotonic }
    wall = clock.now()
    monotonic = clock.monotonic()
    const passed = monotonic - before.monotonic
    const set = wall - before.wall - passed
    if (Math.abs(set) > clockGrainMs) parts.onSet(set)
    // From the monotonic side, so that a clock that was set is no sleep.
    if (passed > tickMs + lateMs) parts.onGap({ from: wall - passed, to: wall })
  }

  return { look, stop: () => clearTimeout(timer) }
}
