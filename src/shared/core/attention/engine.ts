import { clockWords } from '../time.ts'
import { dayMs } from '../wall-clock.ts'
import { firstOf } from '../wording.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  isChange,
  newestOfChecks,
  stateAfter,
} from './event.ts'
import {
  cooledDown,
  dropFlapping,
  forgetCooldowns,
  nextFlapping,
  releaseFlapping,
} from './flapping.ts'
import {
  type AttentionContext,
  type Candidate,
  type Decision,
  isRecoveryUnheard,
  judge,
  rings,
} from './judge.ts'
import {
  type AttentionMemory,
  type DeferredEvent,
  missedLimit,
  type QuietSpan,
  setBack,
} from './memory.ts'
import { type Notice, namesInFold, type Reason } from './notice.ts'
import { digestNotice, noticeOf } from './notices.ts'
import { isQuiet, quietReason, quietSpan } from './quiet.ts'
import { verdictOf } from './rules.ts'
import { forgetStorms, mayRing, nextRelease, pop, releaseDeferred, show } from './show.ts'
import { maintenanceOn, nextSilenceEnd, type Silence, silencesOn } from './silence.ts'
import { nextTime, noteOutage, takeUnseen } from './still-down.ts'
import {
  cooldownMs,
  end,
  endWork,
  isUnread,
  markNotified,
  remember,
  startWork,
  type Work,
  withinLimit,
} from './work.ts'

/** What follows from some events, or from time alone. */
export interface Step {
  readonly memory: AttentionMemory
  readonly decisions: readonly Decision[]
  /** To be shown now. */
  readonly popUps: readonly Notice[]
  /** For the app's own list, in order of time: pop-ups and everything else. */
  readonly listed: readonly Notice[]
  /** Epoch ms of the next step that is due even if nothing happens; null: none. */
  readonly wakeAt: number | null
}

/** What changed since the last step. */
export interface Happened {
  readonly events: readonly AttentionEvent[]
  /** Subjects whose notices are outdated: a check is no longer down, a conversation was read. */
  readonly over: readonly string[]
  /** Subjects of checks that the user has just looked at. */
  readonly seen?: readonly string[]
  /** This computer's clock was set back by so many ms. */
  readonly setBackMs?: number
}

/**
 * The attention engine: one pure function that decides, with reasons, what the user is notified
 * about. The same input always gives the same output.
 */
export function step(
  memory: AttentionMemory,
  happened: Happened,
  context: AttentionContext,
  now: number,
): Step {
  const { setBackMs = 0 } = happened
  const work = startWork(setBackMs === 0 ? memory : setBack(memory, setBackMs), context, now)
  forgetStorms(work)
  dropOver(work, happened)
  // First, as the read after a start may say that what is due is over.
  const events = withoutBrief(work, happened.events)
  const due = takeDue(work)
  const held = deferredSubjects(work)
  for (const event of due) judgeOne(work, held, event, true)
  for (const subject of happened.seen ?? []) work.draft.unseen.delete(subject)
  for (const event of takeUnseen(work, events)) judgeOne(work, held, event, true)
  for (const event of events) {
    judgeOne(work, held, event, isReminder(event))
    if (event.of === 'check' && !isReminder(event)) work.changed.push(event)
  }
  announceMaintenance(work)
  announceDigest(work)
  show(work, cooledDown(work))
  const wanted = (held: readonly DeferredEvent[]) => stillWanted(work, held)
  releaseFlapping(work, wanted)
  releaseDeferred(work, wanted)
  forgetCooldowns(work)
  return {
    memory: endWork(work),
    decisions: work.decisions,
    popUps: work.popUps,
    listed: work.listed,
    wakeAt: nextWake(work),
  }
}

/** Drops outdated pending notices: a check was paused, a message was read elsewhere. */
function dropOver(work: Work, { events, over }: Happened): void {
  if (over.length === 0) return
  const notifiedSubjects = new Set(events.map(({ subject }) => subject))
  const gone = new Set(over.filter((subject) => !notifiedSubjects.has(subject)))
  const { draft } = work
  // A past outage and a recovery stay true.
  const holds = ({ subject, kind }: AttentionEvent): boolean =>
    kind === 'missed' || kind === 'recovered' || !gone.has(subject)
  const still = (held: readonly DeferredEvent[]) => held.filter(({ event }) => holds(event))
  for (const [subject, { event }] of draft.waiting) {
    if (holds(event)) continue
    draft.waiting.delete(subject)
    end(work, event, 'silent', [{ by: 'brief', text: 'It is no longer down.' }])
  }
  for (const subject of gone) draft.unseen.delete(subject)
  dropFlapping(work, gone)
  draft.missed = still(draft.missed)
  draft.maintained = draft.maintained.map((one) => ({ ...one, held: still(one.held) }))
  const { lastDigest } = draft
  draft.lastDigest = lastDigest && { ...lastDigest, events: still(lastDigest.events) }
  // Paused or deleted: there will be no recovery to suppress.
  for (const subject of gone) draft.untold.delete(subject)
  for (const name of ['checks', 'others'] as const) {
    const lane = draft.lanes[name]
    draft.lanes[name] = { ...lane, held: still(lane.held) }
  }
}

