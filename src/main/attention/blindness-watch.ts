import { blindness, type Gap, nextBlindAt } from '../../shared/core/attention/blindness.ts'
import type { Happened } from '../../shared/core/attention/engine.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../ports.ts'

/** Node fires a timer of more than 2^31 - 1 ms at once. */
const longestTimerMs = 2 ** 31 - 1
/** Older ones hardly ever matter. */
const mostGaps = 500

/** Notices when accounts could not be read for too long, and when that is over. */
export function watchBlindness(parts: {
  readonly clock: Pick<Clock, 'now'>
  /** Time alone made an account blind. */
  readonly onDue: () => void
}) {
  let known: readonly string[] = []
  let gaps: readonly Gap[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    look(state: AppState): Happened {
      const now = parts.clock.now()
      let blind = blindness(state, now, gaps)
      if (known.some(isOffline) && !blind.some(({ subject }) => isOffline(subject))) {
        // Back online, each server has its time anew.
        gaps = [{ from: 0, to: now }]
        blind = blindness(state, now, gaps)
      }
      // Under the account that it was notified for, whichever is the first now.
      const offline = known.find(isOffline)
      const subjects = blind.map(({ subject }) => (isOffline(subject) && offline) || subject)
      const over = known.filter((subject) => !subjects.includes(subject))
      const events = blind.filter((_, at) => !known.includes(subjects[at] ?? ''))
      known = subjects
      clearTimeout(timer)
      const next = nextBlindAt(state, now, gaps)
      if (next !== null) timer = setTimeout(parts.onDue, Math.min(longestTimerMs, next - now))
      return { events, over }
    },
    /** The computer slept, or the app stood still. */
    wasAway(gap: Gap): void {
      gaps = [...gaps, gap].slice(-mostGaps)
    },
    /** The clock was set by this many ms. */
    clockSet(ms: number): void {
      const now = parts.clock.now()
      if (ms > 0) gaps = [...gaps, { from: now - ms, to: now }]
      else gaps = gaps.map(({ from, to }) => ({ from: from + ms, to: to + ms }))
    },
    stop: () => clearTimeout(timer),
  }
}

function isOffline(subject: string): boolean {
  return subject.endsWith('/offline')
}
