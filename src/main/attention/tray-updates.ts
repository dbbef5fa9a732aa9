import type { AppState } from '../../shared/core/state.ts'
import { nextStaleAt, trayView } from '../../shared/core/views/tray-view.ts'
import type { Clock, Desktop } from '../ports.ts'

/** The tray's words age ("read 12 s ago"), so they are made anew now and then even when nothing happens. */
const tickMs = 10_000

/** Keeps the tray in step with the state. */
export interface TrayShow {
  /** The state changed: the tray follows at the end of this turn. */
  changed(): void
  /** What is due is shown now, and so is each change from now on; nothing is planned any more. */
  stop(): void
}

/**
 * Shows the tray once for all that changes in a turn, after windows and notifications were served: its
 * words are made of the whole state, which takes as long as all that is made of a message.
 */
export function createTrayShow(parts: {
  readonly get: () => AppState
  readonly show: Desktop['showTray']
  readonly clock: Pick<Clock, 'now'>
  readonly onBug: (error: unknown) => void
}): TrayShow {
  let due: NodeJS.Immediate | null = setImmediate(show)
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  function show(): void {
    if (due !== null) clearImmediate(due)
    due = null
    clearTimeout(timer)
    const state = parts.get()
    const now = parts.clock.now()
    try {
      parts.show(trayView(state, now))
    } catch (error) {
      parts.onBug(error)
    }
    if (stopped) return
    const stale = nextStaleAt(state, now)
    timer = setTimeout(show, Math.min(tickMs, stale === null ? tickMs : stale - now))
  }

  return {
    changed() {
      if (stopped) show()
      else due ??= setImmediate(show)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      if (due !== null) show()
    },
  }
}