/** Applies rules, silences and quiet as they are now to what was held back under earlier ones. */
function stillWanted(work: Work, held: readonly DeferredEvent[]): DeferredEvent[] {
  const wanted = held.filter((one) => isStillWanted(work, one))
  if (wanted.length === 0) return []
  const left = new Set(wanted)
  const newest = newestOfChecks(held, ({ event }) => event)
  const subjects = new Set(
    newest.filter((one) => isChange(one.event) && left.has(one)).map(({ event }) => event.subject),
  )
  // Without its latest change, the earlier ones would be wrong about a check.
  return wanted.flatMap(({ event, sound }) =>
    !isChange(event) || subjects.has(event.subject)
      ? { event, sound: sound && rings(work, event) }
      : [],
  )
}

function isStillWanted(work: Work, held: DeferredEvent): boolean {
  const { context, now } = work
  const { event } = held
  // Whatever the rules say about recoveries, without one its check would seem to be down.
  const way = event.kind === 'recovered' ? 'banner' : verdictOf(event, context.settings).way
  if (way === 'tray') return false
  const isSilent = way === 'nothing' || isRecoveryUnheard(work, event)
  const maintenance = isSilent ? null : maintenanceOn(event, context.silences, now)
  if (maintenance !== null) {
    maintain(work, maintenance, [held])
    return false
  }
  if (isSilent || silencesOn(event, context.silences, now).length > 0) {
    const isAgain = event.of === 'check' && event.again !== undefined
    if (!isAgain) markNotified(work, event, false)
    return false
  }
  if (quietReason(work, event) === null) return true
  miss(work, held)
  return false
}

function miss({ draft, context, now }: Work, held: DeferredEvent): void {
  draft.missed.push(held)
  draft.quiet = quietSpan(draft.quiet, context.away, now)
}

/** Checks that have been down for as long as the rules require. */
function takeDue(work: Work): CheckEvent[] {
  const { draft, now, context } = work
  // Uses the current rules, which may require another time than before.
  for (const [subject, one] of draft.waiting) {
    const { afterMinutes } = verdictOf(one.event, context.settings)
    const dueAt = one.event.at + afterMinutes * 60_000
    if (dueAt !== one.dueAt) draft.waiting.set(subject, { ...one, dueAt })
  }
  const due = [...draft.waiting.values()].filter(
    ({ dueAt, event }) => dueAt <= now && !isUnread(work, event),
  )
  for (const { event } of due) draft.waiting.delete(event.subject)
  return due.map(({ event }) => event)
}

function isReminder(event: AttentionEvent): boolean {
  return event.of === 'check' && event.isReminder === true
}

function withoutBrief(work: Work, events: readonly AttentionEvent[]): readonly AttentionEvent[] {
  return work.draft.waiting.size === 0 ? events : events.filter((one) => !endsBrief(work, one))
}

/** Suppresses the outage and the recovery of a check that recovers within its waiting time. */
function endsBrief(work: Work, event: AttentionEvent): boolean {
  if (event.of !== 'check') return false
  const after = stateAfter[event.kind]
  if (after !== 'down' && after !== 'up') return false
  const waiting = work.draft.waiting.get(event.subject)
  if (waiting === undefined) return false
  // The waiting event will be shown anyway.
  if (isReminder(event)) {
    end(work, event, 'silent', [{ by: 'wait', text: 'It was not down for long enough.' }])
    return true
  }
  work.draft.waiting.delete(event.subject)
  work.changed.push(event)
  const minutes = Math.round((waiting.dueAt - waiting.event.at) / 60_000)
  const isBrief = waiting.dueAt > work.now
  const text = isBrief
    ? `It came back within ${minutes} min.`
    : 'It was over when it was read again.'
  const brief: Reason = { by: 'brief', text }
  end(work, waiting.event, 'silent', [brief])
  if (after === 'down' || !isBrief) return false
  end(work, event, 'silent', [brief])
  return true
}

