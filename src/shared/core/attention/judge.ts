import { becauseOf, holdOn } from './dependencies/hold.ts'
import { type AttentionEvent, beganAt, type CheckEvent, isChange, stateAfter } from './event.ts'
import type { Outcome, Reason } from './notice.ts'
import { type AttentionSettings, type Verdict, verdictOf, type Way } from './rules.ts'
import { isSameEvent } from './same-event.ts'
import { endWords, type Silence } from './silence.ts'
import { isAwaited, maintenanceOn, silenceOnReport, silencesOn } from './silences-on.ts'
import { fileChanges, quietReason, type Work } from './work.ts'

export type Judgement =
  | { readonly kind: 'pop'; readonly sound: boolean; readonly reasons: readonly Reason[] }
  | { readonly kind: 'wait'; readonly verdict: Verdict; readonly dueAt: number }
  | { readonly kind: 'hold'; readonly sound: boolean; readonly reasons: readonly Reason[] }
  | {
      readonly kind: 'miss'
      readonly sound: boolean
      readonly reasons: readonly Reason[]
      /** The maintenance whose digest it goes into; null: the digest after the quiet. */
      readonly maintenance: Silence | null
    }
  | {
      readonly kind: 'end'
      readonly outcome: Exclude<Outcome, 'shown'>
      readonly reasons: readonly Reason[]
    }

/**
 * Judges one event by rules, silences, quiet and what was already shown, in this order:
 *
 *   rules → (recovered: was the outage shown?) → silences → already reported in other words? →
 *   down long enough? → silent → is what it depends on down? → quiet or away → pop up
 *
 * `waited`: it has been down for as long as the rules require.
 */
export function judge(work: Work, event: AttentionEvent, waited: boolean): Judgement {
  const { context, now } = work
  const verdict = verdictOf(event, context.settings)
  const { way } = verdict
  const reasons = withRun(event, verdict.reasons)
  if (way === 'nothing') return ended('silent', reasons)
  // A digest pops up, so icon-only events don't go into one.
  const maintenance = way === 'tray' ? null : maintenanceOn(event, context.silences, now)
  if (maintenance !== null && !isRecoveryUnnotified(work, event)) {
    const why = {
      by: 'silence',
      text: `${silenceWords(maintenance, now)} It goes into the digest.`,
    } as const
    return { kind: 'miss', sound: rings(work, event), reasons: [...reasons, why], maintenance }
  }
  const brief = briefReason(event, context.settings)
  if (brief !== null) return ended('silent', [...reasons, brief])
  const silenced = silenceReason(work, event)
  if (silenced !== null) return ended('silent', [...reasons, silenced])
  const still = quietReason(work, event)
  const twin = waited ? null : twinOf(work, event, way, still !== null)
  if (twin !== null)
    return ended('folded', [
      ...reasons,
      { by: 'same', text: `You were already notified: “${twin.title}”.` },
    ])
  if (verdict.afterMinutes > 0 && !waited)
    return { kind: 'wait', verdict, dueAt: dueAt(beganAt(event), verdict) }
  const allReasons = waited ? [...reasons, waitedReason(event, now)] : reasons
  const sound = rings(work, event)
  if (way === 'tray') return ended('tray', reasons)
  const held = heldReason(work, event)
  if (held !== null) return { kind: 'hold', sound, reasons: [...allReasons, held] }
  if (still !== null)
    return { kind: 'miss', sound, reasons: [...allReasons, still], maintenance: null }
  const isMuted = way === 'sound' && !context.sounds
  return { kind: 'pop', sound, reasons: isMuted ? [...allReasons, muted] : allReasons }
}

/** Why a change waits for what its check depends on; null: it doesn't. */
export function heldReason(work: Work, event: AttentionEvent): Reason | null {
  if (!isHeldWithOthers(event)) return null
  const hold = holdOn(work, event)
  // A recovery, or a reminder, waits only for the end of an outage.
  const isNews = event.kind === 'down' && event.isReminder !== true
  if (hold === null || (hold.until !== null && !isNews)) return null
  return { by: 'wait', text: hold.why }
}

function isHeldWithOthers(event: AttentionEvent): event is CheckEvent {
  return isChange(event) && stateAfter[event.kind] !== 'late'
}

/** When an outage has lasted for as long as the rules require: epoch ms, our clock. */
export function dueAt(beganAt: number, { afterMinutes }: Verdict): number {
  return beganAt + afterMinutes * 60_000
}

/** Whether the event's notification has a sound by the present rules. A repetition always does. */
export function rings({ context }: Work, event: AttentionEvent): boolean {
  const isAgain = event.of === 'check' && event.again !== undefined
  return context.sounds && (isAgain || verdictOf(event, context.settings).way === 'sound')
}

/** First of all, what was odd about the run. */
function withRun(event: AttentionEvent, reasons: readonly Reason[]): readonly Reason[] {
  if (event.of !== 'check' || event.why === undefined) return reasons
  return [{ by: 'run', text: event.why }, ...reasons]
}

