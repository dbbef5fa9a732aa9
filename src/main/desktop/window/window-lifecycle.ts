import * as v from 'valibot'
import type { Immutable } from '../../../shared/core/schemas.ts'
import { rateLimit } from '../../../shared/core/time.ts'

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const windowLimits = { minWidth: 360, minHeight: 420 } as const

const coordinate = v.pipe(v.number(), v.integer(), v.minValue(-100_000), v.maxValue(100_000))
/** Device-independent pixels. Without x and y the desktop chooses (Wayland always does). */
const saved = v.object({
  width: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)),
  height: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)),
  x: v.optional(coordinate),
  y: v.optional(coordinate),
  maximised: v.optional(v.boolean()),
})

export type WindowPlace = Immutable<v.InferOutput<typeof saved>>
export const usualPlace: WindowPlace = { width: 420, height: 620 }

/** The window's last position, or the default when nothing sensible was stored. */
export function readPlace(document: unknown): WindowPlace {
  const read = v.safeParse(saved, document)
  return read.success ? read.output : usualPlace
}

/** The position within limits and inside the free part of the screen: screens come and go. */
export function fitted(place: WindowPlace, workArea: Area): WindowPlace {
  const width = within(place.width, windowLimits.minWidth, Math.max(workArea.width, 1))
  const height = within(place.height, windowLimits.minHeight, Math.max(workArea.height, 1))
  if (place.x === undefined || place.y === undefined) return { width, height }
  return {
    width,
    height,
    x: within(place.x, workArea.x, workArea.x + workArea.width - width),
    y: within(place.y, workArea.y, workArea.y + workArea.height - height),
  }
}

/** The lower limit wins when there is no room for both. */
function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}

/**
 * How long a hidden window is kept. Showing it again takes a frame, while a new one takes a good
 * part of a second; but its page uses memory all that time, and most windows stay closed for hours.
 */
const keptMs = 5 * 60_000

/** Destroys the window after it was hidden for some minutes; if that is not possible yet, tries again later. */
export function keepForMinutes(parts: {
  /** False while something would be lost with it. */
  mayGo: () => boolean
  letGo: () => void
}) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    if (parts.mayGo()) parts.letGo()
    else timer = setTimeout(look, keptMs)
  }
  return {
    hidden: () => {
      clearTimeout(timer)
      timer = setTimeout(look, keptMs)
      // Must not keep the app running.
      timer.unref()
    },
    shown: () => clearTimeout(timer),
  }
}

/** A page that crashes as soon as it starts is not reloaded for ever. */
const reloads = { times: 3, spanMs: 60_000 } as const

/** What a window shows: its page, after too many crashes the safe page, and if that crashes nothing. */
type Shown = 'page' | 'safePage' | 'nothing'

export function createCrashRecovery(parts: { hasSafePage: boolean; monotonic: () => number }) {
  const mayReload = rateLimit(reloads.times, reloads.spanMs, parts.monotonic)
  let shows: Shown = 'page'
  return {
    shows: () => shows,
    /** The user wants to see the window: whatever happened before, the page gets another try. */
    begin: () => {
      shows = 'page'
    },
    /** The page is gone: returns what to show now. */
    crashed: () => {
      if (shows === 'page' && mayReload()) return shows
      shows = shows === 'page' && parts.hasSafePage ? 'safePage' : 'nothing'
      return shows
    },
  }
}

/** Interval between two heartbeats. */
const beatMs = 500
/** Unanswered heartbeats in a row, 2 s in total: the page hangs. */
const unanswered = 4
/** The same for a page that draws thousands of new checks on a slow computer: 10 s. */
const unansweredAtWork = 20
/** Runnable processes per core above which a page that waits for its turn gets more time. */
const usualLoad = 1.5
/** At most this many times as much. */
const mostPatience = 4
/** If main's own timer is this late, the computer is busy or was asleep, and the page does not hang. */
const lateMs = 400

/**
 * Detects a page that hangs within about two seconds. The browser's own "unresponsive" takes half a
 * minute, and only when the user tries to do something. A page that has just started is asked but
 * not judged until its first answer: showing thousands of checks for the first time takes a while.
 */
export function createWatchdog(parts: {
  ask: () => void
  onHung: () => void
  /** Ms, never set back. */
  monotonic: () => number
  /** Runnable processes per core; 0 where the system doesn't say. */
  load: () => number
}) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStarted = false
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

  const rest = (): void => {
    clearTimeout(timer)
    timer = undefined
  }

  const begin = (): void => {
    missed = 0
    dueAt = parts.monotonic()
    if (isStarted) beat()
  }

  const answered = (): void => {
    missed = 0
    isAtWork = false
    isJudged = true
  }

  return {
    /** Watches the page from its first answer until `stop`. */
    start: () => {
      rest()
      isStarted = true
      isJudged = false
      begin()
    },
    answered,
    /** The page was just given a lot to draw: being busy is legitimate for a while. */
    busy: () => {
      isAtWork = true
    },
    /** Nobody waits for a hidden page, and browsers slow it down: no heartbeat until it is shown. */
    hidden: () => {
      rest()
      answered()
    },
    shown: () => {
      if (timer === undefined) begin()
    },
    stop: () => {
      rest()
      isStarted = false
    },
  }
}
