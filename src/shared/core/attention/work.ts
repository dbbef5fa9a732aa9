import type { CheckId } from '../checks/check.ts'
import { clockUntilWords } from '../time.ts'
import { asRead, type CheckRead } from './as-now.ts'
import type { AttentionContext, Candidate, Decision } from './decision.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  isChange,
  type MessageEvent,
  stateAfter,
} from './event.ts'
import {
  type AttentionMemory,
  byKey,
  keyOf,
  missedLimit,
  type Pending,
  type PopUpLimit,
  type QuietSpan,
  type Waiting,
  type Why,
} from './memory.ts'
import type { Notice, Reason } from './notice.ts'
import { noticeOf } from './notices.ts'
import type { ProgramStart } from './programs/program.ts'
import { breaksQuiet, quietUntil } from './quiet-hours.ts'
import { sameEventMs } from './same-event.ts'
import { disturbUntil } from './silence.ts'

/** A computer may wake briefly at night and sleep again: one digest covers it all. */
export const cooldownMs = 2 * 60_000

/** The memory, mutable during a step: thousands of events must not copy it thousands of times. */
function draftOf(memory: AttentionMemory, now: number) {
  const isRecent = ({ at }: AttentionEvent): boolean => Math.abs(now - at) <= sameEventMs
  return {
    ...memory,
    waits: new Map(memory.waits),
    popUpLimits: { ...memory.popUpLimits },
    checks: new Map(memory.checks),
    groups: new Map(memory.groups),
    recentChecks: memory.recentChecks.filter(isRecent),
    recentMessages: memory.recentMessages.filter(isRecent),
    changedAt: new Map([...memory.changedAt].filter(([, at]) => Math.abs(now - at) <= sameEventMs)),
    unnotified: new Set(memory.unnotified),
    downNotifiedAt: new Map([...memory.downNotifiedAt].filter(([, at]) => at <= now)),
  }
}
export type Draft = ReturnType<typeof draftOf>

/** When each kind of quiet ends, epoch ms; null if it is off. Expensive: computed once per step. */
function quietNow({ silences, settings, systemQuiet }: AttentionContext, now: number) {
  return {
    disturb: disturbUntil(silences, now),
    hours: quietUntil(settings.quietHours, now),
    bySystem: systemQuiet && settings.followSystem,
  }
}

/** The state of one step of the engine. */
export function startWork(kept: AttentionMemory, context: AttentionContext, now: number) {
  const draft = draftOf(withoutFuture(kept, now), now)
  return {
    draft,
    decisions: [] as Decision[],
    popUps: [] as Notice[],
    starts: [] as ProgramStart[],
    listed: [] as Notice[],
    corrected: [] as Notice[],
    /** What pops up unless flapping or a storm holds it back; changes of checks by subject. */
    candidates: new Map<string, Candidate>(),
    /** Changes not yet in `draft.changedAt`: of thousands at once, few are ever looked up. */
    changed: [] as CheckEvent[],
    /** Subjects that what was shown about them before is no longer true of, or that were shown anew. */
    outdated: new Set<string>(),
    /** Subjects of notices whose place a digest takes. */
    replaced: [] as string[],
    /** The groups of this step's notices. */
    groups: new Map<string, readonly string[]>(),
    /** `draft.recentMessages` by check, as thousands of checks in a storm look for theirs. */
    said: saidLately(draft.recentMessages),
    context,
    quiet: quietNow(context, now),
    now,
  }
}
export type Work = ReturnType<typeof startWork>

/** The memory after the step, within its limits. */
export function endWork(work: Work): AttentionMemory {
  const { draft } = work
  fileChanges(work, missedLimit)
  return {
    ...draft,
    waits: withinLimit(draft.waits),
    recentChecks: draft.recentChecks.slice(-missedLimit),
    recentMessages: draft.recentMessages.slice(-missedLimit),
    changedAt: newestOf(draft.changedAt),
    downNotifiedAt: newestOf(draft.downNotifiedAt),
  }
}

/** Adds to what waits, after everything else; in place of what it has the key of. */
export function wait({ draft: { waits } }: Work, one: Waiting): void {
  const key = keyOf(one)
  waits.delete(key)
  waits.set(key, one)
}

/** The changes of the event's check that wait; undefined if none do. */
export function waitingOf({ draft: { waits } }: Work, { subject }: CheckEvent) {
  // Spares the look-up of thousands of subjects, whose concatenation V8 postpones.
  return waits.size === 0 ? undefined : waits.get(subject)
}

