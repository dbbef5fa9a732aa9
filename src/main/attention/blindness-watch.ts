import { blindness, nextBlindAt } from '../../shared/core/attention/blindness.ts'
import type { Happened } from '../../shared/core/attention/engine.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../ports.ts'

/** Notices when accounts could not be read for too long, and when that is over. */
export function watchBlindness(parts: {
  readonly clock: Pick<Clock, 'now'>
  /** Time alone made an account blind. */
  readonly onDue: () => void
}) {
  let known: readonly string[] = []
  let awakeSince = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    look(state: AppState): Happened {
      const now = parts.clock.now()
      let blind = blindness(state, now, awakeSince)
      const wasOffline = known.some((subject) => subject.endsWith('/offline'))
      if (wasOffline && !blind.some(({ subject }) => known.includes(subject))) {
        // Back online, each server has its time anew.
        awakeSince = now
        blind = blindness(state, now, awakeSince)
      }
      const subjects = blind.map(({ subject }) => subject)
      const over = known.filter((subject) => !subjects.includes(subject))
      const events = blind.filter(({ subject }) => !known.includes(subject))
      known = subjects
      clearTimeout(timer)
      const next = nextBlindAt(state, now, awakeSince)
      if (next !== null) timer = setTimeout(parts.onDue, next - now)
      return { events, over }
    },
    /** The computer slept, or the app stood still, until then (epoch ms). */
    wasAway(until: number): void {
      awakeSince = until
    },
    stop: () => clearTimeout(timer),
  }
}
