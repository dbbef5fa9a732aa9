import { type CheckRead, firstBeganAt, inThePast } from './as-now.ts'
import type { AttentionContext, Candidate, Decision } from './decision.ts'
import { holdOn } from './dependencies/hold.ts'
import { forgetDigests, releaseDigest, releaseMaintenance, updateSaid } from './digests.ts'
import { type AttentionEvent, beganAt, type CheckEvent, isChange, stateAfter } from './event.ts'
import { cooledDown, forgetCooldowns, lastPopUpAt, releaseFlapping } from './flapping.ts'
import { dueAt, type Judgement, judge, rings } from './judge.ts'
import { type AttentionMemory, type Pending, setBack, type Waiting, type Why } from './memory.ts'
import type { Notice, Reason } from './notice.ts'
import { noticeOf } from './notices.ts'
import type { ProgramStart } from './programs/program.ts'
import { dueReminders, forgetReminder, nextReminder, noteOutage } from './reminders.ts'
import { verdictOf } from './rules.ts'
import { forgetStorms, outdate, outdatedGroups, releaseStorm, roomAt, show } from './show.ts'
import { nextSilenceEnd } from './silence.ts'
import { maintenances } from './silences-on.ts'
import {
  bare,
  dropExplained,
  propose,
  proposeWanted,
  waitForMaintenance,
  waitForOthers,
  waitForQuiet,
} from './wanted.ts'
import {
  cooldownMs,
  drop,
  end,
  endWork,
  followReads,
  isAlreadyNotified,
  isDue,
  isQuiet,
  isUnread,
  markNotified,
  quietEnd,
  remember,
  startWork,
  type Work,
  wait,
  waitingFor,
  waitingOf,
} from './work.ts'

/** What follows from some events, or from time alone. */
export interface Step {
  readonly memory: AttentionMemory
  readonly decisions: readonly Decision[]
  /** To be shown now. */
  readonly popUps: readonly Notice[]
  /** Programs to run with them. */
  readonly starts: readonly ProgramStart[]
  /** For the app's own list, in order of time: pop-ups and everything else. */
  readonly listed: readonly Notice[]
  /** Subjects of notices none of which is so any more, or whose place another takes. */
  readonly outdated: readonly string[]
  /** In the words of what is known now: what was told of these outages before the flips were read. */
  readonly corrected: readonly Notice[]
  /** Epoch ms of the next step that is due even if nothing happens; null: none. */
  readonly wakeAt: number | null
}

/** What changed since the last step. */
export interface Happened {
  readonly events: readonly AttentionEvent[]
  /** Subjects whose notices are outdated: a check is no longer down, a conversation was read. */
  readonly over: readonly string[]
  /** What was read of checks about which something waits. */
  readonly read?: readonly CheckRead[]
  /** Subjects of checks that the user has just looked at. */
  readonly seen?: readonly string[]
  /** This computer's clock was set back by so many ms. */
  readonly setBackMs?: number
}

/** One reason to wait. */
interface Release {
  /** Epoch ms at which it is over by what is so now; null: not by time alone. */
  readonly until: (one: Waiting, work: Work) => number | null
  /** Shows what is due, as it is now. */
  readonly release: (work: Work, due: readonly Waiting[]) => void
}

/**
 * Everything that may wait, by the reason it waits for. Whatever the reason, what waits about a check
 * is shown only once its account was read since the start.
 */
