import { isFresh } from '../account.ts'
import type { Board } from '../checks/board.ts'
import { causeOf } from '../checks/cause.ts'
import { type Check, checkName } from '../checks/check.ts'
import { projectsOf } from '../projects.ts'
import { type AppState, accountById } from '../state.ts'
import { type AttentionEvent, type CheckEvent, checkSubject, factsOf, stateAfter } from './event.ts'
import type { UnseenOutage } from './memory.ts'
import { quietReason } from './quiet.ts'
import { type AttentionSettings, verdictOf } from './rules.ts'
import { isOver, quietChecks, type Silence, silencesOn, withTwins } from './silence.ts'
import { isUnread, type Work } from './work.ts'

/**
 * Reminders that checks are still down when a silence on them expires: "snooze 1 h" is a promise to
 * remind. Each comes once, since the same change of state ends the silence. Where the user ended
 * one since `before`, only of outages that were never notified (`untold`).
 */
export function stillDownEvents(
  before: AppState,
  state: AppState,
  events: readonly AttentionEvent[],
  untold: ReadonlySet<string>,
  now: number,
): CheckEvent[] {
  const over = state.silences.filter((silence) => isOver(silence, now))
  const ended = withTwins(over, state.accounts)
  const byHand = withTwins(untold.size === 0 ? [] : removed(before, state), state.accounts)
  if (ended.length + byHand.length === 0) return []
  const wasQuietByHand = quietChecks(byHand, Number.NEGATIVE_INFINITY)
  const isQuiet = quietChecks(withTwins(state.silences, state.accounts), now)
  const notifiedSubjects = new Set(events.map(({ subject }) => subject))
  return [...projectsOf(state).boards.values()].flatMap((board) => {
    const asking = ended.filter((one) => isToAsk(one, board) && !awaitsReading(one, board, now))
    const wasQuiet = quietChecks(asking, Number.NEGATIVE_INFINITY)
    const isToRemind = (check: Check): boolean => {
      const subject = checkSubject(board.accountId, check.id)
      if (notifiedSubjects.has(subject) || isQuiet(board.accountId, check) !== null) return false
      if (wasQuiet(board.accountId, check) !== null) return true
      return untold.has(subject) && wasQuietByHand(board.accountId, check) !== null
    }
    return downChecks(board)
      .filter(isToRemind)
      .map((check) => reminder(state, board, check, now))
  })
}

function removed(before: AppState, after: AppState): readonly Silence[] {
  if (before.silences === after.silences) return []
  const left = new Set(after.silences.map(({ id }) => id))
  return before.silences.filter(({ id }) => !left.has(id))
}

/**
 * Keeps an expired silence until its checks have been read: after a start, and while their project
 * can't be reached, it is unknown whether they are still down. Null if none is left to wait for.
 */
export function whileAwaited(state: AppState, silence: Silence, now: number): Silence | null {
  const awaited = [...projectsOf(state).boards.values()]
    .filter((board) => isToAsk(silence, board) && awaitsReading(silence, board, now))
    .map(({ accountId }) => accountId)
  if (awaited.length === 0) return null
  return awaited.length === silence.awaited?.length ? silence : { ...silence, awaited }
}

function isToAsk({ scope, awaited }: Silence, { accountId }: Board): boolean {
  if (awaited?.includes(accountId) === false) return false
  if (scope.of === 'check' || scope.of === 'project') return scope.accountId === accountId
  return scope.of === 'tag'
}

function awaitsReading({ scope }: Silence, { freshness, notified }: Board, now: number): boolean {
  if (notified === null || isFresh(freshness, now)) return false
  return scope.of === 'check'
    ? notified.get(scope.checkId) === 'down'
    : [...notified.values()].includes('down')
}

function downChecks({ checks, notified, freshness }: Board): Check[] {
  if (notified === null || freshness.readAt === null) return []
  return [...checks.values()].filter(({ id }) => notified.get(id) === 'down')
}

function reminder(
  state: AppState,
  { accountId, serverOffsetMs, logs }: Board,
  check: Check,
  now: number,
): CheckEvent {
  const serverNow = now + serverOffsetMs
  const subject = checkSubject(accountId, check.id)
  const name = checkName(check)
  const project = accountById(state, accountId)?.label ?? 'a project'
  return {
    of: 'check',
    kind: 'down',
    isReminder: true,
    id: `${subject}/still@${now}`,
    at: now,
    accountId,
    subject,
    title: `${name} is still down`,
    body: factsOf(check, {
      since: check.since,
      cause: causeOf(check, logs.get(check.id) ?? null, serverNow),
      serverNow,
    }),
    target: { view: 'check', accountId, checkId: check.id },
    checkId: check.id,
    name,
    project,
    tags: check.tags,
    // Not `down`, or this would count as the change that ends an acknowledgement.
    from: 'unknown',
  }
}

/** Epoch ms of the next repetition; null if no rule asks for one any more. */
export function nextTime({ event, at }: UnseenOutage, settings: AttentionSettings): number | null {
  const { repeatMinutes } = verdictOf(event, settings)
  return repeatMinutes === 0 ? null : at + repeatMinutes * 60_000
}

/** The due repetitions of outages that nobody has seen, and that no event ends. */
export function takeUnseen(work: Work, events: readonly AttentionEvent[]): CheckEvent[] {
  const { draft, now, context } = work
  for (const event of events) noteOutage(work, event, false)
  const due: CheckEvent[] = []
  for (const [subject, one] of draft.unseen) {
    const { event, times } = one
    const at = nextTime(one, context.settings)
    const silence = silencesOn({ ...event, from: 'unknown' }, context.silences, now)[0]
    if (at === null) draft.unseen.delete(subject)
    else if (at <= now && !isUnread(work, event)) {
      // Goes on after it: an acknowledgement may be undone, and a snooze ended by hand.
      const waits = silence !== undefined || quietReason(work, event) !== null
      draft.unseen.set(subject, { event, at: now, times: waits ? times : times + 1 })
      if (!waits) due.push(repeated(event, times + 1, now))
    }
  }
  return due
}

function repeated(event: CheckEvent, again: number, now: number): CheckEvent {
  const { subject, name, body, at } = event
  return {
    ...event,
    id: `${subject}/again@${now}`,
    at: now,
    title: `${name} is still down`,
    body: typeof body === 'string' ? body : { ...body, serverNow: body.serverNow + now - at },
    again,
  }
}

/** Starts or stops repeating an outage until somebody has seen it. */
export function noteOutage(
  { draft, context, now }: Work,
  event: AttentionEvent,
  isShown: boolean,
): void {
  if (event.of !== 'check' || event.again !== undefined) return
  const after = stateAfter[event.kind]
  if (after === 'up') draft.unseen.delete(event.subject)
  if (after !== 'down' || !isShown || verdictOf(event, context.settings).repeatMinutes === 0) return
  draft.unseen.set(event.subject, { event, at: now, times: 0 })
}
