import { allowance } from '../system/throttle.ts'

/** A page that dies as soon as it lives is not loaded for ever. */
const reloads = { times: 3, spanMs: 60_000 } as const

/** What a window shows: its page, after too many crashes the safe page, and if that crashes nothing. */
type Shown = 'page' | 'safePage' | 'nothing'

export interface Revival {
  shows(): Shown
  /** The user wants to see the window: whatever was before, the page gets another try. */
  begin(): void
  /** The page is gone: what is to be shown now. */
  crashed(): Shown
}

export function createRevival(parts: { hasSafePage: boolean; monotonic: () => number }): Revival {
  const mayReload = allowance(reloads.times, reloads.spanMs, parts.monotonic)
  let shows: Shown = 'page'
  return {
    shows: () => shows,
    begin: () => {
      shows = 'page'
    },
    crashed: () => {
      if (shows === 'page' && mayReload()) return shows
      shows = shows === 'page' && parts.hasSafePage ? 'safePage' : 'nothing'
      return shows
    },
  }
}
