import type { AccountId } from './account.ts'
import type { Board } from './board.ts'
import { type Check, type CheckStatus, checkName } from './check.ts'
import { scheduleWords } from './check-words.ts'
import { foldAbove, joined, type Notice, namesInFold } from './notice.ts'
import { type AppState, accountById } from './state.ts'
import { durationWords, relativeWords } from './time-words.ts'

export function checkSubject(accountId: AccountId, checkId: string): string {
  return `${accountId}/check/${checkId}`
}

type Flip = { readonly check: Check; readonly was: CheckStatus }

/** Checks that went down or recovered between two boards of one project. */
export function boardNotices(state: AppState, before: Board, after: Board, now: number): Notice[] {
  if (before.told === null || after.told === null) return []
  const down: Flip[] = []
  const recovered: Flip[] = []
  for (const [id, status] of after.told) {
    const was = before.told.get(id)
    const check = after.checks.get(id)
    if (was === status || check === undefined) continue
    // A check that appears while we watch and is down is news; one that appears well is not.
    if (status === 'down') down.push({ check, was: was ?? 'new' })
    else if (was === 'down' && (status === 'up' || status === 'grace'))
      recovered.push({ check, was })
  }
  const { settings } = state
  return [
    ...(settings.notifyDown ? downNotices(state, after, down, now) : []),
    ...(settings.notifyRecovered ? recoveredNotices(state, before, after, recovered, now) : []),
  ]
}

function downNotices(state: AppState, board: Board, flips: readonly Flip[], now: number): Notice[] {
  if (flips.length > foldAbove) return [folded(state, board, flips, 'down', now)]
  return flips.map(({ check }) => ({
    ...checkNotice(board, check, now),
    kind: 'down',
    title: `${checkName(check)} is down`,
    body: joined([
      projectName(state, board),
      sinceWords(check, board, now),
      lastPing(check, board, now),
      tagWords(check),
    ]),
    sound: state.settings.sounds,
  }))
}

function recoveredNotices(
  state: AppState,
  before: Board,
  board: Board,
  flips: readonly Flip[],
  now: number,
): Notice[] {
  if (flips.length > foldAbove) return [folded(state, board, flips, 'recovered', now)]
  return flips.map(({ check }) => {
    const since = before.checks.get(check.id)?.since ?? null
    const downFor = since === null ? null : durationWords(now + board.serverOffsetMs - since)
    return {
      ...checkNotice(board, check, now),
      kind: 'recovered',
      title: `${checkName(check)} is up again`,
      body: joined([
        projectName(state, board),
        downFor === null ? null : `was down for ${downFor}`,
        lastPing(check, board, now),
        tagWords(check),
      ]),
      sound: false,
    }
  })
}

function checkNotice(
  board: Board,
  check: Check,
  now: number,
): Omit<Notice, 'kind' | 'title' | 'body' | 'sound'> {
  const subject = checkSubject(board.accountId, check.id)
  return {
    id: `${subject}@${now}`,
    accountId: board.accountId,
    subject,
    at: now,
    target: { view: 'check', accountId: board.accountId, checkId: check.id },
    canReply: false,
  }
}

function folded(
  state: AppState,
  board: Board,
  flips: readonly Flip[],
  kind: 'down' | 'recovered',
  now: number,
): Notice {
  const subject = `${board.accountId}/checks/${kind}`
  const names = flips.slice(0, namesInFold).map(({ check }) => checkName(check))
  const rest = flips.length - names.length
  const common = commonTags(flips.map(({ check }) => check))
  const stillDown = kind === 'recovered' ? board.counts.down : 0
  return {
    id: `${subject}@${now}`,
    kind,
    accountId: board.accountId,
    subject,
    title: `${flips.length} checks ${kind === 'down' ? 'down' : 'up again'} in ${projectName(state, board)}`,
    body: joined([
      `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
      common.length > 0 ? `all tagged ${common.map((tag) => `#${tag}`).join(' ')}` : null,
      stillDown > 0 ? `${stillDown} still down` : null,
    ]),
    at: now,
    target: { view: 'checks' },
    canReply: false,
    sound: kind === 'down' && state.settings.sounds,
  }
}

function commonTags(checks: readonly Check[]): string[] {
  const [first, ...rest] = checks
  return (first?.tags ?? []).filter((tag) => rest.every((check) => check.tags.includes(tag)))
}

function projectName(state: AppState, board: Board): string {
  return accountById(state, board.accountId)?.label ?? 'a project'
}

function sinceWords(check: Check, board: Board, now: number): string | null {
  if (check.since === null) return null
  const ms = now + board.serverOffsetMs - check.since
  return ms < 60_000 ? null : `down for ${durationWords(ms)}`
}

function lastPing(check: Check, board: Board, now: number): string {
  // After a resume the time is gone, although there were pings.
  if (check.lastPingAt === null) return check.pingCount === 0 ? 'never pinged' : ''
  const ago = relativeWords(check.lastPingAt, now + board.serverOffsetMs)
  return `last ping ${ago}, expected ${scheduleWords(check.schedule)}`
}

function tagWords(check: Check): string | null {
  return check.tags.length === 0 ? null : check.tags.map((tag) => `#${tag}`).join(' ')
}