/** `held`: subjects with pending notices. `waited`: see `judge`. */
function judgeOne(
  work: Work,
  held: ReadonlySet<string>,
  event: AttentionEvent,
  waited: boolean,
): void {
  const judgement = judge(work, event, waited)
  const isLeftOut = judgement.kind === 'end' && judgement.outcome !== 'folded'
  noteOutage(work, event, judgement.kind !== 'wait' && !isLeftOut)
  if (judgement.kind === 'pop') {
    propose(work, held, judgement)
    return
  }
  const isPending = isChange(event) && held.has(event.subject)
  const isMissed = judgement.kind === 'miss'
  const taken = isPending ? overtake(work, event, isMissed || judgement.kind === 'wait') : []
  if (judgement.kind === 'wait') {
    const { dueAt, verdict } = judgement
    // Only checks that are down wait.
    work.draft.waiting.set(event.subject, { event: event as CheckEvent, way: verdict.way, dueAt })
    return
  }
  if (isMissed) {
    const missed = [...taken, { event, sound: judgement.sound }]
    if (judgement.maintenance === null) for (const one of missed) miss(work, one)
    else maintain(work, judgement.maintenance, missed)
  }
  if (isPending) updateDigests(work.draft, event)
  const outcome = isMissed ? 'tray' : judgement.outcome
  if (outcome !== 'silent') remember(work, event)
  markNotified(work, event, outcome !== 'silent')
  end(work, event, outcome, judgement.reasons)
}

/** Proposes a pop-up, unless it is a recovery that the digest shown in this step reports. */
function propose(work: Work, held: ReadonlySet<string>, candidate: Candidate): void {
  const { event, reasons } = candidate
  const isPending = isChange(event) && held.has(event.subject)
  const isInDigest = isPending && event.kind === 'recovered' && isDigestDue(work, event)
  if (isPending) updateDigests(work.draft, event)
  remember(work, event)
  markNotified(work, event, true)
  if (isInDigest) end(work, event, 'folded', [...reasons, digestReason])
  else work.candidates.push(candidate)
}

const digestReason: Reason = { by: 'quiet', text: 'The digest of the quiet time says so.' }

/** Whether this step shows a digest about the event's check, as after a start. */
function isDigestDue(work: Work, { subject }: AttentionEvent): boolean {
  const { missed, quiet } = work.draft
  return quiet !== null && !isQuiet(work) && missed.some(({ event }) => event.subject === subject)
}

/** Keeps events for the digest of a maintenance. */
function maintain(
  { draft }: Work,
  { scope, label }: Silence,
  events: readonly DeferredEvent[],
): void {
  const key = JSON.stringify(scope)
  const before = draft.maintained.find((one) => one.scope === key)
  const others = draft.maintained.filter((one) => one !== before)
  const held = withinLimit([...(before?.held ?? []), ...events])
  draft.maintained = [...others, { scope: key, label, held }]
}

/** Shows what happened in maintenances that are over as one digest. */
function announceMaintenance(work: Work): void {
  const { draft, context, now } = work
  if (draft.maintained.length === 0) return
  const open = new Set(
    context.silences.flatMap(({ how, scope }) =>
      how === 'maintenance' ? [JSON.stringify(scope)] : [],
    ),
  )
  const over = draft.maintained.filter(({ scope }) => !open.has(scope))
  draft.maintained = draft.maintained.filter(({ scope }) => open.has(scope))
  const held = over.flatMap((one) => one.held).sort((one, other) => one.event.at - other.event.at)
  const wanted = stillWanted(work, held)
  if (wanted.length === 0) return
  const last = newestOfChecks(wanted, ({ event }) => event)
  const rings = mayRing(work) && last.some(({ event, sound }) => event.kind === 'down' && sound)
  const what = firstOf(
    over.map(({ label }) => label),
    namesInFold,
  )
  const notice = digestNotice(
    wanted.map(({ event }) => event),
    { id: `maintenance@${now}`, subject: 'maintenance', title: `Maintenance of ${what} is over` },
    now,
    rings,
  )
  const [line, ...more] = notice.lines
  const target = line === undefined || more.length > 0 ? notice.target : line.target
  const why = { by: 'silence', text: `It came during the maintenance of ${what}.` } as const
  pop(work, { ...notice, target }, [why])
}