export function drop({ draft: { waits } }: Work, all: readonly Waiting[]): void {
  for (const one of all) waits.delete(keyOf(one))
}

/** What waits about checks says what they were at the newest read. */
export function followReads(
  { draft: { waits }, now }: Work,
  read: readonly CheckRead[] = [],
): void {
  const bySubject = new Map(read.map((one) => [one.subject, one]))
  for (const [key, one] of bySubject.size === 0 ? [] : waits) {
    const newest = bySubject.get(one.event.subject)
    if (newest !== undefined) waits.set(key, asRead(one, newest, now))
  }
}

/** What waits for this reason. */
export function waitingFor({ draft: { waits } }: Work, ...whys: readonly Why[]): Waiting[] {
  return waits.size === 0 ? [] : [...waits.values()].filter(({ why }) => whys.includes(why))
}

/** Whether its time has come. After a start that takes a read of its account: it may be outdated. */
export function isDue(work: Work, { until, event }: Waiting): boolean {
  return until !== null && until <= work.now && !isUnread(work, event)
}

/** Moves the last `count` changes into `draft.changedAt`, and drops the others. */
export function fileChanges({ draft, changed }: Work, count: number): void {
  for (const { subject, at } of changed.slice(-count)) {
    draft.changedAt.delete(subject)
    draft.changedAt.set(subject, at)
  }
  changed.length = 0
}

function newestOf<V>(kept: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  let older = kept.size - missedLimit
  if (older <= 0) return kept
  const newest = new Map<string, V>()
  for (const [subject, value] of kept)
    if (older > 0) older -= 1
    else newest.set(subject, value)
  return newest
}

/**
 * Keeps changes of checks in preference to messages, so that a check that went down before a night
 * of chatter is in the digest. Drops the oldest first; an outage that is still too short, or waits
 * for what its check depends on, has been shown nowhere, so it stays.
 */
function withinLimit(waits: ReadonlyMap<string, Waiting>): ReadonlyMap<string, Waiting> {
  if (waits.size <= missedLimit) return waits
  const byWhy = Map.groupBy(waits.values(), ({ why }) => why)
  const kept = [...byWhy].flatMap(([why, all]) => {
    if (why === 'brief' || why === 'dependency') return all
    const changes = all.filter(({ event }) => isChange(event))
    const others = all.filter(({ event }) => !isChange(event))
    return [...others, ...changes].slice(-missedLimit)
  })
  const left = new Set(kept)
  return new Map([...waits].filter(([, one]) => left.has(one)))
}

/**
 * Whether the event is about a check of an account that was not read since the start. It is held
 * back until then, as it may be outdated.
 */
export function isUnread({ context }: Work, event: AttentionEvent): boolean {
  return event.of === 'check' && context.unread.includes(event.accountId)
}

/** Records the decision on an event without a pop-up of its own. */
export function end(
  work: Work,
  event: AttentionEvent,
  outcome: Decision['outcome'],
  reasons: readonly Reason[],
): void {
  work.decisions.push({ event, outcome, sound: false, reasons, noticeId: event.id })
  work.listed.push({ ...noticeOf(event, false), outcome, reasons })
}

/** Remembers that the user was notified, so that the same news from another source is redundant. */
export function remember({ draft, said }: Work, event: AttentionEvent): void {
  if (event.of === 'check') draft.recentChecks.push(event)
  else if (event.of === 'message' && event.news !== undefined) {
    draft.recentMessages.push(event)
    addSaid(said, event)
  }
}

function saidLately(messages: readonly MessageEvent[]): Map<CheckId, MessageEvent[]> {
  const said = new Map<CheckId, MessageEvent[]>()
  for (const message of messages) addSaid(said, message)
  return said
}

function addSaid(said: Map<CheckId, MessageEvent[]>, message: MessageEvent): void {
  if (message.news === undefined) return
  const { checkId } = message.news
  const known = said.get(checkId)
  if (known === undefined) said.set(checkId, [message])
  else known.push(message)
}

/**
 * Remembers whether the user knows that a check is down: only then is its recovery news. A reminder
 * that is silent takes nothing back.
 */
export function markNotified(
  { draft }: Work,
  { event, wasDown }: Pick<Pending, 'event' | 'wasDown'>,
  wasNotified: boolean,
): void {
  if (event.of !== 'check') return
  const after = stateAfter[event.kind]
  const isAgain = event.isReminder === true || event.again !== undefined
  const isKnown = wasNotified || (isAgain && wasDown)
  if (after === 'down' && !isKnown) draft.unnotified.add(event.subject)
  else if (draft.unnotified.size > 0 && (after === 'down' || after === 'up'))
    draft.unnotified.delete(event.subject)
}

