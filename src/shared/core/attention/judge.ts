import type { AccountId } from '../account.ts'
import type { Outcome } from '../notice.ts'
import { clockUntilWords } from './clock-until-words.ts'
import type { AttentionEvent } from './event.ts'
import { breaksQuiet, quietUntil } from './quiet-hours.ts'
import type { Reason } from './reason.ts'
import { type AttentionSettings, type Verdict, verdictOf } from './rules.ts'
import type { SaidLately } from './said-lately.ts'
import { isSameEvent, tellsOfCheck } from './same-event.ts'
import { disturbUntil, isOver, type Silence, silencesOn } from './silence.ts'
import type { Draft } from './work.ts'

/** What a decision looks at beside the event and what was decided before. */
export interface AttentionContext {
  readonly settings: AttentionSettings
  /** The master switch for sounds. */
  readonly sounds: boolean
  readonly silences: readonly Silence[]
  /** The desktop's own do-not-disturb is on. */
  readonly systemQuiet: boolean
  /** The computer slept from then till then, and not all was read anew: what comes now is told in one. */
  readonly away: { readonly from: number; readonly to: number } | null
  /** Accounts that were not read since the start: whether their checks are still down is not known. */
  readonly unread: readonly AccountId[]
  /** How many checks of each project are down after these events. */
  readonly down: Readonly<Record<string, number>>
}

/** What became of one event, and why: the answer to "why did I (not) hear of this?". */
export interface Decision {
  readonly event: AttentionEvent
  readonly outcome: Outcome
  readonly sound: boolean
  readonly reasons: readonly Reason[]
  /** The notice that tells of it; null when none does. */
  readonly noticeId: string | null
}

/** An event that is to pop up, if neither flapping nor a storm keeps it. */
export interface Candidate {
  readonly event: AttentionEvent
  readonly sound: boolean
  readonly reasons: readonly Reason[]
}

export type Judgement =
  | { readonly kind: 'pop'; readonly candidate: Candidate }
  | { readonly kind: 'wait'; readonly verdict: Verdict; readonly dueAt: number }
  | { readonly kind: 'miss'; readonly sound: boolean; readonly reasons: readonly Reason[] }
  | {
      readonly kind: 'end'
      readonly outcome: Exclude<Outcome, 'shown'>
      readonly reasons: readonly Reason[]
    }

interface Surroundings {
  readonly draft: Draft
  readonly said: SaidLately
  readonly context: AttentionContext
  readonly quiet: Quiet
  readonly now: number
  /** It has been down for as long as the rules ask. */
  readonly waited: boolean
}

/**
 * One event against rules, silences, quiet and what was told already, in this order:
 *
 *   rules → (recovered: was its being down told?) → silences → told by somebody else's words →
 *   down long enough? → quiet or away → icon only → pop up
 */
export function judge(
  event: AttentionEvent,
  { draft, said, context, quiet, now, waited }: Surroundings,
): Judgement {
  const verdict = verdictOf(event, context.settings)
  const { reasons } = verdict
  const end = (outcome: 'tray' | 'folded' | 'silent', reason: Reason | null): Judgement => ({
    kind: 'end',
    outcome,
    reasons: reason === null ? reasons : [...reasons, reason],
  })
  if (verdict.way === 'nothing') return end('silent', null)
  if (event.kind === 'recovered' && draft.untold.has(event.subject))
    return end('silent', { by: 'brief', text: 'You were not told that it was down.' })
  const [silence] = silencesOn(event, context.silences, now)
  if (silence !== undefined)
    return end('silent', { by: 'silence', text: silenceWords(silence, now) })
  const hushed = context.silences.find((one) => !isOver(one, now) && tellsOfScope(event, one))
  if (hushed !== undefined)
    return end('silent', {
      by: 'silence',
      text: `It tells of ${hushed.label}: ${silenceWords(hushed, now)}`,
    })
  const still = quietReason(event, context, quiet, now)
  const isHeard = (other: AttentionEvent): boolean =>
    (verdict.way === 'tray' || verdictOf(other, context.settings).way !== 'tray') &&
    (still !== null || quietReason(other, context, quiet, now) === null)
  const twin = waited ? undefined : twinOf(event, draft, said, isHeard)
  if (twin !== undefined)
    return end('folded', { by: 'same', text: `“${twin.title}” told of it already.` })
  if (verdict.afterMinutes > 0 && !waited)
    return { kind: 'wait', verdict, dueAt: event.at + verdict.afterMinutes * 60_000 }
  const told = waited ? [...reasons, waitedReason(event, now)] : reasons
  const sound = verdict.way === 'sound' && context.sounds
  if (still !== null) return { kind: 'miss', sound, reasons: [...told, still] }
  if (verdict.way === 'tray') return end('tray', null)
  const muted: Reason[] =
    verdict.way === 'sound' && !context.sounds
      ? [{ by: 'sound', text: 'Sounds are off in the settings.' }]
      : []
  return { kind: 'pop', candidate: { event, sound, reasons: [...told, ...muted] } }
}

