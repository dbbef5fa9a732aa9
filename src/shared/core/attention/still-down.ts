import { isFresh } from '../account.ts'
import type { Board } from '../checks/board.ts'
import { causeOf } from '../checks/cause.ts'
import { type Check, type CheckId, checkName } from '../checks/check.ts'
import { projectsOf } from '../projects.ts'
import { type AppState, accountById } from '../state.ts'
import { type AttentionEvent, type CheckEvent, checkSubject, factsOf, stateAfter } from './event.ts'
import type { UnseenOutage } from './memory.ts'
import { quietReason } from './quiet.ts'
import { type AttentionSettings, verdictBy } from './rules.ts'
import { isOver, quietChecks, type Silence, silencesOn, withTwins } from './silence.ts'
import type { Work } from './work.ts'

/**
 * Checks that are still down although the time for which somebody wanted quiet about them is over:
 * "snooze 1 h" is a promise to ask again. Once, since the silence ends with the same change of state.
 */
export function stillDownEvents(
  state: AppState,
  events: readonly AttentionEvent[],
  now: number,
): CheckEvent[] {
  const ended = state.silences.filter(
    (silence) => isOver(silence, now) && !awaitsReading(state, silence, now),
  )
  if (ended.length === 0) return []
  const wasQuiet = quietChecks(withTwins(ended, state.accounts), Number.NEGATIVE_INFINITY)
  const isQuiet = quietChecks(withTwins(state.silences, state.accounts), now)
  const told = new Set(events.map(({ subject }) => subject))
  return [...projectsOf(state).boards.values()].flatMap((board) =>
    downChecks(board)
      .filter(
        (check) =>
          wasQuiet(board.accountId, check) !== null &&
          isQuiet(board.accountId, check) === null &&
          !told.has(checkSubject(board.accountId, check.id)),
      )
      .map((check) => reminder(state, board, check, now)),
  )
}

/**
 * A silence that is over and stays until its checks were read: whether they are still down is not
 * known after a start, nor while their project can't be reached.
 */
export function awaitsReading(state: AppState, silence: Silence, now: number): boolean {
  if (!isOver(silence, now)) return false
  const { scope } = silence
  if (scope.of === 'tag')
    return [...state.boards.values()].some(
      (board) => board.freshness.readAt === null && hasDown(state, board, null),
    )
  if (scope.of !== 'check' && scope.of !== 'project') return false
  const board = state.boards.get(scope.accountId)
  const checkId = scope.of === 'check' ? scope.checkId : null
  return board !== undefined && !isFresh(board.freshness, now) && hasDown(state, board, checkId)
}

/** Only for an account that can be read: a rejected key has a notification of its own. */
function hasDown(state: AppState, { accountId, told }: Board, checkId: CheckId | null): boolean {
  if (told === null || accountById(state, accountId)?.key !== 'present') return false
  return checkId === null ? [...told.values()].includes('down') : told.get(checkId) === 'down'
}

function downChecks({ checks, told, freshness }: Board): Check[] {
  if (told === null || freshness.readAt === null) return []
  return [...checks.values()].filter(({ id }) => told.get(id) === 'down')
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
    // Not as it is: what was acknowledged until it changes has not changed.
    from: 'unknown',
  }
}

/** Epoch ms of the next notification; null: its rule does not ask for one any more. */
export function nextTime({ event, at }: UnseenOutage, settings: AttentionSettings): number | null {
  const { repeatMinutes } = verdictBy(event, settings)
  return repeatMinutes === 0 ? null : at + repeatMinutes * 60_000
}

/** Outages that nobody has seen for as long as a rule allows, once more. */
export function takeUnseen(work: Work): CheckEvent[] {
  const { draft, now, context } = work
  const due: CheckEvent[] = []
  for (const [subject, one] of draft.unseen) {
    const { event, times } = one
    const at = nextTime(one, context.settings)
    const silence = silencesOn({ ...event, from: 'unknown' }, context.silences, now)[0]
    if (at === null || silence?.how === 'acknowledge') draft.unseen.delete(subject)
    else if (at <= now && !context.unread.includes(event.accountId)) {
      // What silences it for a while says itself that it is still down when it ends.
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

/** Whether an outage is to be repeated until somebody has seen it, from now on. */
export function noteOutage(
  { draft, context, now }: Work,
  event: AttentionEvent,
  isShown: boolean,
): void {
  if (event.of !== 'check' || event.again !== undefined) return
  const after = stateAfter[event.kind]
  if (after === 'up') draft.unseen.delete(event.subject)
  if (after !== 'down' || !isShown || verdictBy(event, context.settings).repeatMinutes === 0) return
  draft.unseen.set(event.subject, { event, at: now, times: 0 })
}
