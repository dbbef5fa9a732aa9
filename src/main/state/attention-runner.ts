import { type AccountId, type Freshness, freshnessOf } from '../../shared/core/account.ts'
import { checksRead } from '../../shared/core/attention/as-now.ts'
import {
  blindness,
  type Gap,
  nextBlindAt,
  type Watched,
} from '../../shared/core/attention/blindness.ts'
import type { AttentionContext } from '../../shared/core/attention/decision.ts'
import { dependenciesNow } from '../../shared/core/attention/dependencies/dependency.ts'
import { type Happened, type Step, step } from '../../shared/core/attention/engine.ts'
import { nextPlannedAt } from '../../shared/core/attention/maintenance/planned.ts'
import { type AttentionMemory, memoryOf } from '../../shared/core/attention/memory.ts'
import { withWaitsFollowing } from '../../shared/core/attention/notices-follow.ts'
import { nextReminderAt } from '../../shared/core/attention/remind-me/message-reminder.ts'
import { endsOn } from '../../shared/core/attention/still-down.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../base/ports.ts'

/** What the engine needs to know besides the state. */
export interface Around {
  /** The desktop's own do-not-disturb is on. */
  readonly systemQuiet: boolean
  /** The computer slept for long in this time, and not everything has been read since. */
  readonly away: { readonly from: number; readonly to: number } | null
}

/** A step with everything it depended on. */
export interface Taken extends Step {
  readonly now: number
  readonly happened: Happened
  readonly context: AttentionContext
  /** The memory before the step. */
  readonly before: AttentionMemory
}

/** Node fires a timer of more than 2^31 - 1 ms at once. */
const longestTimerMs = 2 ** 31 - 1

/** Runs the attention engine: keeps its memory, and wakes it when the passing of time alone changes something. */
export function createAttention(parts: {
  readonly memory: AttentionMemory
  readonly around: () => Around
  readonly clock: Clock
  /** A step without events is due, through the passing of time alone. */
  readonly onDue: () => void
}) {
  const { clock } = parts
  let { memory } = parts
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt: number | null = null
  let lastAt = Number.NEGATIVE_INFINITY
  let last: AttentionContext | null = null
  let known: AppState | null = null
  let setBackMs = 0

  function wakeAt(at: number | null): void {
    clearTimeout(timer)
    dueAt = at
    if (at === null) return
    timer = setTimeout(parts.onDue, Math.min(longestTimerMs, Math.max(1, at - clock.now())))
  }

  return {
    /** Takes a step if there is a reason to, else null; the caller shows and stores the result. */
    take(state: AppState, news: Happened, now: number): Taken | null {
      if (known?.accounts !== state.accounts) {
        const ids = new Set(state.accounts.map(({ id }) => id))
        memory = memoryOf(memory, (id) => ids.has(id))
      }
      const read = checksRead(known, state, memory, news.events, now)
      known = state
      const context = contextOf(state, parts.around(), last, { memory, now })
      const isDue = (dueAt !== null && dueAt <= now) || now < lastAt
      const happened = {
        ...news,
        ...(setBackMs !== 0 && { setBackMs }),
        ...(read.length > 0 && { read }),
      }
      const isNews =
        news.events.length > 0 ||
        news.over.length > 0 ||
        setBackMs !== 0 ||
        read.length > 0 ||
        news.seen !== undefined
      if (!isNews && !isDue && context === last) {
        // The timer fired early: the clock was set, or the wait was longer than a timer allows.
        wakeAt(dueAt)
        return null
      }
      last = context
      lastAt = now
      const before = memory
      const taken = step(memory, happened, context, now)
      memory = taken.memory
      setBackMs = 0
      wakeAt(taken.wakeAt)
      return { ...taken, now, happened, context, before }
    },
    /** The clock was set by this many ms. Forward looks just like sleep, and needs nothing. */
    clockSet(ms: number): void {
      setBackMs += Math.max(0, -ms)
    },
    /** Continues with another state and memory, as if it had had them all along. */
    rebase(kept: { readonly state: AppState; readonly memory: AttentionMemory }): void {
      known = kept.state
      memory = kept.memory
    },
    /** Messages that wait were edited or deleted. */
    follow(before: AppState, after: AppState): void {
      memory = withWaitsFollowing(memory, before, after)
    },
    /** Epoch ms of what is due next of a project's checks by time alone; `Infinity`: nothing is. */
    nextOf(accountId: AccountId): number {
      const waits = [...memory.waits.values()].flatMap(({ event, why, until }) =>
        event.of !== 'check' || event.accountId !== accountId || why === 'said'
          ? []
          : (until ?? []),
      )
      const ends = endsOn(accountId, known?.silences ?? [])
      return [...waits, ...ends].reduce((one, at) => Math.min(one, at), Number.POSITIVE_INFINITY)
    },
    memory: () => memory,
    stop: () => wakeAt(null),
  }
}