/** A bot's message about a check that was made quiet: by its name, as it tells of nothing else. */
function tellsOfScope(event: AttentionEvent, { scope, label }: Silence): boolean {
  return event.of === 'message' && scope.of === 'check' && tellsOfCheck(event, label)
}

/**
 * What told of the same thing, and at least as plainly: an alarm is not told already by a line in the
 * list, nor what breaks the quiet by what the quiet keeps.
 */
function twinOf(
  event: AttentionEvent,
  draft: Draft,
  said: SaidLately,
  isHeard: (other: AttentionEvent) => boolean,
): AttentionEvent | undefined {
  if (event.of === 'check')
    return said
      .naming(event.name)
      .find(
        (message) =>
          isSameEvent(event, message) &&
          !changedSince(draft, event.subject, message.at) &&
          isHeard(message),
      )
  if (event.of === 'trouble' || !event.isBot) return undefined
  return draft.recentChecks.find(
    (check) =>
      isSameEvent(event, check) && !changedSince(draft, check.subject, check.at) && isHeard(check),
  )
}

/** What was said of the check before its last change was said of something else. */
function changedSince({ changedAt }: Draft, subject: string, at: number): boolean {
  return (changedAt.get(subject) ?? 0) > at
}

function waitedReason(event: AttentionEvent, now: number): Reason {
  if (event.of === 'check' && event.isReminder === true)
    return { by: 'silence', text: 'It was quiet about it, that is over, and it is still down.' }
  return { by: 'wait', text: `It has been down for ${Math.round((now - event.at) / 60_000)} min.` }
}

/** Why it is quiet now for this event; null: it is not. */
export function quietReason(
  event: AttentionEvent,
  { settings, away, systemQuiet }: AttentionContext,
  { disturb, hours }: Quiet,
  now: number,
): Reason | null {
  if (away !== null)
    return { by: 'away', text: 'It came while this computer slept: it is in the summary.' }
  const excepted = breaksQuiet(settings.quietHours, event)
  if (disturb !== null && !excepted)
    return {
      by: 'quiet',
      text: `Do not disturb ${clockUntilWords(disturb, now)} keeps it for the digest.`,
    }
  if (hours !== null && !excepted)
    return {
      by: 'quiet',
      text: `Quiet hours ${clockUntilWords(hours, now)} keep it for the digest.`,
    }
  if (systemQuiet && settings.followSystem)
    return {
      by: 'quiet',
      text: 'The system’s own do-not-disturb is on: it is kept for the digest.',
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
export function isQuiet(context: AttentionContext, { disturb, hours }: Quiet): boolean {
  const bySystem = context.systemQuiet && context.settings.followSystem
  return context.away !== null || disturb !== null || hours !== null || bySystem
}

function silenceWords({ how, by, until }: Silence, now: number): string {
  const what = how === 'acknowledge' ? 'Acknowledged' : how === 'mute' ? 'Muted' : 'Snoozed'
  const who = by === null ? '' : ` by ${by}`
  const end =
    until.kind === 'time'
      ? ` ${clockUntilWords(until.at, now)}`
      : { change: ' until it changes', answer: ' until someone answers', ever: '' }[until.kind]
  return `${what}${who}${end}.`
}
