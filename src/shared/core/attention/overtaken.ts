import type { CheckEvent } from './event.ts'
import type { HeldEvent } from './memory.ts'
import type { Work } from './work.ts'

/** Subjects of which something waits to be told: looked up once for thousands of events. */
export function heldSubjects({ draft }: Work): ReadonlySet<string> {
  const subjects = new Set<string>()
  for (const { event } of draft.lanes.checks.held) subjects.add(event.subject)
  for (const { event } of draft.missed) subjects.add(event.subject)
  for (const [subject, { held }] of draft.checks) if (held > 0) subjects.add(subject)
  return subjects
}

/**
 * A check changed, and no pop-up tells of that: what waits to be told of it says what it is no more.
 * Gives what was held of it in a storm. `isTold`: the change itself waits or is told elsewhere.
 */
export function overtake({ draft }: Work, event: CheckEvent, isTold: boolean): HeldEvent[] {
  const { subject } = event
  const isOfIt = (held: HeldEvent): boolean => held.event.subject === subject
  const { checks: lane } = draft.lanes
  const taken = lane.held.filter(isOfIt)
  if (taken.length > 0)
    draft.lanes.checks = { ...lane, held: lane.held.filter((held) => !isOfIt(held)) }
  const told = draft.checks.get(subject)
  if (told !== undefined && told.held > 0)
    draft.checks.set(
      subject,
      isTold ? { ...told, held: 0, last: null } : { ...told, held: told.held + 1, last: event },
    )
  // The digest ends each check's line with its last state.
  if (!isTold && draft.missed.some(isOfIt)) draft.missed.push({ event, sound: false })
  return taken
}