const releases: Readonly<Record<Why, Release>> = {
  brief: {
    // By the current rules, which may require another time than before.
    until: (one, { context }) => dueAt(firstBeganAt(one), verdictOf(one.event, context.settings)),
    release: releaseBrief,
  },
  reminder: {
    until: ({ event }, { context, now }) => nextReminder(event, context.settings) ?? now,
    release: (work, due) => {
      for (const event of dueReminders(work, due)) remind(work, event)
    },
  },
  maintenance: {
    until: ({ maintenance }, { context, now }) =>
      maintenances(context.silences).has(maintenance?.scope ?? '') ? null : now,
    release: releaseMaintenance,
  },
  dependency: {
    until: (one, work) => {
      const hold = holdOn(work, one.event)
      return hold === null ? work.now : hold.until
    },
    release: proposeWanted,
  },
  quiet: { until: ({ event }, work) => quietEnd(work, event), release: releaseDigest },
  sleep: { until: ({ event }, work) => quietEnd(work, event), release: releaseDigest },
  flapping: { until: ({ until }) => until, release: releaseFlapping },
  storm: { until: ({ until }) => until, release: releaseStorm },
  said: {
    until: (_, { draft, context }) =>
      draft.quiet !== null || context.away !== null
        ? null
        : (draft.lastDigest?.at ?? 0) + cooldownMs,
    release: drop,
  },
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
  followReads(work, happened.read)
  for (const subject of happened.seen ?? []) forgetReminder(work, subject)
  update(work)
  for (const event of happened.events) take(work, event)
  release(work, 'brief')
  release(work, 'reminder')
  release(work, 'maintenance')
  release(work, 'quiet', 'sleep')
  dropExplained(work)
  release(work, 'dependency')
  show(work, cooledDown(work))
  release(work, 'flapping')
  release(work, 'storm')
  release(work, 'said')
  forgetDigests(work, isQuiet(work))
  forgetCooldowns(work)
  const outdated = [...work.replaced, ...outdatedGroups(work)]
  update(work)
  const { decisions, popUps, starts, listed, corrected } = work
  const after = endWork(work)
  const wakeAt = nextWake(work)
  return { memory: after, decisions, popUps, starts, listed, outdated, corrected, wakeAt }
}

/** Computes until when everything waits, by rules, silences and quiet as they are now. */
function update(work: Work): void {
  for (const [key, one] of work.draft.waits) {
    const until = releases[one.why].until(one, work)
    if (until !== one.until) work.draft.waits.set(key, { ...one, until })
  }
}

/** `whys`: reasons that are released together. */
function release(work: Work, ...whys: readonly [Why, ...Why[]]): void {
  const due = waitingFor(work, ...whys).filter((one) => isDue(work, one))
  if (due.length > 0) releases[whys[0]].release(work, due)
}

/** Checks that have been down for as long as the rules require. */
function releaseBrief(work: Work, due: readonly Waiting[]): void {
  drop(work, due)
  for (const one of due) decide(work, one, judge(work, one.event, true))
}

/** Drops outdated pending notices: a check was paused, a message was read elsewhere. */
function dropOver(work: Work, { events, over }: Happened): void {
  if (over.length === 0) return
  // An odd run or a past outage of a check doesn't say what it is now.
  const saysNow = events.filter((event) => event.of !== 'check' || isChange(event))
  const notifiedSubjects = new Set(saysNow.map(({ subject }) => subject))
  const gone = new Set(over.filter((subject) => !notifiedSubjects.has(subject)))
  const { draft } = work
  for (const one of [...draft.waits.values()]) {
    const { kind, subject } = one.event
    // What is past stays so.
    const isPast = one.event.of === 'check' && !isChange(one.event)
    if (!gone.has(subject) || isPast) continue
    // It was so, but is so no longer.
    if (kind === 'recovered') {
      wait(work, { ...one, event: inThePast(one.event) })
      continue
    }
    drop(work, [one])
    if (one.why === 'brief')
      end(work, one.event, 'silent', [{ by: 'brief', text: 'It is no longer down.' }])
  }
  for (const subject of over) outdate(work, subject)
  // Paused or deleted: there will be no recovery to suppress.
  for (const subject of gone) {
    draft.unnotified.delete(subject)
    draft.downNotifiedAt.delete(subject)
  }
}

/** Decides on an event that just happened. */
function take(work: Work, event: AttentionEvent): void {
  if (event.of === 'check' && event.isReminder === true) {
    remind(work, event)
    return
  }
  if (isChange(event)) takeChange(work, event)
  else {
    const pending = { event: besideChanges(work, event), sound: false, wasDown: false, changes: 1 }
    decide(work, pending, judge(work, event, false))
  }
  if (event.of === 'check' && event.why === undefined) work.changed.push(event)
}

/** What waits about a check will say what it is: a notice of a past outage would only say it first. */
function besideChanges(work: Work, event: AttentionEvent): AttentionEvent {
  if (event.of !== 'check' || event.last === undefined) return event
  return waitingOf(work, event) === undefined ? event : { ...event, body: event.last.place }
}

