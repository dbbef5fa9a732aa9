import { becauseOf } from './dependencies/hold.ts'
import { type AttentionEvent, type CheckEvent, stateAfter } from './event.ts'
import type { Waiting } from './memory.ts'
import { type AttentionSettings, verdictOf } from './rules.ts'
import { silencesOn } from './silences-on.ts'
import { drop, quietReason, type Work, wait } from './work.ts'

/** Epoch ms at which an outage is shown again; null if no rule asks for that, or it is none. */
export function nextReminder(event: AttentionEvent, settings: AttentionSettings): number | null {
  const { repeatMinutes } = verdictOf(event, settings)
  return repeatMinutes === 0 ? null : event.at + repeatMinutes * 60_000
}

/** Starts or stops repeating an outage until somebody has seen it. */
export function noteOutage(work: Work, event: AttentionEvent, isShown: boolean): void {
  if (event.of !== 'check' || event.again !== undefined) return
  if (stateAfter[event.kind] === 'up') forgetReminder(work, event.subject)
  const until = isShown ? nextReminder(event, work.context.settings) : null
  if (until === null) return
  const told = { event, sound: true, wasDown: true, changes: 0, times: 0 }
  wait(work, { ...told, why: 'reminder', until })
}

export function forgetReminder({ draft: { waits } }: Work, subject: string): void {
  if (waits.size > 0) waits.delete(`reminder ${subject}`)
}

/** The outage was shown just now, so its next reminder comes a whole interval later. */
export function postponeReminder(work: Work, subject: string): void {
  const { draft, now, context } = work
  const key = `reminder ${subject}`
  const one = draft.waits.size === 0 ? undefined : draft.waits.get(key)
  if (one === undefined || one.event.at === now) return
  const event = asOf(one.event, now)
  draft.waits.set(key, { ...one, event, until: nextReminder(event, context.settings) })
}

/** The reminders to show now, of those that are due. */
export function dueReminders(work: Work, due: readonly Waiting[]): CheckEvent[] {
  const { context, now } = work
  return due.flatMap((one) => {
    const { event, times = 0 } = one
    if (event.of !== 'check' || nextReminder(event, context.settings) === null) {
      drop(work, [one])
      return []
    }
    const silence = silencesOn({ ...event, from: 'unknown' }, context.silences, now)[0]
    // Goes on after it: an acknowledgement may be undone, and a snooze ended by hand.
    const waits =
      silence !== undefined ||
      quietReason(work, event) !== null ||
      becauseOf(work, event) !== null ||
      work.draft.waits.get(event.subject)?.why === 'dependency'
    const next = asOf(event, now)
    const until = nextReminder(next, context.settings)
    wait(work, { ...one, event: next, until, times: waits ? times : times + 1 })
    return waits ? [] : [repeated(next, times + 1)]
  })
}

function repeated(event: CheckEvent, again: number): CheckEvent {
  const { subject, name, at } = event
  return { ...event, id: `${subject}/again@${at}`, title: `${name} is still down`, again }
}

/** The outage as it is later on. */
function asOf<Event extends AttentionEvent>(event: Event, now: number): Event {
  if (event.of !== 'check' || typeof event.body === 'string') return { ...event, at: now }
  const { body, at } = event
  return { ...event, at: now, body: { ...body, serverNow: body.serverNow + now - at } }
}
