import { exactTime } from '#shared/core/exact-time.ts'
import { relativeWords } from '#shared/core/time-words.ts'
import { now } from '../state.ts'

interface Props {
  /** Epoch ms. */
  readonly at: number
  /** Server clock minus ours, where `at` is by the server's clock. */
  readonly offsetMs?: number
}

/** "12 min ago", ticking, with the exact time in the title. */
export function TimeAgo({ at, offsetMs = 0 }: Props) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {relativeWords(at, now.value + offsetMs)}
    </time>
  )
}
