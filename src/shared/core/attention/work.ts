import type { CheckId } from '../checks/check.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  isChange,
  type MessageEvent,
  newestOfChecks,
  stateAfter,
} from './event.ts'
import type { AttentionContext, Candidate, Decision } from './judge.ts'
import {
  type AttentionMemory,
  type DeferredEvent,
  type Lane,
  missedLimit,
  type WaitingEvent,
} from './memory.ts'
import type { Notice, Reason } from './notice.ts'
import { noticeOf } from './notices.ts'
import { quietNow } from './quiet.ts'
import { sameEventMs } from './same-event.ts'

/** A computer may wake briefly at night and sleep again: one digest covers it all. */
export const cooldownMs = 2 * 60_000

/** The memory, mutable during a step: thousands of events must not copy it thousands of times. */
function draftOf(memory: AttentionMemory, now: number) {
  const isRecent = ({ at }: AttentionEvent): boolean => Math.abs(now - at) <= sameEventMs
  return {
    ...memory,
    lanes: { ...memory.lanes },
    checks: new Map(memory.checks),
    waiting: new Map(memory.waiting),
    missed: [...memory.missed],
    recentChecks: memory.recentChecks.filter(isRecent),
    recentMessages: memory.recentMessages.filter(isRecent),
    changedAt: new Map([...memory.changedAt].filter(([, at]) => Math.abs(now - at) <= sameEventMs)),
    unseen: new Map(memory.unseen),
    untold: new Set(memory.untold),
  }
}
export type Draft = ReturnType<typeof draftOf>

/** The state of one step of the engine. */
export function startWork(kept: AttentionMemory, context: AttentionContext, now: number) {
  const draft = draftOf(withoutFuture(kept, now), now)
  return {
    draft,
    decisions: [] as Decision[],
    popUps: [] as Notice[],
    listed: [] as Notice[],
    /** Events that pop up unless flapping or a storm holds them back. */
    candidates: [] as Candidate[],
    /** Changes not yet in `draft.changedAt`: of thousands at once, few are ever looked up. */
    changed: [] as CheckEvent[],
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
  const { draft, context, now } = work
  fileChanges(work, missedLimit)
  const { lastDigest, quiet } = draft
  const isNeeded =
    quiet !== null || context.away !== null || now - (lastDigest?.at ?? 0) <= cooldownMs
  return {
    ...draft,
    lastDigest: isNeeded ? lastDigest : null,
    missed: withinLimit(draft.missed),
    recentChecks: draft.recentChecks.slice(-missedLimit),
    recentMessages: draft.recentMessages.slice(-missedLimit),
    changedAt: newestOf(draft.changedAt),
    unseen: newestOf(draft.unseen),
  }
}

/** Moves the last `count` changes into `draft.changedAt`, and drops the others. */
export function fileChanges({ draft, changed }: Work, count: number): void {
  for (const { subject, at } of changed.slice(-count)) draft.changedAt.set(subject, at)
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
 * Keeps the newest event of each check in preference to messages and overtaken events, so that a
 * check that went down before a night of chatter is in the digest. Drops the oldest first.
 */
export function withinLimit(held: readonly DeferredEvent[]): DeferredEvent[] {
  if (held.length <= missedLimit) return [...held]
  const newest = newestOfChecks(held, ({ event }) => event)
  const checks = newest.filter(({ event }) => isChange(event)).slice(-missedLimit)
  const first = new Set(checks)
  const room = missedLimit - checks.length
  const others = room === 0 ? [] : held.filter((one) => !first.has(one)).slice(-room)
  const kept = new Set([...checks, ...others])
  return held.filter((one) => kept.has(one))
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

/** Remembers whether the user knows that a check is down: only then is its recovery news. */
export function markNotified({ draft }: Work, event: AttentionEvent, wasNotified: boolean): void {
  if (event.of !== 'check') return
  const after = stateAfter[event.kind]
  if (after === 'down' && !wasNotified) draft.untold.add(event.subject)
  else if (draft.untold.size > 0 && (after === 'down' || after === 'up'))
    draft.untold.delete(event.subject)
}

/** No notice is held back for longer than this. */
const longestHoldMs = 5 * 60_000

/**
 * The memory without times in the future, as nobody can tell by how much the clock was set back
 * between two runs. They would hold notices back, and keep alarms silent, until it caught up.
 */
export function withoutFuture(memory: AttentionMemory, now: number): AttentionMemory {
  const { lanes, soundAt, once, checks, waiting, quiet, lastDigest } = memory
  const past = (at: number): number => Math.min(at, now)
  return {
    ...memory,
    lanes: { checks: laneBy(lanes.checks, now), others: laneBy(lanes.others, now) },
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
    waiting: [...waiting.values()].some(({ event }) => event.at > now)
      ? new Map([...waiting].map(([subject, one]) => [subject, waitingBy(one, now)]))
      : waiting,
    unseen: new Map([...memory.unseen].map(([key, one]) => [key, { ...one, at: past(one.at) }])),
    quiet: quiet === null ? null : { ...quiet, from: past(quiet.from) },
    lastDigest: lastDigest !== null && lastDigest.at > now ? null : lastDigest,
  }
}

function laneBy(lane: Lane, now: number): Lane {
  return {
    ...lane,
    popUps: lane.popUps.map((at) => Math.min(at, now)),
    until: lane.until === null ? null : Math.min(lane.until, now + longestHoldMs),
  }
}

function waitingBy(waiting: WaitingEvent, now: number): WaitingEvent {
  const { event, dueAt } = waiting
  if (event.at <= now) return waiting
  return { ...waiting, event: { ...event, at: now }, dueAt: now + (dueAt - event.at) }
}
