import { numberWords } from '../wording.ts'
import { asNow } from './as-now.ts'
import type { Candidate } from './decision.ts'
import { type AttentionEvent, type CheckEvent, isChange } from './event.ts'
import {
  keyOf,
  type LimitName,
  missedLimit,
  type Pending,
  type PopUpLimit,
  type Waiting,
  type Why,
} from './memory.ts'
import { foldAbove, joined, type Notice, type NoticeLine, type Reason } from './notice.ts'
import {
  conversationNotice,
  eventCause,
  everythingNotice,
  flappingNotice,
  markOf,
  messagesNotice,
  noticeOf,
  projectNotice,
} from './notices.ts'
import { startPrograms } from './programs/start-programs.ts'
import { postponeReminder } from './reminders.ts'
import { bare, wanted } from './wanted.ts'
import { end, isUnread, markNotified, type Work, wait, waitingFor } from './work.ts'

/** More pop-ups than this in this time are a storm, whatever they are about. */
const stormMs = 10_000
const popUpsInStorm = 3
/** The interval between reports of an ongoing storm grows up to this. */
const longestHoldMs = 5 * 60_000
/** Lines of a combined notice, the last ones: it counts all events elsewhere. */
const lineLimit = 50

/** Shows events singly or grouped by project or conversation; in a storm, holds them back. */
export function show(work: Work, candidates: readonly Candidate[]): void {
  for (const planned of plan(work, candidates)) {
    const name = limitOf(planned.items)
    // What waited has a decision already.
    const isKnown = planned.items.every(({ reasons }) => reasons.length === 0)
    const { waitedFor } = planned.items[0] ?? {}
    const why = heldWhys[waitedFor === 'quiet' || waitedFor === 'sleep' ? waitedFor : 'dependency']
    if (isStorm(work, name)) hold(work, name, planned.items)
    else notify(work, name, isKnown ? later(planned, why) : planned)
  }
}

/** Why something is shown that was held back. */
export const heldWhys = {
  dependency: { by: 'wait', text: 'It waited for what it depends on, which is not down.' },
  quiet: { by: 'quiet', text: 'It came while notifications were quiet.' },
  sleep: { by: 'away', text: 'It came while this computer was asleep.' },
} as const satisfies Partial<Record<Why, Reason>>

/** Flapping checks follow the same limits as everything else: many of them share one notice. */
export function showFlapping(work: Work, flapping: readonly Waiting[]): void {
  const byProject = Map.groupBy(flapping, ({ event }) => event.accountId)
  for (const group of byProject.values()) {
    const groups = group.length > foldAbove ? [group] : group.map((one) => [one])
    for (const one of groups.map((some) => planFlapping(some, work.now))) {
      if (isStorm(work, 'checks')) keep(work, 'checks', one.items)
      else notify(work, 'checks', one)
    }
  }
}

function planFlapping(group: readonly Waiting[], now: number): Planned {
  // Says what its check is now, and not that it is so again: that is what flapping means.
  const events = group.map((one) => asNow({ ...one, wasDown: one.event.kind !== 'down' }, now))
  const changes = group.reduce((sum, one) => sum + one.changes, 0)
  return {
    items: group.map((one) => ({ ...one, reasons: [] })),
    notice: (sound) => flappingNotice(events as readonly CheckEvent[], changes, sound),
    why: {
      by: 'flapping',
      text: 'It changed too often for a notification each time: this one counts five minutes of changes.',
    },
  }
}

/** What the storm holds back of this kind, and is still true as far as is known. */
function deferredIn(work: Work, name: LimitName): Waiting[] {
  return waitingFor(work, 'storm').filter(
    (one) => limitOf([one]) === name && !isUnread(work, one.event),
  )
}

function isStorm(work: Work, name: LimitName): boolean {
  const limit = work.draft.popUpLimits[name]
  // What comes soon after the notice of a storm is still the same storm.
  if (limit.level > 0 && work.now - (limit.popUps.at(-1) ?? 0) < holdMs(limit, name)) return true
  return !hasRoom(work, name) || deferredIn(work, name).length > 0
}

/** How many more pop-ups may come now. */
function roomIn({ draft, now }: Work, name: LimitName): number {
  return popUpsInStorm - draft.popUpLimits[name].popUps.filter((at) => now - at < stormMs).length
}

export function hasRoom(work: Work, name: LimitName): boolean {
  return roomIn(work, name) > 0
}

/** Epoch ms from which there may be another pop-up; it may be in the past. */
export function roomAt(work: Work, name: LimitName): number {
  return (work.draft.popUpLimits[name].popUps.at(-popUpsInStorm) ?? 0) + stormMs
}

