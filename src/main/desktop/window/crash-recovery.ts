import { allowance } from '../system/throttle.ts'

/** A page that dies as soon as it lives is not loaded for ever. */
const reloads = { times: 3, spanMs: 60_000 } as const

/** What a window shows: its page, after too many crashes the safe page, and if that crashes nothing. */
type Shown = 'page' | 'safePage' | 'nothing'

interface Revival {
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

/** How often the page is asked. */
const beatMs = 500
/** Questions in a row without an answer, 2 s together: the page hangs. */
const unanswered = 4
/** Thousands of new checks on a slow computer: 10 s. */
const unansweredAtWork = 20
/** Programs that want each core before a page that waits for its turn gets more time. */
const usualLoad = 1.5
/** And so many times more at most. */
const mostPatience = 4
/** Main's own beat that comes so late says that the computer is busy or slept, not that the page hangs. */
const lateMs = 400

interface Heartbeat {
  /** From the page's first sign of life until `stop`. */
  start(): void
  answered(): void
  /** The page was just given much to draw: what it does now is work, for a while. */
  busy(): void
  stop(): void
}

/**
 * Finds a page that is busy for ever within some two seconds. The browser's own "unresponsive" takes
 * half a minute, and only when the user tries to do something. A page that has just begun is asked
 * but not judged until its first answer: showing thousands of checks for the first time takes a while.
 */
export function createHeartbeat(parts: {
  ask: () => void
  onHung: () => void
  /** Ms, never set back. */
  monotonic: () => number
  /** How many programs want to run, for each core; 0 where the system does not tell. */
  load: () => number
}): Heartbeat {
  let timer: ReturnType<typeof setTimeout> | undefined
  let missed = 0
  let isJudged = false
  let isAtWork = false
  let dueAt = 0

  const isHung = (): boolean => {
    const patience = Math.min(1 + Math.max(0, parts.load() - usualLoad), mostPatience)
    return isJudged && missed >= (isAtWork ? unansweredAtWork : unanswered) * patience
  }

  const beat = (): void => {
    const now = parts.monotonic()
    if (now - dueAt > lateMs) missed = 0
    dueAt = now + beatMs
    timer = setTimeout(beat, beatMs)
    if (isHung()) {
      isJudged = false
      missed = 0
      parts.onHung()
      return
    }
    missed += 1
    parts.ask()
  }

  const stop = (): void => {
    clearTimeout(timer)
    timer = undefined
  }

  return {
    start: () => {
      stop()
      missed = 0
      isJudged = false
      dueAt = parts.monotonic()
      beat()
    },
    answered: () => {
      missed = 0
      isAtWork = false
      isJudged = true
    },
    busy: () => {
      isAtWork = true
    },
    stop,
  }
}
