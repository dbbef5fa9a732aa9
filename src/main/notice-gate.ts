import type { Notice } from '../shared/core/notice.ts'
import type { Clock } from './ports.ts'

/** A check that goes down and comes back is two pop-ups; more of them in this time is flapping. */
const flappingMs = 5 * 60_000
const popUpsOfOneSubject = 2
/** More pop-ups than this at once are a storm, whichever accounts they are of. */
const stormMs = 10_000
const popUpsInStorm = 5

/** Stands between the decision to tell and the pop-up: everything is in the app's list, not everything pops up. */
export interface NoticeGate {
  tell(notice: Notice): void
  /** It no longer holds: what waits is dropped, and what is shown goes. */
  withdraw(subject: string): void
  stop(): void
}

/**
 * Lets notices through until they come too fast. A subject that flaps is told at most twice in five
 * minutes, with its count; in a storm the rest is held for ten seconds and told in one summary that
 * leads to the list. Replies to people are not checks: chat conversations replace their own pop-up,
 * so only the storm rule is for them.
 */
export function createNoticeGate(parts: {
  show: (notice: Notice) => void
  withdraw: (subject: string) => void
  clock: Clock
}): NoticeGate {
  const { clock } = parts
  let shownAt: number[] = []
  const bySubject = new Map<string, { times: number[]; held: number }>()
  let held: Notice[] = []
  let timer: ReturnType<typeof setTimeout> | null = null

  function show(notice: Notice): void {
    shownAt.push(clock.now())
    parts.show(notice)
  }

  /** Null: told often enough for now. */
  function calmed(notice: Notice): Notice | null {
    if (notice.kind !== 'down' && notice.kind !== 'recovered') return notice
    const now = clock.now()
    const seen = bySubject.get(notice.subject) ?? { times: [], held: 0 }
    seen.times = seen.times.filter((at) => now - at < flappingMs)
    bySubject.set(notice.subject, seen)
    if (seen.times.length >= popUpsOfOneSubject) {
      seen.held += 1
      return null
    }
    seen.times.push(now)
    const { held: silent } = seen
    seen.held = 0
    if (silent === 0) return notice
    return { ...notice, body: `changed ${silent + 1} times in a while · ${notice.body}` }
  }

  function release(): void {
    timer = null
    const waiting = held
    held = []
    const [only] = waiting
    if (only !== undefined) show(waiting.length === 1 ? only : summary(waiting))
  }

  return {
    tell(notice) {
      const calm = calmed(notice)
      if (calm === null) return
      const now = clock.now()
      shownAt = shownAt.filter((at) => now - at < stormMs)
      if (timer === null && shownAt.length < popUpsInStorm) {
        show(calm)
        return
      }
      held = [...held.filter(({ subject }) => subject !== calm.subject), calm]
      timer ??= setTimeout(release, stormMs)
    },
    withdraw(subject) {
      held = held.filter((notice) => notice.subject !== subject)
      parts.withdraw(subject)
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

function summary(notices: readonly Notice[]): Notice {
  const last = notices.at(-1) as Notice // called with two at least
  const down = notices.filter(({ kind }) => kind === 'down')
  const titles = [...down, ...notices.filter(({ kind }) => kind !== 'down')].map(
    ({ title }) => title,
  )
  const rest = titles.length - 3
  return {
    ...last,
    id: `storm@${last.at}`,
    kind: down.length > 0 ? 'down' : last.kind,
    subject: 'storm',
    title: `${notices.length} more notices`,
    body: `${titles.slice(0, 3).join(' · ')}${rest > 0 ? ` · and ${rest} more` : ''}`,
    target: { view: 'notices' },
    canReply: false,
    sound: false,
  }
}