/** A direct message never waits longer than this in a storm. */
const directHoldMs = 2_000

/** A storm of checks is reported at growing intervals; messages never wait long. */
function holdMs({ level }: PopUpLimit, name: LimitName): number {
  return name === 'checks' ? Math.min(longestHoldMs, stormMs * 2 ** level) : stormMs
}

function limitOf([first]: readonly Pick<Pending, 'event'>[]): LimitName {
  // A run that is not as usual takes no alarm's turn.
  return first?.event.of === 'check' && first.event.why === undefined ? 'checks' : 'others'
}

/** Holds these back, and everything else of their kind until the same time. */
function keep(work: Work, name: LimitName, items: readonly Pending[]): void {
  const deferred = deferredIn(work, name)
  const isDirect = items.some(({ event }) => event.kind === 'direct')
  const latest = work.now + (isDirect ? directHoldMs : holdMs(work.draft.popUpLimits[name], name))
  const until = deferred.reduce((least, one) => Math.min(least, one.until ?? least), latest)
  for (const one of deferred) if (one.until !== until) wait(work, { ...one, until })
  for (const one of items) wait(work, { ...bare(one), why: 'storm', until })
}

function hold(work: Work, name: LimitName, candidates: readonly Candidate[]): void {
  keep(work, name, candidates)
  for (const { event, reasons } of candidates.filter((one) => one.reasons.length > 0))
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
    const limit = work.draft.popUpLimits[name]
    const last = limit.popUps.at(-1) ?? 0
    const isOver = limit.level > 0 && work.now - last >= longestHoldMs
    if (isOver && deferredIn(work, name).length === 0)
      work.draft.popUpLimits[name] = { ...limit, level: 0 }
  }
}

/** Shows what a storm held back and is still wanted. */
export function releaseStorm(work: Work, due: readonly Waiting[]): void {
  for (const name of ['checks', 'others'] as const) {
    const own = due.filter((one) => limitOf([one]) === name)
    if (own.length === 0) continue
    // Messages never wait any longer.
    const room = name === 'others' ? Math.max(1, roomIn(work, name)) : roomIn(work, name)
    if (room <= 0) {
      const until = roomAt(work, name)
      for (const one of own) work.draft.waits.set(keyOf(one), { ...one, until })
      continue
    }
    const limit = work.draft.popUpLimits[name]
    work.draft.popUpLimits[name] = { ...limit, level: limit.level + 1 }
    const items = wanted(work, own).map((one) => ({ ...one, reasons: [] }))
    const planned = plan(work, items, 1)
    const few = planned.length > room ? [together(work, items, everythingNotice)] : planned
    for (const one of few) notify(work, name, later(one, stormWhy))
  }
}

/** Gives the notice another id, as the list already has an entry saying that it was deferred. */
function later(planned: Planned, why: Reason): Planned {
  const notice = (sound: boolean): Notice => {
    const made = planned.notice(sound)
    return { ...made, id: `${made.id}/later` }
  }
  return { ...planned, notice, why }
}

