import type { Candidate } from './decision.ts'
import { isChange, stateAfter } from './event.ts'
import { heldReason, isRecoveryUnnotified, rings } from './judge.ts'
import type { Pending, Waiting } from './memory.ts'
import { verdictOf, type Way } from './rules.ts'
import type { Silence } from './silence.ts'
import { maintenanceOn, silencesOn } from './silences-on.ts'
import { drop, markNotified, quietReason, quietSpan, type Work, wait, waitingFor } from './work.ts'

/**
 * Takes what is due off the list, and returns what is still to be shown by rules, silences and quiet
 * as they are now. The rest is dropped, or goes on waiting for another reason.
 */
export function wanted(work: Work, due: readonly Waiting[]): Waiting[] {
  drop(work, due)
  return due.flatMap((one) =>
    isStillWanted(work, one) ? { ...one, sound: one.sound && rings(work, one.event) } : [],
  )
}

/** Shows what is due and still wanted, unless flapping or a storm holds it back. */
export function proposeWanted(work: Work, due: readonly Waiting[]): void {
  for (const one of wanted(work, due)) propose(work, { ...one, reasons: [], waitedFor: one.why })
}

export function propose({ candidates }: Work, candidate: Candidate): void {
  const { event } = candidate
  candidates.set(isChange(event) ? event.subject : event.id, candidate)
}

function isStillWanted(work: Work, one: Waiting): boolean {
  const { context, now } = work
  const { event } = one
  const way = wayNow(work, one)
  if (way === 'tray') return false
  const isSilent = way === 'nothing' || isRecoveryUnnotified(work, event)
  const maintenance = isSilent ? null : maintenanceOn(event, context.silences, now)
  if (maintenance !== null) {
    waitForMaintenance(work, maintenance, one)
    return false
  }
  if (isSilent || silencesOn(event, context.silences, now).length > 0) {
    markNotified(work, one, false)
    return false
  }
  if (heldReason(work, event) !== null) {
    waitForOthers(work, one)
    return false
  }
  if (quietReason(work, event) === null) return true
  waitForQuiet(work, one)
  return false
}

/** How the rules would have it shown now. */
function wayNow({ context: { settings } }: Work, { event, wasDown, changes, why }: Waiting): Way {
  const isUp = isChange(event) && stateAfter[event.kind] === 'up'
  // An outage that began and ended while it waited is what is news, not that it is over; unless it
  // was part of the outage of what the check depends on.
  const hasOutage = isUp && (!wasDown || (changes > 2 && why !== 'dependency'))
  return verdictOf(hasOutage ? { ...event, kind: 'down' } : event, settings).way
}

export function waitForQuiet(work: Work, pending: Pending): void {
  const { draft, context, now } = work
  const why = context.away === null ? 'quiet' : 'sleep'
  wait(work, { ...bare(pending), why, until: null })
  draft.quiet = quietSpan(draft.quiet, context.away, now)
}

export function waitForMaintenance(work: Work, { scope, label }: Silence, pending: Pending): void {
  const maintenance = { scope: JSON.stringify(scope), label }
  wait(work, { ...bare(pending), why: 'maintenance', until: null, maintenance })
}

/** Waits for what the check depends on, unless its outage was part of that. */
export function waitForOthers(work: Work, pending: Pending): void {
  const one = { ...bare(pending), why: 'dependency', until: null } as const
  if (isExplained(one)) drop(work, [one])
  else wait(work, one)
}

/** Drops what began and ended before it was known that what its check depends on is down. */
export function dropExplained(work: Work): void {
  const held = waitingFor(work, 'dependency').filter(({ until }) => until === null)
  drop(work, held.filter(isExplained))
}

/** Whether it began and ended in an outage of what its check depends on. */
function isExplained({ event, wasDown }: Pending): boolean {
  return event.kind === 'recovered' && !wasDown
}

/** Without what belongs to the reason for which it waited before. */
export function bare({ event, sound, wasDown, changes }: Pending): Pending {
  return { event, sound, wasDown, changes }
}
