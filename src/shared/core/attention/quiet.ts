import { clockUntilWords } from '../time.ts'
import type { AttentionEvent } from './event.ts'
import type { AttentionContext } from './judge.ts'
import type { Reason } from './notice.ts'
import { breaksQuiet, quietUntil } from './quiet-hours.ts'
import { disturbUntil } from './silence.ts'
import type { Work } from './work.ts'

/** Why it is quiet now for this event; null: it is not. */
export function quietReason({ context, quiet, now }: Work, event: AttentionEvent): Reason | null {
  const { settings, away, systemQuiet } = context
  const { disturb, hours } = quiet
  if (away !== null)
    return { by: 'away', text: 'It came while this computer was asleep: it goes into the digest.' }
  const isKept = (disturb !== null || hours !== null) && !breaksQuiet(settings.quietHours, event)
  if (isKept && disturb !== null)
    return {
      by: 'quiet',
      text: `Do not disturb ${clockUntilWords(disturb, now)}: it goes into the digest.`,
    }
  if (isKept && hours !== null)
    return {
      by: 'quiet',
      text: `Quiet hours ${clockUntilWords(hours, now)}: it goes into the digest.`,
    }
  if (systemQuiet && settings.followSystem)
    return {
      by: 'quiet',
      text: 'Do not disturb is on in the system: it goes into the digest.',
    }
  return null
}

/** Ends of the quiet that reigns, epoch ms; null: none does. Looked up once for a step, since it costs. */
export interface Quiet {
  readonly disturb: number | null
  readonly hours: number | null
}

export function quietNow({ silences, settings }: AttentionContext, now: number): Quiet {
  return {
    disturb: disturbUntil(silences, now),
    hours: quietUntil(settings.quietHours, now),
  }
}

/** Whether anything makes it quiet for everybody but the excepted. */
export function isQuiet({ context, quiet: { disturb, hours } }: Work): boolean {
  const bySystem = context.systemQuiet && context.settings.followSystem
  return context.away !== null || disturb !== null || hours !== null || bySystem
}
