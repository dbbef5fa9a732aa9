import { numberWords } from '../wording.ts'
import { type AttentionEvent, type CheckEvent, isChange, newestOfChecks } from './event.ts'
import { type Candidate, rings } from './judge.ts'
import type { DeferredEvent, Lane, LaneName } from './memory.ts'
import { foldAbove, joined, type Notice, type NoticeLine, type Reason } from './notice.ts'
import {
  conversationNotice,
  eventCause,
  everythingNotice,
  flappingNotice,
  messagesNotice,
  noticeOf,
  projectNotice,
} from './notices.ts'
import { type Draft, end, isUnread, type Work, withinLimit } from './work.ts'

/** More pop-ups than this in this time are a storm, whatever they are about. */
const stormMs = 10_000
const popUpsInStorm = 3
/** The interval between reports of an ongoing storm grows up to this. */
const longestHoldMs = 5 * 60_000
/** Lines of a combined notice, which counts all events elsewhere. */
const lineLimit = 50

/** Shows events singly or grouped by project or conversation; in a storm, holds them back. */
export function show(work: Work, candidates: readonly Candidate[]): void {
  for (const planned of plan(work, candidates)) {
    const name = laneOf(planned.candidates)
    const lane = work.draft.lanes[name]
    if (isStorm(lane, name, work.now)) hold(work, name, planned.candidates)
    else notify(work, name, planned)
  }
}

/** A flapping check's last event, and its number of changes. */
export interface Flapping extends DeferredEvent {
  readonly event: CheckEvent
  readonly changes: number
}

/** Flapping checks follow the same limits as everything else: many of them share one notice. */
export function showFlapping(work: Work, flapping: readonly Flapping[]): void {
  const byProject = Map.groupBy(flapping, ({ event }) => event.accountId)
  for (const group of byProject.values()) {
    const groups = group.length > foldAbove ? [group] : group.map((one) => [one])
    for (const one of groups.map((some) => planFlapping(some, work.now))) {
      const { checks: lane } = work.draft.lanes
      if (isStorm(lane, 'checks', work.now)) keep(work, 'checks', one.candidates)
      else notify(work, 'checks', one)
    }
  }
}

/** Updates how long a check has been down, as time has passed since its event was held back. */
function asOf(now: number, event: CheckEvent): CheckEvent {
  const { kind, body, at } = event
  if (kind !== 'down' || typeof body === 'string') return event
  return { ...event, body: { ...body, serverNow: body.serverNow + now - at } }
}

function planFlapping(group: readonly Flapping[], now: number): Planned {
  const events = group.map(({ event }) => asOf(now, event))
  const changes = group.reduce((sum, one) => sum + one.changes, 0)
  return {
    candidates: group.map(({ event, sound }) => ({ event, sound, reasons: [] })),
    notice: (sound) => flappingNotice(events, changes, sound),
    why: {
      by: 'flapping',
      text: 'It changed too often for a notification each time: this one counts five minutes of changes.',
    },
  }
}

function isStorm(lane: Lane, name: LaneName, now: number): boolean {
  if (lane.until !== null) return true
  // What comes soon after the notice of a storm is still the same storm.
  if (lane.level > 0 && now - (lane.popUps.at(-1) ?? 0) < holdMs(lane, name)) return true
  return lane.popUps.filter((at) => now - at < stormMs).length >= popUpsInStorm
}

/** A direct message never waits longer than this in a storm. */
const directHoldMs = 2_000

/** A storm of checks is reported at growing intervals; messages never wait long. */
function holdMs({ level }: Lane, name: LaneName): number {
  return name === 'checks' ? Math.min(longestHoldMs, stormMs * 2 ** level) : stormMs
}

function laneOf([first]: readonly Candidate[]): LaneName {
  return first?.event.of === 'check' ? 'checks' : 'others'
}

