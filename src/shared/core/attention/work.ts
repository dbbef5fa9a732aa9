import type { Notice } from '../notice.ts'
import type { AttentionEvent, CheckEvent, MessageEvent } from './event.ts'
import type { AttentionContext, Decision } from './judge.ts'
import {
  type AttentionMemory,
  type HeldEvent,
  type Lane,
  type LaneName,
  missedLimit,
  type QuietSpan,
  type ToldLately,
  type WaitingEvent,
} from './memory.ts'
import { noticeOf } from './notices.ts'
import type { Reason } from './reason.ts'
import { sameEventMs } from './same-event.ts'

/** The memory while a step changes it: thousands of events must not copy it thousands of times. */
export interface Draft {
  readonly lanes: Record<LaneName, Lane>
  soundAt: number
  readonly checks: Map<string, ToldLately>
  readonly waiting: Map<string, WaitingEvent>
  missed: HeldEvent[]
  quiet: QuietSpan | null
  lastDigest: AttentionMemory['lastDigest']
  recentChecks: CheckEvent[]
  recentMessages: MessageEvent[]
  readonly untold: Set<string>
}

/** One step of the engine under way. */
export interface Work {
  readonly draft: Draft
  readonly decisions: Decision[]
  readonly popUps: Notice[]
  readonly listed: Notice[]
  readonly context: AttentionContext
  readonly now: number
}

export function startWork(memory: AttentionMemory, context: AttentionContext, now: number): Work {
  // One of the future is of a clock that was set back since.
  const isRecent = ({ at }: AttentionEvent): boolean => Math.abs(now - at) <= sameEventMs
  const draft: Draft = {
    lanes: { ...memory.lanes },
    soundAt: memory.soundAt,
    checks: new Map(memory.checks),
    waiting: new Map(memory.waiting),
    missed: [...memory.missed],
    quiet: memory.quiet,
    lastDigest: memory.lastDigest,
    recentChecks: memory.recentChecks.filter(isRecent),
    recentMessages: memory.recentMessages.filter(isRecent),
    untold: new Set(memory.untold),
  }
  return { draft, decisions: [], popUps: [], listed: [], context, now }
}

/** What is to be remembered, within its bounds. */
export function endWork({ draft }: Work): AttentionMemory {
  return {
    ...draft,
    missed: draft.missed.slice(-missedLimit),
    recentChecks: draft.recentChecks.slice(-missedLimit),
    recentMessages: draft.recentMessages.slice(-missedLimit),
  }
}

/** An event that no pop-up tells of, at least not by itself. */
export function end(
  work: Work,
  event: AttentionEvent,
  outcome: Decision['outcome'],
  reasons: readonly Reason[],
): void {
  work.decisions.push({ event, outcome, sound: false, reasons, noticeId: event.id })
  work.listed.push({ ...noticeOf(event, false), outcome, reasons })
}

/** The user hears or sees this one: what tells of the same thing in other words need not. */
export function remember({ draft }: Work, event: AttentionEvent): void {
  if (event.of === 'check') draft.recentChecks.push(event)
  else if (event.of === 'message' && event.isBot) draft.recentMessages.push(event)
}

/** Whether the user knows that a check is down: news of its recovery is for those who do. */
export function markTold({ draft }: Work, event: AttentionEvent, told: boolean): void {
  if (event.of !== 'check' || event.kind === 'late' || event.kind === 'missed') return
  if (event.kind === 'down' && !told) draft.untold.add(event.subject)
  else draft.untold.delete(event.subject)
}
