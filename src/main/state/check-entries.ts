import { type AccountId, accountById } from '../../shared/core/account.ts'
import { checkSubject } from '../../shared/core/attention/event.ts'
import { type Board, notifiedStatus } from '../../shared/core/checks/board.ts'
import { type Cause, causeOf, type LogEvidence } from '../../shared/core/checks/cause.ts'
import { type Check, type CheckId, checkName, isWell } from '../../shared/core/checks/check.ts'
import type { HistoryEntry } from '../../shared/core/checks/history.ts'
import { changesBetween } from '../../shared/core/map-difference.ts'
import type { AppState } from '../../shared/core/state.ts'

/** What a change of the state says about the past of checks. */
export function checkEntries(before: AppState, after: AppState, at: number): HistoryEntry[] {
  if (before.boards === after.boards) return []
  return [...after.boards].flatMap(([accountId, board]) => {
    const old = before.boards.get(accountId)
    if (old === undefined || old === board) return []
    const project = accountById(after, accountId)?.label ?? ''
    return [
      ...watchEntries(old, board, at),
      ...statusEntries(old, board, project, at),
      ...causeEntries(old, board, at),
      ...foundEntries(old, board),
    ]
  })
}

/** From the first read of a project on, its changes are recorded. */
function watchEntries(old: Board, { accountId, notified }: Board, at: number): HistoryEntry[] {
  return old.notified === null && notified !== null
    ? [{ at, accountId, subject: accountId, kind: 'watched', data: null }]
    : []
}

/** Changes of status as notified. Skips the first read, since nobody saw those changes happen. */
function statusEntries(old: Board, board: Board, project: string, at: number): HistoryEntry[] {
  if (old.notified === null || board.notified === null || old.notified === board.notified) return []
  const { accountId, serverOffsetMs: offsetMs, logs } = board
  return changesBetween(old.notified, board.notified).flatMap(({ key: id, was, is }) => {
    const check = board.checks.get(id)
    if (check === undefined) return []
    const had = old.checks.get(id)?.since ?? null
    const times = {
      since: ours(beganAt(check, had), offsetMs),
      was: ours(had, offsetMs),
    }
    const cause = is === 'down' ? causeOf(check, logs.get(id) ?? null, at + offsetMs) : null
    const data = {
      from: was ?? notifiedStatus(old, id),
      to: is ?? 'up',
      name: checkName(check),
      tags: check.tags,
      project,
      ...times,
      ...(cause && { cause }),
    }
    return [entryOf(accountId, id, 'status', at, data)]
  })
}

function ours(at: number | null, offsetMs: number): number | null {
  return at === null ? null : at - offsetMs
}

/** A check that is up is so since a success at the latest, which the list names. */
function beganAt({ status, since, lastPingAt }: Check, had: number | null): number | null {
  if (!isWell(status) || lastPingAt === null || lastPingAt < (had ?? 0)) return since
  return Math.min(lastPingAt, since ?? lastPingAt)
}

/** Causes that the log showed only after the check was seen down. */
function causeEntries(old: Board, board: Board, at: number): HistoryEntry[] {
  if (old.logs === board.logs) return []
  const { accountId, notified, serverOffsetMs } = board
  return [...board.logs].flatMap(([id, log]) => {
    const check = board.checks.get(id)
    const isNews = check?.status === 'down' && old.notified?.get(id) === 'down'
    if (!isNews || notified?.get(id) !== 'down' || old.logs.get(id) === log) return []
    const causeBy = (known: LogEvidence | undefined): Cause | null =>
      causeOf(check, known ?? null, at + serverOffsetMs)
    const cause = causeBy(log)
    const isSame = JSON.stringify(cause) === JSON.stringify(causeBy(old.logs.get(id)))
    return cause === null || isSame ? [] : [entryOf(accountId, id, 'cause', at, { cause })]
  })
}

/** Outages that no list showed, dated to when they began. */
function foundEntries({ missed: old }: Board, { accountId, missed, serverOffsetMs }: Board) {
  if (old.found === missed.found) return []
  return missed.found.map(({ checkId, from, to, kind }) => {
    const data = {
      from: from - serverOffsetMs,
      to: to - serverOffsetMs,
      state: kind === 'down' ? 'down' : 'unsure',
    }
    return entryOf(accountId, checkId, 'outage', data.from, data)
  })
}

function entryOf(
  accountId: AccountId,
  id: CheckId,
  kind: string,
  at: number,
  data: unknown,
): HistoryEntry {
  return { at, accountId, subject: checkSubject(accountId, id), kind, data }
}