function keep(work: Work, name: LaneName, candidates: readonly Candidate[]): void {
  const lane = work.draft.lanes[name]
  const isDirect = candidates.some(({ event }) => event.kind === 'direct')
  const latest = work.now + (isDirect ? directHoldMs : holdMs(lane, name))
  const until = Math.min(lane.until ?? latest, latest)
  const held = [...lane.held, ...candidates.map(({ event, sound }) => ({ event, sound }))]
  work.draft.lanes[name] = { ...lane, held: withinLimit(held), until }
}

function hold(work: Work, name: LaneName, candidates: readonly Candidate[]): void {
  keep(work, name, candidates)
  for (const { event, reasons } of candidates)
    end(work, event, 'folded', [
      ...reasons,
      { by: 'storm', text: 'Too much happened at once: one notification covers it all.' },
    ])
}

const stormWhy: Reason = {
  by: 'storm',
  text: 'Too much happened at once: this covers what was held back.',
}

/** Ends storms after five quiet minutes. Runs first in a step, as no wake-up is planned for it. */
export function forgetStorms(work: Work): void {
  for (const name of ['checks', 'others'] as const) {
    const lane = work.draft.lanes[name]
    const last = lane.popUps.at(-1) ?? 0
    if (lane.until === null && lane.level > 0 && work.now - last >= longestHoldMs)
      work.draft.lanes[name] = { ...lane, level: 0 }
  }
}

/** The events held back that are still to be shown. */
export type Wanted = (held: readonly DeferredEvent[]) => readonly DeferredEvent[]

/** Shows what was held back and is still wanted, once its time has come. */
export function releaseDeferred(work: Work, wanted: Wanted): void {
  for (const name of ['checks', 'others'] as const) {
    const lane = work.draft.lanes[name]
    if ((lane.until ?? 0) > work.now) continue
    const held = lane.held.filter(({ event }) => isUnread(work, event))
    work.draft.lanes[name] = { ...lane, held, until: null }
    if (held.length === lane.held.length) continue
    work.draft.lanes[name] = { ...lane, held, until: null, level: lane.level + 1 }
    const due = lane.held.filter(({ event }) => !isUnread(work, event))
    const newest = newestOfChecks(due, ({ event }) => event)
    const latest = newest.map((one) => asLastChanged(work, one))
    const candidates = wanted(latest).map((one) => ({ ...one, reasons: [] }))
    const planned = plan(work, candidates, 1)
    const few = planned.length > popUpsInStorm ? [together(candidates, everythingNotice)] : planned
    for (const one of few) notify(work, name, later(one))
  }
}

/**
 * Replaces what a storm held back about a check with a later change that was held back because the
 * check is flapping: otherwise the notice would say that it is down although it is known to be up.
 */
function asLastChanged(work: Work, held: DeferredEvent): DeferredEvent {
  const { checks } = work.draft
  const { subject } = held.event
  const last = isChange(held.event) ? (checks.get(subject)?.last ?? null) : null
  if (last === null || last.at < held.event.at) return held
  checks.set(subject, { shownAt: [work.now], held: 0, last: null, flapping: true })
  return { event: last, sound: last.kind === 'down' && rings(work, last) }
}

/** Gives the notice another id, as the list already has an entry saying that it was held. */
function later(planned: Planned): Planned {
  const notice = (sound: boolean): Notice => {
    const made = planned.notice(sound)
    return { ...made, id: `${made.id}/later` }
  }
  return { ...planned, notice, why: stormWhy }
}

/** Shows a notice, with at most one sound in ten seconds. */
function notify(work: Work, name: LaneName, { candidates, notice, why }: Planned): void {
  const lane = work.draft.lanes[name]
  const sound = candidates.some((one) => one.sound) && mayRing(work)
  const recent = lane.popUps.filter((at) => work.now - at < longestHoldMs)
  const held = lane.held.length === 0 ? lane.held : heldBeside(lane.held, candidates)
  work.draft.lanes[name] = { ...lane, held, popUps: [...recent, work.now] }
  const made = notice(sound)
  const isOne = candidates.length === 1
  const many: Reason[] = isOne
    ? []
    : [
        {
          by: 'batch',
          text: `${numberWords(candidates.length)} events at once, in one notification.`,
        },
      ]
  const own = [...(candidates[0]?.reasons ?? []), ...many]
  const reasons = why === undefined ? own : [why]
  pop(work, isOne ? made : { ...made, lines: candidates.slice(0, lineLimit).map(lineOf) }, reasons)
  const batch: Reason = { by: 'batch', text: `It was shown with others: “${made.title}”.` }
  for (const { event, reasons: decided } of candidates) {
    // Events that were held back already have a decision.
    if (decided.length === 0) continue
    work.decisions.push({
      event,
      outcome: isOne ? 'shown' : 'folded',
      sound: isOne && sound,
      reasons: isOne ? decided : [...decided, batch],
      noticeId: made.id,
    })
  }
}