/** Shows what came in the meantime as one digest, once the quiet is over. */
function announceDigest(work: Work): void {
  const { draft, now } = work
  const { quiet: span, lastDigest } = draft
  if (span === null || isQuiet(work)) return
  const known = draft.missed.filter(({ event }) => !isUnread(work, event))
  draft.missed = draft.missed.filter(({ event }) => isUnread(work, event))
  // The rest is added to this digest once its accounts are read.
  if (draft.missed.length === 0) draft.quiet = null
  const missed = stillWanted(work, known)
  if (missed.length === 0) return
  const again = lastDigest !== null && span.from - lastDigest.at < cooldownMs
  const events = again ? [...lastDigest.events, ...missed].slice(-missedLimit) : missed
  const whole = again ? { ...span, from: lastDigest.quiet.from } : span
  draft.lastDigest = { at: now, events, quiet: whole }
  const sound = span.why === 'away' && mayRing(work) && missed.some((one) => one.sound)
  const why: Reason =
    span.why === 'away'
      ? { by: 'away', text: 'It came while this computer was asleep.' }
      : { by: 'quiet', text: 'It came while notifications were quiet.' }
  const all = events.map(({ event }) => event)
  const head = { id: `digest@${whole.from}-${now}`, subject: 'digest', title: titleOf(whole) }
  // Needs an id of its own: the list already has an entry saying that the event was kept.
  const [only, ...others] = all
  const notice =
    only !== undefined && others.length === 0
      ? { ...noticeOf(only, sound), id: `${only.id}/digest` }
      : digestNotice(all, head, now, sound)
  pop(work, notice, [why])
}

function nextWake(work: Work): number | null {
  const { draft, context, quiet, now } = work
  const ends = [quiet.hours, quiet.disturb].filter((at) => at !== null && Number.isFinite(at))
  const times = [
    ...[...draft.waiting.values()].flatMap(({ dueAt, event }) =>
      // The first read of the account triggers a step anyway.
      isUnread(work, event) ? [] : [dueAt],
    ),
    ...[...draft.unseen.values()].map((one) =>
      isUnread(work, one.event) ? null : nextTime(one, context.settings),
    ),
    nextRelease(draft),
    nextFlapping(work),
    nextSilenceEnd(context.silences, now),
    ...(draft.quiet === null ? [] : ends),
  ].filter((at) => at !== null)
  const next = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
  return next === Number.POSITIVE_INFINITY ? null : Math.max(now, next)
}

/** Subjects with pending notices, collected once for thousands of events. */
function deferredSubjects({ draft }: Work): ReadonlySet<string> {
  const subjects = new Set<string>()
  for (const { event } of draft.lanes.checks.held) subjects.add(event.subject)
  for (const { event } of [...draft.missed, ...(draft.lastDigest?.events ?? [])])
    subjects.add(event.subject)
  for (const { held } of draft.maintained) for (const { event } of held) subjects.add(event.subject)
  for (const [subject, { held }] of draft.checks) if (held > 0) subjects.add(subject)
  return subjects
}

/**
 * Handles pending notices about a check that changed without a pop-up, since they are outdated.
 * Removes and returns those that a storm held back. `isNotified`: the change itself is pending too:
 * it waits or goes into a digest.
 */
function overtake({ draft }: Work, event: CheckEvent, isNotified: boolean): DeferredEvent[] {
  const { subject } = event
  const isOfIt = (held: DeferredEvent): boolean => held.event.subject === subject
  const { checks: lane } = draft.lanes
  const taken = lane.held.filter(isOfIt)
  if (taken.length > 0)
    draft.lanes.checks = { ...lane, held: lane.held.filter((held) => !isOfIt(held)) }
  const lately = draft.checks.get(subject)
  if (lately !== undefined && lately.held > 0)
    draft.checks.set(
      subject,
      isNotified
        ? { ...lately, held: 0, last: null }
        : { ...lately, held: lately.held + 1, last: event },
    )
  return taken
}

/** A digest shows each check's latest state, even if that was notified by itself or in another. */
function updateDigests(draft: Work['draft'], event: CheckEvent): void {
  const updated = (held: readonly DeferredEvent[]): DeferredEvent[] => {
    const last = held.findLast((one) => one.event.subject === event.subject)?.event ?? event
    return last === event ? [...held] : withinLimit([...held, { event, sound: false }])
  }
  draft.missed = updated(draft.missed)
  draft.maintained = draft.maintained.map((one) => ({ ...one, held: updated(one.held) }))
  const { lastDigest } = draft
  draft.lastDigest = lastDigest && { ...lastDigest, events: updated(lastDigest.events) }
}

function titleOf({ from, to, why }: QuietSpan): string {
  if (why === 'quiet' || to === null) return 'While you were away'
  const short = to - from < dayMs
  const span = short
    ? `${clockWords(from, from)}–${clockWords(to, to)}`
    : `${clockWords(from, to)} – ${clockWords(to, to)}`
  return `While this computer was asleep (${span})`
}