/** A check's changes wait as one: a new one takes the place of those that still wait. */
function takeChange(work: Work, event: CheckEvent): void {
  // One that is down again still is what an earlier notice says.
  if (event.upForMs === undefined) outdate(work, event.subject)
  if (event.kind === 'late' && isOutageOver(work, event)) {
    takeLate(work, event)
    return
  }
  const before = overtaken(work, event)
  if (before === undefined && isAlreadyNotified(work, event)) {
    const reason = 'You were notified that it is down, after it was up.'
    end(work, event, 'folded', [{ by: 'same', text: reason }])
    work.corrected.push(noticeOf(event, false))
    return
  }
  updateSaid(work, event)
  const isUp = stateAfter[event.kind] === 'up'
  if (isUp && work.draft.downNotifiedAt.size > 0) work.draft.downNotifiedAt.delete(event.subject)
  const isShort = before !== undefined && 'until' in before && before.why === 'brief'
  const brief = isShort ? endShort(work, before, event) : null
  if (isShort && isUp && !before.wasDown) {
    endBrief(work, before, event, brief)
    return
  }
  const wasDown = isUp || (event.from === 'down' && !work.draft.unnotified.has(event.subject))
  const pending: Pending = {
    event,
    sound: false,
    wasDown: before?.wasDown ?? wasDown,
    changes: (before?.changes ?? 0) + changesOf(event, brief),
  }
  decide(work, pending, judge(work, event, false), isShort ? undefined : before)
}

/**
 * One that was up between two reads went up and down. If that ended an outage too short to be told,
 * only the other one counts.
 */
function changesOf({ upForMs }: CheckEvent, brief: Reason | null): number {
  if (upForMs === undefined) return 1
  return brief === null ? 2 : 0
}

/** Ends the wait of an outage; returns why it was too short to be told, or null. */
function endShort(work: Work, before: Waiting, event: CheckEvent): Reason | null {
  drop(work, [before])
  const { brief, isBrief } = briefReason(work, before, event)
  end(work, before.event, 'silent', [brief])
  return isBrief ? brief : null
}

/** Whether what waits about the check, or is to be shown in this very step, ends an outage. */
function isOutageOver(work: Work, event: CheckEvent): boolean {
  const before = work.candidates.get(event.subject) ?? waitingOf(work, event)
  return before !== undefined && isChange(before.event) && stateAfter[before.event.kind] === 'up'
}

/** A late check is up, as far as outages go: what waits of them stays as it is. */
function takeLate(work: Work, event: CheckEvent): void {
  const judgement = judge(work, event, false)
  const folded = { by: 'same', text: 'A notice of its last outage is still to come.' } as const
  const pending = { event, sound: false, wasDown: false, changes: 0 }
  if (judgement.kind === 'end') decide(work, pending, judgement)
  else end(work, event, 'folded', [folded])
}

/**
 * Ends an outage of which nothing was said yet. Null: it lasted for long enough, so it is news, by
 * the rules for outages. Otherwise why it isn't; those that were held back before it still are.
 */
function endBrief(work: Work, before: Waiting, event: CheckEvent, brief: Reason | null): void {
  const changes = before.changes + (brief === null ? 1 : -1)
  if (brief !== null && changes < 2) {
    noteOutage(work, event, false)
    end(work, event, 'silent', [brief])
    return
  }
  const pending = { ...bare(before), event, changes }
  const outage = judge(work, { ...event, kind: 'down', at: before.event.at }, true)
  if (!('sound' in outage)) decide(work, pending, outage)
  else {
    const reasons = brief === null ? outage.reasons : [brief, earlier]
    decide(work, pending, { ...outage, sound: false, reasons })
  }
}

const earlier: Reason = { by: 'batch', text: 'An earlier outage is still to be told.' }

/** What waits about the check, or was to be shown in this very step. */
function overtaken(work: Work, event: CheckEvent): Waiting | Candidate | undefined {
  const { candidates } = work
  const candidate = candidates.size === 0 ? undefined : candidates.get(event.subject)
  if (candidate === undefined) return waitingOf(work, event)
  candidates.delete(event.subject)
  const reason = { by: 'same', text: 'It changed again before it was shown.' } as const
  end(work, candidate.event, 'folded', [...candidate.reasons, reason])
  return candidate
}

/** `after`: the recovery, which may know that the outage began before it was read. */
function briefReason({ now }: Work, before: Waiting, after: CheckEvent) {
  const first = firstBeganAt(before)
  const waitMs = (before.until ?? now) - first
  const began = Math.min(first, after.kind === 'recovered' ? beganAt(after) : now)
  const minutes = Math.round(waitMs / 60_000)
  const isBrief = began + waitMs > now
  const text = isBrief
    ? `It came back within ${minutes} min.`
    : 'It was over when it was read again.'
  return { brief: { by: 'brief', text } satisfies Reason, isBrief }
}

