import { clockUntilWords } from '../clock-until-words.ts'
import { relativeWords } from '../time.ts'
import type { Silence, Until } from './silence.ts'

/** How a silence stands on a row: "snoozed until 15:25", "acknowledged by Ana in the chat 2 min ago". */
export function quietWords(
  { how, by, until, since, scope, label, messageId }: Silence,
  now: number,
  /** What it is about stands beside it. */
  isNamed = false,
): string {
  const what = { snooze: 'snoozed', acknowledge: 'acknowledged', mute: 'quiet' }[how]
  const who = by === null ? '' : ` by ${by}`
  const where = messageId === null ? '' : ' in the chat'
  const isWhole = scope.of === 'tag' || scope.of === 'project'
  const whole = isWhole && !isNamed ? ` with ${label}` : ''
  const isSaid = how === 'acknowledge' && until.kind !== 'time'
  // The clocks of two processes: what just happened is not to come.
  const when = isSaid ? relativeWords(Math.min(since, now), now) : endWords(until, scope.of, now)
  return `${what}${whole}${who}${where} ${when}`.trim()
}

/** "until 15:25", "until it changes", "until someone mentions you". */
export function endWords(until: Until, of: Silence['scope']['of'], now: number): string {
  switch (until.kind) {
    case 'time':
      return clockUntilWords(until.at, now)
    case 'change':
      return of === 'conversation' || of === 'channel'
        ? 'until someone mentions you'
        : 'until it changes'
    case 'answer':
      return 'until someone answers'
    case 'ever':
      return 'until you end it'
  }
}