const muted: Reason = { by: 'sound', text: 'Sounds are turned off in the settings.' }

function ended(outcome: Exclude<Outcome, 'shown'>, reasons: readonly Reason[]): Judgement {
  return { kind: 'end', outcome, reasons }
}

/** Why a past outage is too short to be notified; null if it isn't, or is none. */
function briefReason(event: AttentionEvent, settings: AttentionSettings): Reason | null {
  if (event.of !== 'check' || event.lastedMs === undefined) return null
  const { afterMinutes } = verdictOf({ ...event, kind: 'down' }, settings)
  if (event.lastedMs >= afterMinutes * 60_000) return null
  return { by: 'brief', text: `It came back within ${afterMinutes} min.` }
}

/** Why the event is silent at any time of day; null if it isn't. */
function silenceReason(work: Work, event: AttentionEvent): Reason | null {
  const { context, now } = work
  if (isRecoveryUnnotified(work, event))
    return { by: 'brief', text: 'You were not notified that it was down.' }
  const because = isHeldWithOthers(event) ? null : becauseOf(work, event)
  if (because !== null) return { by: 'silence', text: because }
  const { silences } = context
  if (silences.length === 0) return null
  const silence = silencesOn(event, silences, now)[0]
  if (silence !== undefined) return { by: 'silence', text: silenceWords(silence, now) }
  const about = silenceOnReport(event, silences, now)
  if (about === null) return null
  return { by: 'silence', text: `It is about ${about.label}: ${silenceWords(about, now)}` }
}

/** Whoever acknowledged an outage knows of it, and waits for its end. */
export function isRecoveryUnnotified(
  { draft, context, now }: Work,
  event: AttentionEvent,
): boolean {
  return (
    event.kind === 'recovered' &&
    draft.unnotified.has(event.subject) &&
    !isAwaited(event, context.silences, now)
  )
}

/**
 * An earlier report of the same thing that was prominent enough: a list entry can't stand in for a
 * notification, a silent notification for one with sound, or one held back by quiet for an exempt
 * one.
 */
function twinOf(
  work: Work,
  event: AttentionEvent,
  way: Way,
  isQuiet: boolean,
): AttentionEvent | null {
  for (const other of mayNotifyOf(work, event))
    if (
      isSameEvent(event, other) &&
      !isOld(work, event, other) &&
      isAsLoud(work, other, event, way) &&
      (isQuiet || quietReason(work, other) === null)
    )
      return other
  return null
}

function isAsLoud(
  { context }: Work,
  other: AttentionEvent,
  event: AttentionEvent,
  way: Way,
): boolean {
  const { way: otherWay } = verdictOf(other, context.settings)
  if (event.kind === 'down' && way === 'sound' && context.sounds) return otherWay === 'sound'
  return way === 'tray' || otherWay !== 'tray'
}

function mayNotifyOf({ draft, said }: Work, event: AttentionEvent): readonly AttentionEvent[] {
  if (event.of === 'check') return said.get(event.checkId) ?? []
  return event.of === 'message' && event.news !== undefined ? draft.recentChecks : []
}

/** Whether the other event is from before the check's last change, and so about something else. */
function isOld(work: Work, event: AttentionEvent, other: AttentionEvent): boolean {
  const { subject } = event.of === 'check' ? event : other
  fileChanges(work, work.changed.length)
  return Math.max(work.draft.changedAt.get(subject) ?? 0, upAtOf(event)) > other.at
}

/** When a check that was up between two reads was so, at the earliest: epoch ms, our clock. */
function upAtOf(event: AttentionEvent): number {
  if (event.of !== 'check' || event.upForMs === undefined) return 0
  const { at, body, upForMs } = event
  if (typeof body === 'string' || body.since === null) return at
  return at - (body.serverNow - body.since) - upForMs
}

function waitedReason(event: AttentionEvent, now: number): Reason {
  if (event.of !== 'check') return { by: 'wait', text: 'It had to wait.' }
  if (event.again !== undefined)
    return { by: 'wait', text: `Nobody has seen it yet: this is reminder ${event.again}.` }
  if (event.isReminder === true)
    return { by: 'silence', text: 'It was silenced until now, and it is still down.' }
  return {
    by: 'wait',
    text: `It has been down for ${Math.round((now - beganAt(event)) / 60_000)} min.`,
  }
}

const doneWords: Readonly<Record<Silence['how'], string>> = {
  snooze: 'Snoozed',
  acknowledge: 'Acknowledged',
  mute: 'Muted',
  maintenance: 'In maintenance',
}

function silenceWords(silence: Silence, now: number): string {
  const { how, by, until, scope, label, messageId, reason } = silence
  const who = by === null ? '' : ` by ${by}`
  const end = until.kind === 'ever' ? '' : ` ${endWords(until, scope.of, now)}`
  // A reaction to a message does not name the check: this says which one Belfry took it to mean.
  const where = messageId === null ? '' : ` in the chat (only ${label})`
  return `${doneWords[how]}${who}${where}${end}${reason ? ` (${reason})` : ''}.`
}