/**
 * Whether a notice said that the check is down when it had been read in this outage, which only the
 * flips show to be a new one.
 */
export function isAlreadyNotified(
  { draft: { downNotifiedAt } }: Work,
  { readAt, subject }: CheckEvent,
): boolean {
  return readAt !== undefined && readAt <= (downNotifiedAt.get(subject) ?? 0)
}

/** No notice is held back for longer than this. */
const longestHoldMs = 5 * 60_000

/**
 * The memory without times in the future, as nobody can tell by how much the clock was set back
 * between two runs. They would hold notices back, and keep alarms silent, until it caught up.
 */
export function withoutFuture(memory: AttentionMemory, now: number): AttentionMemory {
  const { waits, popUpLimits, soundAt, once, checks, quiet, lastDigest } = memory
  const past = (at: number): number => Math.min(at, now)
  return {
    ...memory,
    waits: [...waits.values()].some((one) => isFuture(one, now))
      ? byKey([...waits.values()].map((one) => waitingBy(one, now)))
      : waits,
    popUpLimits: {
      checks: limitAsOf(popUpLimits.checks, now),
      others: limitAsOf(popUpLimits.others, now),
    },
    soundAt: soundAt > now ? 0 : soundAt,
    once: once.map((one) => ({ ...one, at: past(one.at) })),
    checks: [...checks.values()].some(({ shownAt }) => shownAt.some((at) => at > now))
      ? new Map(
          [...checks].map(([subject, lately]) => [
            subject,
            { ...lately, shownAt: lately.shownAt.map(past) },
          ]),
        )
      : checks,
    quiet: quiet === null ? null : { ...quiet, from: past(quiet.from) },
    lastDigest: lastDigest !== null && lastDigest.at > now ? null : lastDigest,
  }
}

function limitAsOf(limit: PopUpLimit, now: number): PopUpLimit {
  return { ...limit, popUps: limit.popUps.map((at) => Math.min(at, now)) }
}

function isFuture({ why, event, until }: Waiting, now: number): boolean {
  if (isByEvent(why)) return event.at > now
  return (why === 'storm' || why === 'flapping') && until !== null && until > now + longestHoldMs
}

function waitingBy(one: Waiting, now: number): Waiting {
  if (!isFuture(one, now)) return one
  const { why, event, until } = one
  return isByEvent(why)
    ? { ...one, event: { ...event, at: now } }
    : { ...one, until: Math.min(until ?? now, now + longestHoldMs) }
}

/** Whether it waits until some time after the event. */
function isByEvent(why: Why): boolean {
  return why === 'brief' || why === 'reminder' || why === 'dependency'
}

/** Why it is quiet now for this event; null if it isn't. */
export function quietReason({ context, quiet, now }: Work, event: AttentionEvent): Reason | null {
  const { settings, away } = context
  if (away !== null)
    return { by: 'away', text: 'It came while this computer was asleep: it goes into the digest.' }
  const until = quiet.disturb ?? quiet.hours
  const isKept = until !== null && !breaksQuiet(settings.quietHours, event)
  if (!isKept && !quiet.bySystem) return null
  const what = quiet.disturb === null ? 'Quiet hours' : 'Do not disturb'
  const why = isKept
    ? `${what} ${clockUntilWords(until, now)}`
    : 'Do not disturb is on in the system'
  return { by: 'quiet', text: `${why}: it goes into the digest.` }
}

/** Whether it is quiet for all events that aren't exempt. */
export function isQuiet({ context, quiet: { disturb, hours, bySystem } }: Work): boolean {
  return context.away !== null || disturb !== null || hours !== null || bySystem
}

/** The quiet or sleep that something is held back by, given the one that is known. */
export function quietSpan(
  known: QuietSpan | null,
  away: AttentionContext['away'],
  now: number,
): QuietSpan {
  if (away !== null) return { from: known?.from ?? away.from, to: away.to, why: 'away' }
  return known ?? { from: now, to: null, why: 'quiet' }
}

/** Epoch ms at which the present quiet ends for this event; null: unknown. */
export function quietEnd(work: Work, event: AttentionEvent): number | null {
  const { quiet, context, now } = work
  if (context.away !== null || quiet.bySystem) return null
  if (!isQuiet(work) || breaksQuiet(context.settings.quietHours, event)) return now
  const end = Math.max(quiet.disturb ?? 0, quiet.hours ?? 0)
  return Number.isFinite(end) ? end : null
}
