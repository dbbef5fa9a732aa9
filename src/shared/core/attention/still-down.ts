import { type AccountId, accountById, isFresh } from '../account.ts'
import type { Board } from '../checks/board.ts'
import { causeOf } from '../checks/cause.ts'
import { type Check, checkName } from '../checks/check.ts'
import type { WatchedState } from './attention-slice.ts'
import { type AttentionEvent, type CheckEvent, checkSubject, factsOf } from './event.ts'
import type { AttentionMemory } from './memory.ts'
import { verdictOf } from './rules.ts'
import { eachSilence, isOver, type KeptSilence, quietChecks, type Silence } from './silence.ts'

/**
 * Reminders that checks are still down when a silence on them expires: "snooze 1 h" is a promise to
 * remind. Each comes once, since the same change of state ends the silence. Where the user ended
 * one since `before`, or somebody removed the tag that it is on, only of outages that were never
 * notified; so at the first read after a start, before which either may have happened.
 */
export function stillDownEvents(
  before: WatchedState,
  state: WatchedState,
  events: readonly AttentionEvent[],
  { unnotified, waits }: Pick<AttentionMemory, 'unnotified' | 'waits'>,
  now: number,
): CheckEvent[] {
  const ended = eachSilence(state.silences).filter((silence) => isOver(silence, now))
  const byHand = unnotified.size === 0 ? [] : removed(before, state)
  const byTag = before.boards === state.boards ? [] : onTags(state)
  const isFirst = unnotified.size > 0 && hasFirstChecks(before, state)
  if (ended.length + byHand.length + byTag.length === 0 && !isFirst) return []
  const wasQuietByHand = quietChecks(byHand, Number.NEGATIVE_INFINITY)
  const isQuietByTag = quietChecks(byTag, now)
  const isQuiet = quietChecks(state.silences, now)
  const notifiedSubjects = new Set(events.map(({ subject }) => subject))
  return [...state.boards.values()].flatMap((board) => {
    const asking = ended.filter((one) => isToAsk(one, board) && !awaitsReading(one, board, now))
    const wasQuiet = quietChecks(asking, Number.NEGATIVE_INFINITY)
    const isToRemind = (check: Check): boolean => {
      const subject = checkSubject(board.accountId, check.id)
      if (notifiedSubjects.has(subject) || isQuiet(board.accountId, check) !== null) return false
      if (wasQuiet(board.accountId, check) !== null) return true
      if (unnotified.has(subject) && wasQuietByHand(board.accountId, check) !== null) return true
      const old = before.boards.get(board.accountId)?.checks.get(check.id)
      // At the first read after a start, it is unknown which tags it had, or what was ended before.
      if (old !== undefined && isQuietByTag(board.accountId, old) === null) return false
      return unnotified.has(subject) || waits.get(subject)?.why === 'maintenance'
    }
    return downChecks(board)
      .filter(isToRemind)
      .map((check) => reminder(state, board, check, now))
      .filter((event) => verdictOf(event, state.settings.attention).way !== 'nothing')
  })
}

function hasFirstChecks(before: WatchedState, { boards }: WatchedState): boolean {
  if (before.boards === boards) return false
  return [...boards].some(
    ([id, { checks }]) => checks.size > 0 && before.boards.get(id)?.checks.size === 0,
  )
}

function onTags({ silences }: WatchedState): readonly Silence[] {
  return eachSilence(silences).filter(({ scope }) => scope.of === 'tag')
}

function removed(before: WatchedState, after: WatchedState): readonly Silence[] {
  if (before.silences === after.silences) return []
  const left = new Set(eachSilence(after.silences).map(({ id }) => id))
  return eachSilence(before.silences).filter(({ id }) => !left.has(id))
}

/**
 * Keeps an expired silence until its checks have been read: after a start, and while their project
 * can't be reached, it is unknown whether they are still down. Null if none is left to wait for.
 */
export function whileAwaited(state: WatchedState, silence: Silence, now: number): Silence | null {
  const awaited = [...state.boards.values()]
    .filter((board) => isToAsk(silence, board) && awaitsReading(silence, board, now))
    .map(({ accountId }) => accountId)
  if (awaited.length === 0) return null
  return awaited.length === silence.awaited?.length ? silence : { ...silence, awaited }
}

/** When the silences on a project's checks end, epoch ms. */
export function endsOn(accountId: AccountId, silences: readonly KeptSilence[]): number[] {
  return eachSilence(silences).flatMap((one) =>
    one.until.kind === 'time' && isToAsk(one, { accountId }) ? [one.until.at] : [],
  )
}

function isToAsk({ scope, awaited }: Silence, { accountId }: Pick<Board, 'accountId'>): boolean {
  if (awaited?.includes(accountId) === false) return false
  if (scope.of === 'check' || scope.of === 'project') return scope.accountId === accountId
  return scope.of === 'tag'
}

function awaitsReading(
  { scope }: Silence,
  { checks, freshness, notified }: Board,
  now: number,
): boolean {
  const isRead = isFresh(freshness, now) && freshness.seenAt === undefined && checks.size > 0
  if (notified === null || isRead) return false
  return scope.of === 'check'
    ? notified.get(scope.checkId) === 'down'
    : [...notified.values()].includes('down')
}

function downChecks({ checks, notified, freshness }: Board): Check[] {
  if (notified === null || freshness.readAt === null) return []
  return [...checks.values()].filter(({ id }) => notified.get(id) === 'down')
}

function reminder(
  state: WatchedState,
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
      offsetMs: serverOffsetMs,
    }),
    target: { view: 'check', accountId, checkId: check.id },
    checkId: check.id,
    name,
    project,
    tags: check.tags,
    // Not `down`, or this would count as the change that ends an acknowledgement.
    from: 'unknown',
    ...(check.hasRunbook ? ({ hasRunbook: true } as const) : {}),
  }
}
