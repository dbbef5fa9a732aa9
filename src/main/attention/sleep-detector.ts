import { type AppState, freshnessOf } from '../../shared/core/state.ts'
import type { Clock } from '../ports.ts'

/** Shorter sleep is a lid closed on the way to a meeting: its news are told as always. */
const awayMs = 5 * 60_000
const lookMs = 500
/** News come in a row after a wake: each project's poll, the chat's messages of the night. */
const quietMs = 2_000
/** An account that can't be read must not hold back what the others told. */
const longestMs = 20_000

/** Knows when the computer slept for long and not everything was read since. */
interface AwayWatch {
  /** Null: nobody was away, or all of it is known again. */
  away(): Gap | null
  wasAway(gap: Gap): void
  /** There was news: more may follow. */
  hadNews(): void
  stop(): void
}

/**
 * After a long sleep nothing pops up until every account was read anew: what was about to be told
 * may be hours old. The attention engine tells it in one when this is over (`onBack`).
 */
export function watchAway(parts: {
  clock: Clock
  get: () => AppState
  onBack: () => void
}): AwayWatch {
  const { clock, get } = parts
  let gap: Gap | null = null
  let begunAt = 0
  let lastNewsAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function look(): void {
    if (gap === null) return
    const now = clock.monotonic()
    const isKnown = now - lastNewsAt >= quietMs && isReadSince(get(), gap.to)
    if (!isKnown && now - begunAt < longestMs) {
      timer = setTimeout(look, lookMs)
      return
    }
    gap = null
    parts.onBack()
  }

  return {
    away: () => gap,
    wasAway(next) {
      if (next.to - next.from < awayMs) return
      gap = { from: gap?.from ?? next.from, to: next.to }
      begunAt = clock.monotonic()
      lastNewsAt = begunAt
      clearTimeout(timer)
      timer = setTimeout(look, lookMs)
    },
    hadNews() {
      lastNewsAt = clock.monotonic()
    },
    stop: () => clearTimeout(timer),
  }
}

function isReadSince(state: AppState, moment: number): boolean {
  return state.accounts.every(
    ({ id, key }) => key !== 'present' || (freshnessOf(state, id)?.readAt ?? 0) >= moment,
  )
}

const tickMs = 5_000
/** Clocks are corrected by fractions of a second all day; only more than this is a jump. */
const clockGrainMs = 2_000
/** A tick that comes this late was not kept waiting by work: the computer or the process stood still. */
const lateMs = 15_000

/** A time in which nothing here ran: sleep, a stopped process, a paused virtual machine. */
interface Gap {
  /** Epoch ms of the last moment before it that is known of. */
  readonly from: number
  /** Epoch ms of the first one after it. */
  readonly to: number
}

interface ClockWatch {
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