/** What is held, without earlier changes of the checks that are shown now. */
export function heldBeside(
  held: readonly DeferredEvent[],
  shownNow: readonly Pick<Candidate, 'event'>[],
): readonly DeferredEvent[] {
  const changed = shownNow.filter(({ event }) => isChange(event))
  const shown = new Set(changed.map(({ event }) => event.subject))
  return held.filter(({ event }) => !isChange(event) || !shown.has(event.subject))
}

/** Whether the last sound is long enough ago. */
export function mayRing({ draft, now }: Work): boolean {
  return now - draft.soundAt >= stormMs
}

/** Shows a pop-up and adds it to the list. */
export function pop(work: Work, notice: Notice, reasons: readonly Reason[]): void {
  const shown = { ...notice, outcome: 'shown' as const, reasons }
  if (shown.sound) work.draft.soundAt = work.now
  work.popUps.push(shown)
  work.listed.push(shown)
}

function lineOf({ event }: Candidate): NoticeLine {
  const why = event.of === 'check' ? eventCause(event) : null
  return { text: joined([event.title, why]), at: event.at, target: event.target }
}

/** Epoch ms at which events held back are next shown; null: none are. */
export function nextRelease({ lanes }: Draft): number | null {
  const times = [lanes.checks.until, lanes.others.until].filter((at) => at !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/** Events that one notice will report. */
interface Planned {
  readonly candidates: readonly Candidate[]
  /** For events decided earlier: why they are shown now. */
  readonly why?: Reason
  readonly notice: (sound: boolean) => Notice
}

/**
 * Groups more than `most` checks of one project and kind, all messages of a conversation, and those
 * of an account if they are in too many conversations.
 */
function plan({ context }: Work, candidates: readonly Candidate[], most = foldAbove): Planned[] {
  const alike = Map.groupBy(
    candidates.filter(({ event }) => event.of === 'check'),
    ({ event }) => `${event.accountId} ${event.kind}`,
  )
  const checks = [...alike.values()].flatMap((group) => {
    if (group.length <= most) return group.map(planSingle)
    const down = context.down[group[0]?.event.accountId ?? ''] ?? 0
    return [
      together(group, (events: readonly CheckEvent[], sound) => projectNotice(events, down, sound)),
    ]
  })
  return [...checks, ...planOthers(candidates)]
}

function planOthers(candidates: readonly Candidate[]): Planned[] {
  const messages = Map.groupBy(
    candidates.filter(({ event }) => event.of === 'message'),
    ({ event }) => event.accountId,
  )
  const planned = [...messages.values()].flatMap((group) => {
    const conversations = Map.groupBy(group, ({ event }) => event.subject)
    return conversations.size > foldAbove
      ? [together(group, messagesNotice)]
      : [...conversations.values()].map((one) => together(one, conversationNotice))
  })
  return [...planned, ...candidates.filter(({ event }) => event.of === 'trouble').map(planSingle)]
}

function planSingle(candidate: Candidate): Planned {
  return { candidates: [candidate], notice: (sound) => noticeOf(candidate.event, sound) }
}

/** `Event`: the type of the events, which the caller has made sure of. */
function together<Event extends AttentionEvent>(
  candidates: readonly Candidate[],
  notice: (events: readonly Event[], sound: boolean) => Notice,
): Planned {
  const events = candidates.map(({ event }) => event as Event)
  return { candidates, notice: (sound) => notice(events, sound) }
}
