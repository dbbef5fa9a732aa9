import { clockUntilWords } from '../time.ts'
import type { AttentionEvent } from './event.ts'
import type { AttentionContext } from './judge.ts'
import type { QuietSpan } from './memory.ts'
import type { Reason } from './notice.ts'
import { breaksQuiet, quietUntil } from './quiet-hours.ts'
import { disturbUntil } from './silence.ts'
import type { Work } from './work.ts'

/** Why it is quiet now for this event; null if it isn't. */
export function quietReason({ context, quiet, now }: Work, event: AttentionEvent): Reason | null {
  const { settings, away } = context
  if (away !== null)
    return { by: 'away', text: 'It came while this computer was asleep: it goes into the digest.' }
  const until = quiet.disturb ?? quiet.hours
  const isKept = until !== null && !breaksQuiet(settings.quietHours, event)
  if (!isKept && !quiet.bySystem) return null
  const what = quiet.disturb === null ? 'Quiet hours' : 'Do not disturb'
  const why = isKept
    ? `${what} ${clockUntilWords(until, now)}`
    : 'Do not disturb is on in the system'
  return { by: 'quiet', text: `${why}: it goes into the digest.` }
}

/** When each kind of quiet ends, epoch ms; null if it is off. Expensive: computed once per step. */
export function quietNow({ silences, settings, systemQuiet }: AttentionContext, now: number) {
  return {
    disturb: disturbUntil(silences, now),
    hours: quietUntil(settings.quietHours, now),
    bySystem: systemQuiet && settings.followSystem,
  }
}

/** Whether it is quiet for all events that aren't exempt. */
export function isQuiet({ context, quiet: { disturb, hours, bySystem } }: Work): boolean {
  return context.away !== null || disturb !== null || hours !== null || bySystem
}

/** The quiet or sleep that something is held back by, given the one that is known. */
export function quietSpan(
  known: QuietSpan | null,
  away: AttentionContext['away'],
  now: number,
): QuietSpan {
  if (away !== null) return { from: known?.from ?? away.from, to: away.to, why: 'away' }
  return known ?? { from: now, to: null, why: 'quiet' }
}

/** Epoch ms at which the present quiet ends; null: unknown. */
export function quietEnd(work: Work): number | null {
  const { disturb, hours, bySystem } = work.quiet
  if (!isQuiet(work)) return work.now
  if (work.context.away !== null || bySystem) return null
  const end = Math.max(disturb ?? 0, hours ?? 0)
  return Number.isFinite(end) ? end : null
}