/** Shows a notice, with at most one sound in ten seconds. */
function notify(work: Work, name: LimitName, { items, notice, why }: Planned): void {
  const sound = items.some((one) => one.sound) && mayRing(work)
  const made = notice(sound)
  const isOne = items.length === 1
  const many: Reason[] = isOne
    ? []
    : [{ by: 'batch', text: `${numberWords(items.length)} events at once, in one notification.` }]
  const own = [...(items[0]?.reasons ?? []), ...many]
  const lines = isOne ? made.lines : items.slice(-lineLimit).map((one) => lineOf(one, work.now))
  pop(work, items, { ...made, lines }, why === undefined ? own : [why], name)
  startPrograms(work, items, made)
  const batch: Reason = { by: 'batch', text: `It was shown with others: “${made.title}”.` }
  for (const { event, reasons: decided } of items) {
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

/** Whether the last sound is long enough ago. */
export function mayRing({ draft, now }: Work): boolean {
  return now - draft.soundAt >= stormMs
}

/** Shows a pop-up about these, and adds it to the list. */
export function pop(
  work: Work,
  items: readonly Pending[],
  notice: Notice,
  reasons: readonly Reason[],
  name = limitOf(items),
): void {
  const { draft, now } = work
  const shown = { ...notice, outcome: 'shown' as const, reasons }
  if (shown.sound) draft.soundAt = now
  const limit = draft.popUpLimits[name]
  const recent = limit.popUps.filter((at) => now - at < longestHoldMs)
  draft.popUpLimits[name] = { ...limit, popUps: [...recent, now] }
  for (const item of items) {
    const { event } = item
    markNotified(work, item, true)
    if (event.of === 'message' || isChange(event)) outdate(work, event.subject)
    if (event.kind === 'down') postponeReminder(work, event.subject)
  }
  for (const { event } of items.slice(-missedLimit)) noteDown(work, event)
  if (items.some(({ event }) => event.subject !== notice.subject))
    group(work, notice.subject, items)
  work.popUps.push(shown)
  work.listed.push(shown)
}

function noteDown(
  { draft: { downNotifiedAt }, now }: Work,
  { kind, subject }: AttentionEvent,
): void {
  if (kind !== 'down') return
  downNotifiedAt.delete(subject)
  downNotifiedAt.set(subject, now)
}

/** What earlier notices said about the subject is no longer so, or was said again. */
export function outdate({ draft, outdated }: Work, subject: string): void {
  if (draft.groups.size > 0) outdated.add(subject)
}

/**
 * Remembers what a notice with a subject of its own is about: of several things, or of a maintenance.
 * Another one would replace it without saying what it said.
 */
function group(work: Work, subject: string, items: readonly Pending[]): void {
  // What is past remains true.
  const isPast = ({ event, wasDown }: Pending): boolean =>
    event.of === 'trouble' ||
    (event.of === 'check' && !isChange(event)) ||
    (event.kind === 'recovered' && !wasDown)
  if (!items.some(isPast))
    work.groups.set(
      subject,
      items.map(({ event }) => event.subject),
    )
}

/** The subjects of notices none of whose parts is left. Remembers the new ones. */
export function outdatedGroups({ draft, outdated, groups }: Work): readonly string[] {
  const gone: string[] = []
  if (outdated.size > 0)
    for (const [subject, of] of draft.groups) {
      const left = of.filter((one) => !outdated.has(one))
      if (left.length === 0) {
        draft.groups.delete(subject)
        gone.push(subject)
      } else if (left.length < of.length) draft.groups.set(subject, left)
    }
  for (const [subject, of] of groups) draft.groups.set(subject, of)
  return gone
}

function lineOf(item: Pending, now: number): NoticeLine {
  const event = asNow(item, now)
  const why = event.of === 'check' ? eventCause(event) : null
  const { title, at, target } = event
  return { text: joined([title, why]), at, target, ...markOf(event) }
}

/** Events that one notice will report. */
interface Planned {
  readonly items: readonly Candidate[]
  /** For events decided earlier: why they are shown now. */
  readonly why?: Reason
  readonly notice: (sound: boolean) => Notice
}

/**
 * Groups more than `most` checks of one project and kind, all messages of a conversation, and those
 * of an account if they are in too many conversations.
 */
function plan(work: Work, items: readonly Candidate[], most = foldAbove): Planned[] {
  const { context, now } = work
  const alike = Map.groupBy(
    items.filter(({ event }) => event.of === 'check'),
    (one) => `${one.event.accountId} ${asNow(one, now).kind}`,
  )
  const checks = [...alike.values()].flatMap((some) => {
    if (some.length <= most) return some.map((one) => planSingle(work, one))
    const down = context.down[some[0]?.event.accountId ?? ''] ?? 0
    return [
      together(work, some, (events: readonly CheckEvent[], sound) =>
        projectNotice(events, down, sound, some.length === missedLimit ? down : 0),
      ),
    ]
  })
  return [...checks, ...planOthers(work, items)]
}

function planOthers(work: Work, items: readonly Candidate[]): Planned[] {
  const messages = Map.groupBy(
    items.filter(({ event }) => event.of === 'message'),
    ({ event }) => event.accountId,
  )
  const planned = [...messages.values()].flatMap((some) => {
    const conversations = Map.groupBy(some, ({ event }) => event.subject)
    return conversations.size > foldAbove
      ? [together(work, some, messagesNotice)]
      : [...conversations.values()].map((one) => together(work, one, conversationNotice))
  })
  const troubles = items.filter(({ event }) => event.of === 'trouble')
  return [...planned, ...troubles.map((one) => planSingle(work, one))]
}

function planSingle({ now }: Work, item: Candidate): Planned {
  return { items: [item], notice: (sound) => noticeOf(asNow(item, now), sound) }
}

/** `Event`: the type of the events, which the caller has made sure of. */
function together<Event extends AttentionEvent>(
  { now }: Work,
  items: readonly Candidate[],
  notice: (events: readonly Event[], sound: boolean) => Notice,
): Planned {
  const events = items.map((one) => asNow(one, now) as Event)
  return { items, notice: (sound) => notice(events, sound) }
}