/** A check is still down: after a silence, or as nobody has seen it. */
function remind(work: Work, event: CheckEvent): void {
  const before = work.candidates.get(event.subject) ?? waitingOf(work, event)
  if (before !== undefined && 'why' in before && before.why === 'brief') {
    end(work, event, 'silent', [{ by: 'wait', text: 'It was not down for long enough.' }])
    return
  }
  const isSaid = event.again === undefined && wasJustShown(work, event)
  if (isSaid || (before !== undefined && !('why' in before))) {
    end(work, event, 'folded', [{ by: 'same', text: 'You were notified just now.' }])
    return
  }
  const isNotified = !work.draft.unnotified.has(event.subject)
  const { wasDown = isNotified, changes = isNotified ? 0 : 1 } = before ?? {}
  const pending = { event, sound: false, wasDown, changes }
  decide(work, pending, judge(work, event, true), before)
}

/** Whether the user was just notified that the check is down, by itself or in a digest. */
function wasJustShown(work: Work, event: CheckEvent): boolean {
  const { draft, now } = work
  if (draft.waits.get(`said ${event.subject}`)?.event.kind === 'down') return true
  const lastAt = Math.max(lastPopUpAt(work, event), draft.downNotifiedAt.get(event.subject) ?? 0)
  return !draft.unnotified.has(event.subject) && now - lastAt <= cooldownMs
}

/** `before`: the check's earlier changes, which wait or were to be shown in this step. */
function decide(
  work: Work,
  pending: Pending,
  judgement: Judgement,
  before?: Waiting | Candidate,
): void {
  const { event } = pending
  const isLeftOut = judgement.kind === 'end' && judgement.outcome !== 'folded'
  noteOutage(work, event, judgement.kind !== 'wait' && !isLeftOut)
  const waiting = before !== undefined && 'why' in before ? before : undefined
  const item = { ...bare(pending), sound: 'sound' in judgement && judgement.sound }
  switch (judgement.kind) {
    case 'wait':
      wait(work, { ...item, why: 'brief', until: judgement.dueAt })
      return
    case 'pop':
      remember(work, event)
      markNotified(work, pending, true)
      if (waiting !== undefined && isShownAnyway(work, waiting, event)) {
        wait(work, { ...waiting, ...item })
        end(work, event, 'folded', [...judgement.reasons, anyway])
        return
      }
      if (waiting !== undefined) drop(work, [waiting])
      propose(work, { ...item, reasons: judgement.reasons, waitedFor: waiting?.why })
      return
    case 'hold':
      waitForOthers(work, item)
      remember(work, event)
      markNotified(work, pending, true)
      end(work, event, 'tray', judgement.reasons)
      return
    case 'miss':
      if (judgement.maintenance === null) waitForQuiet(work, item)
      else waitForMaintenance(work, judgement.maintenance, item)
      remember(work, event)
      markNotified(work, pending, true)
      end(work, event, 'tray', judgement.reasons)
      return
    case 'end': {
      const { outcome, reasons } = judgement
      // What waits is worded by the newest change, even by one that is silent.
      if (waiting !== undefined && outcome === 'folded') drop(work, [waiting])
      else if (waiting !== undefined) wait(work, { ...waiting, ...item, sound: rings(work, event) })
      if (outcome !== 'silent') remember(work, event)
      markNotified(work, pending, outcome !== 'silent')
      end(work, event, outcome, reasons)
    }
  }
}

const anyway: Reason = { by: 'batch', text: 'What was held back about it until now says so.' }

/** Whether this step shows what waits about the check, as after a start. A digest makes no sound. */
function isShownAnyway(work: Work, waiting: Waiting, { kind }: AttentionEvent): boolean {
  // Its check may have come back before what it depends on was read.
  if (waiting.why === 'dependency') return true
  return isDue(work, waiting) && (waiting.why !== 'quiet' || kind === 'recovered')
}

function nextWake(work: Work): number | null {
  const { draft, context, now } = work
  let next = nextSilenceEnd(context.silences, now) ?? Number.POSITIVE_INFINITY
  for (const { why, until, event } of draft.waits.values()) {
    // The first read of the account triggers a step anyway.
    if (until === null || why === 'said' || isUnread(work, event)) continue
    // A digest may have to wait until there is room for it.
    next = Math.min(next, until > now ? until : roomAt(work, 'checks'))
  }
  return next === Number.POSITIVE_INFINITY ? null : Math.max(now, next)
}