/** Everything in the state that a decision may depend on. The same object while none of it changes. */
function contextOf(
  state: AppState,
  { systemQuiet, away }: Around,
  before: AttentionContext | null,
  { memory, now }: { readonly memory: AttentionMemory; readonly now: number },
): AttentionContext {
  const { boards } = state
  const down = Object.fromEntries([...boards].map(([id, { counts }]) => [id, counts.down]))
  const unread = [...boards.keys()].filter((id) => isToBeRead(freshnessOf(state, id)))
  const context: AttentionContext = {
    settings: state.settings.attention,
    sounds: state.settings.sounds,
    silences: state.silences,
    systemQuiet,
    away,
    unread,
    down,
    ...(state.dependencies.length > 0 && {
      dependencies: dependenciesNow(state, now, hasAwaited(memory)),
    }),
  }
  return before !== null && isSame(before, context) ? before : context
}

/** Nobody knows which checks are down: none was read yet, or they were only counted since. */
function isToBeRead(freshness: Freshness | null): boolean {
  if (freshness === null || freshness.readAt === null) return true
  return freshness.seenAt !== undefined && freshness.failure === null
}

function hasAwaited({ waits }: AttentionMemory): boolean {
  return [...waits.values()].some(({ why }) => why === 'dependency')
}

function isSame(one: AttentionContext, other: AttentionContext): boolean {
  return (
    one.settings === other.settings &&
    one.sounds === other.sounds &&
    one.silences === other.silences &&
    one.systemQuiet === other.systemQuiet &&
    one.away === other.away &&
    one.unread.join() === other.unread.join() &&
    JSON.stringify(one.dependencies) === JSON.stringify(other.dependencies) &&
    JSON.stringify(one.down) === JSON.stringify(other.down)
  )
}

/** Wakes the app when a planned maintenance begins or a reminder is due. */
export function watchPlanned(parts: { readonly clock: Clock; readonly onDue: () => void }) {
  const { clock } = parts
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    look(state: AppState): void {
      clearTimeout(timer)
      const now = clock.now()
      const { planned } = state
      const begins = planned.length === 0 ? null : nextPlannedAt(planned, now)
      const due = nextReminderAt(state)
      if (begins === null && due === null) return
      const at = Math.min(begins ?? Number.POSITIVE_INFINITY, due ?? Number.POSITIVE_INFINITY)
      timer = setTimeout(parts.onDue, Math.min(longestTimerMs, Math.max(1, at - now)))
    },
    stop: () => clearTimeout(timer),
  }
}

/** Gaps kept; older ones hardly ever matter. */
const mostGaps = 500

/** Detects when accounts could not be read for too long, and when that is over. */
export function watchBlindness(parts: {
  readonly clock: Pick<Clock, 'now'>
  /** An account became blind through the passing of time alone. */
  readonly onDue: () => void
}) {
  let known: readonly string[] = []
  let watched: Watched = { gaps: [], startedAt: parts.clock.now(), onlineAt: 0 }
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    look(state: AppState): Happened {
      const now = parts.clock.now()
      let blind = blindness(state, now, watched)
      if (known.some(isOffline) && !blind.some(({ subject }) => isOffline(subject))) {
        watched = { ...watched, onlineAt: now }
        blind = blindness(state, now, watched)
      }
      // Keeps the subject that it was notified under, whichever account is the first now.
      const offline = known.find(isOffline)
      const subjects = blind.map(({ subject }) => (isOffline(subject) && offline) || subject)
      const over = known.filter((subject) => !subjects.includes(subject))
      const events = blind.filter((_, at) => !known.includes(subjects[at] ?? ''))
      known = subjects
      clearTimeout(timer)
      const next = nextBlindAt(state, now, watched)
      if (next !== null) timer = setTimeout(parts.onDue, Math.min(longestTimerMs, next - now))
      return { events, over }
    },
    /** The computer slept, or the app stood still. */
    wasAway(gap: Gap): void {
      watched = { ...watched, gaps: [...watched.gaps, gap].slice(-mostGaps) }
    },
    /** The clock was set by this many ms. */
    clockSet(ms: number): void {
      const now = parts.clock.now()
      if (ms > 0) this.wasAway({ from: now - ms, to: now })
      else
        watched = {
          gaps: watched.gaps.map(({ from, to }) => ({ from: from + ms, to: to + ms })),
          startedAt: watched.startedAt + ms,
          onlineAt: watched.onlineAt + ms,
        }
    },
    stop: () => clearTimeout(timer),
  }
}

function isOffline(subject: string): boolean {
  return subject.endsWith('/offline')
}
