import { freshnessOf } from '../../shared/core/account.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Beat } from '../base/beat.ts'
import type { Clock } from '../base/ports.ts'

/** After shorter sleep (a lid closed on the way to a meeting), notifications are shown as usual. */
const awayMs = 5 * 60_000
const lookMs = 500
/** How long no event must arrive: after a wake they trickle in from each poll and from the chat. */
const quietMs = 2_000
/** An account that can't be read holds back what the others have for no longer than this. */
const longestMs = 20_000

/**
 * After a long sleep nothing pops up until every account has been read again: what was about to be
 * shown may be hours old. When this is over (`onBack`), the attention engine shows it in one
 * digest.
 */
export function detectSleep(parts: {
  clock: Clock
  get: () => AppState
  /** Reports, by `wasAway`, a gap that nothing else has seen yet. */
  lookForGap: () => void
  onBack: () => void
}) {
  const { clock, get } = parts
  let gap: Gap | null = null
  let begunAt = 0
  let lastNewsAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function look(): void {
    parts.lookForGap()
    if (gap === null) return
    const now = clock.monotonic()
    const isKnown = now - lastNewsAt >= quietMs && isReadSince(get(), gap.to)
    if (!isKnown && now - begunAt < longestMs) {
      clearTimeout(timer)
      timer = setTimeout(look, lookMs)
      return
    }
    gap = null
    parts.onBack()
  }

  return {
    /** Null: nobody was away, or everything has been read again. */
    away: () => gap,
    wasAway(next: Gap) {
      // A short one while it is held back, too: what was asked for has not been answered.
      if (gap === null && next.to - next.from < awayMs) return
      gap = { from: gap?.from ?? next.from, to: next.to }
      begunAt = clock.monotonic()
      lastNewsAt = begunAt
      clearTimeout(timer)
      timer = setTimeout(look, lookMs)
    },
    /** Events arrived: more may follow. */
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
export const clockGrainMs = 2_000
/** No work delays a tick by this much: the computer or the process must have stood still. */
const lateMs = 15_000

/** A time in which this process did not run: sleep, a stopped process, a paused virtual machine. */
interface Gap {
  /** Epoch ms of the last known moment before it. */
  readonly from: number
  /** Epoch ms of the first one after it. */
  readonly to: number
}

/**
 * Detects what no event reports: that the wall clock was set, and that time was missed (the
 * system's own “awake again” does not come for a stopped process, and on some desktops never).
 */
export function watchClock(parts: {
  clock: Clock
  beat: Beat
  /** The wall clock was set by this many ms; negative: back. */
  onSet: (ms: number) => void
  onGap: (gap: Gap) => void
}) {
  const { clock } = parts
  let wall = clock.now()
  let monotonic = clock.monotonic()

  /** Compares the clocks now, so that a gap is known before anything is decided after it. */
  function look(): void {
    const before = { wall, monotonic }
    wall = clock.now()
    monotonic = clock.monotonic()
    const passed = monotonic - before.monotonic
    const set = wall - before.wall - passed
    if (Math.abs(set) > clockGrainMs) parts.onSet(set)
    // Measured on the monotonic clock, so that setting the clock is not taken for sleep.
    if (passed > tickMs + lateMs) parts.onGap({ from: wall - passed, to: wall })
  }

  return { look, stop: parts.beat.each(tickMs, look) }
}
