import type { AppState } from '../../shared/core/state.ts'
import { freshnessOf } from '../../shared/core/state.ts'
import type { Clock } from '../ports.ts'
import type { Gap } from './clock-watch.ts'

/** Shorter sleep is a lid closed on the way to a meeting: its news are told as always. */
const awayMs = 5 * 60_000
const lookMs = 500
/** News come in a row after a wake: each project's poll, the chat's messages of the night. */
const quietMs = 2_000
/** An account that can't be read must not hold back what the others told. */
const longestMs = 20_000

/** Knows when the computer slept for long and not everything was read since. */
export interface AwayWatch {
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
