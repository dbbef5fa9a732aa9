import { exactTime, relativeWords } from '#shared/core/time.ts'
import { now } from '../window-state.ts'

/**
 * "12 min ago", ticking, with the exact time in the title. `at`: epoch ms; `offsetMs`: the server's
 * clock minus ours, where `at` is by the server's clock.
 */
export function TimeAgo({ at, offsetMs = 0 }: { at: number; offsetMs?: number }) {
  const current = now.value + offsetMs
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {/* `now` ticks once a second: what just happened must not seem to lie ahead. */}
      {relativeWords(Math.min(at, current), current)}
    </time>
  )
}
