import type { AppState } from '../../shared/core/state.ts'
import { nextStaleAt, trayView } from '../../shared/core/views/tray-view.ts'
import type { Clock, Desktop } from '../base/ports.ts'

/** The tray's texts age ("read 12 s ago"), so they are refreshed now and then even when nothing happens. */
const tickMs = 10_000
/** The same while the screen is locked. Status files must be renewed within it. */
const lockedTickMs = 30_000

/**
 * Updates the tray once for all changes of an event-loop turn, after windows and notifications:
 * computing its texts from the whole state takes as long as everything else done for a message.
 */
export function createTrayShow(parts: {
  readonly get: () => AppState
  readonly show: Desktop['showTray']
  readonly screenLocked: () => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly onBug: (error: unknown) => void
}) {
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
    const ms = parts.screenLocked() ? lockedTickMs : tickMs
    timer = setTimeout(show, Math.min(ms, stale === null ? ms : stale - now))
  }

  return {
    /** The state changed: the tray is updated at the end of this turn. */
    changed() {
      if (stopped) show()
      else due ??= setImmediate(show)
    },
    /** Shows a pending update now and any later change at once, without scheduling anything. */
    stop() {
      stopped = true
      clearTimeout(timer)
      if (due !== null) show()
    },
  }
}
