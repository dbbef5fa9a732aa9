import type { AppState } from '../../shared/core/state.ts'
import { nextStaleAt, trayView } from '../../shared/core/views/tray-view.ts'
import type { Beat } from '../base/beat.ts'
import type { Clock, Desktop } from '../base/ports.ts'

/** The tray's texts age ("read 12 s ago"), so they are refreshed now and then even when nothing happens. */
const tickMs = 10_000
/** While the screen is locked, at every third of these. Status files must be renewed within 30 s. */
const lockedTicks = 3

/**
 * Updates the tray once for all changes of an event-loop turn, after windows and notifications:
 * computing its texts from the whole state takes as long as everything else done for a message.
 */
export function createTrayShow(parts: {
  readonly get: () => AppState
  readonly show: Desktop['showTray']
  readonly screenLocked: () => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly beat: Beat
  readonly onBug: (error: unknown) => void
}) {
  let due: NodeJS.Immediate | null = setImmediate(show)
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  let ticks = 0
  const stopTicks = parts.beat.each(tickMs, () => {
    ticks += 1
    if (!parts.screenLocked() || ticks % lockedTicks === 0) show()
  })

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
    // Later than the next tick may be too late: the clock may be set by then.
    if (stale !== null && stale - now < tickMs) timer = setTimeout(show, stale - now)
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
      stopTicks()
      clearTimeout(timer)
      if (due !== null) show()
    },
  }
}
