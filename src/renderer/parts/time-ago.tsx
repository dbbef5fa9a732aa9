import { exactTime, relativeWords } from '#shared/core/time.ts'
import { now } from '../window-state.ts'

interface Props {
  /** Epoch ms. */
  readonly at: number
  /** Server clock minus ours, where `at` is by the server's clock. */
  readonly offsetMs?: number
}

/** "12 min ago" of what has been, ticking, with the exact time in the title. */
export function TimeAgo({ at, offsetMs = 0 }: Props) {
  const current = now.value + offsetMs
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {/* The ticks are a second apart: what just happened is not to come. */}
      {relativeWords(Math.min(at, current), current)}
    </time>
  )
}
