import type { Board } from '../checks/board.ts'
import { type CheckId, checkName } from '../checks/check.ts'
import type { MissedOutage } from '../checks/missed-flips.ts'
import { clockWords } from '../clock-words.ts'
import { type AppState, accountById } from '../state.ts'
import { durationWords } from '../time.ts'
import { checkSubject } from './check-subject.ts'
import type { CheckEvent } from './event.ts'
import { joined } from './notice.ts'

/**
 * Checks that went down and came back while nobody looked. One that is not well any more is told by
 * its status.
 */
export function missedEvents(
  state: AppState,
  before: Board,
  board: Board,
  now: number,
): CheckEvent[] {
  if (before.missed.found === board.missed.found) return []
  const byCheck = Map.groupBy(board.missed.found, ({ checkId }) => checkId)
  return [...byCheck].flatMap(([id, outages]) => missedEvent(state, board, id, outages, now) ?? [])
}

function missedEvent(
  state: AppState,
  board: Board,
  id: CheckId,
  outages: readonly MissedOutage[],
  now: number,
): CheckEvent | null {
  const check = board.checks.get(id)
  const last = outages.at(-1)
  if (last === undefined || (check?.status !== 'up' && check?.status !== 'grace')) return null
  const { accountId } = board
  const subject = checkSubject(accountId, id)
  const name = checkName(check)
  const project = accountById(state, accountId)?.label ?? 'a project'
  return {
    of: 'check',
    kind: 'missed',
    id: `${subject}/missed@${last.from}`,
    at: now,
    accountId,
    subject,
    title: `${name} ${whatWords(outages)} ${whenWords(last, board, now)}`,
    body: joined([
      'it is up again',
      project,
      check.tags.length === 0 ? null : check.tags.map((tag) => `#${tag}`).join(' '),
    ]),
    target: { view: 'check', accountId, checkId: id },
    checkId: id,
    name,
    project,
    tags: check.tags,
    from: check.status,
  }
}

function whatWords(outages: readonly MissedOutage[]): string {
  if (outages.every(({ kind }) => kind === 'unsure')) return 'was down or paused'
  return outages.length === 1 ? 'was down' : `was down ${outages.length} times, last`
}

/** "from 11:02 to 11:04", or "for 20 s at 11:02" within a minute. By this computer's clock. */
function whenWords({ from, to }: MissedOutage, board: Board, now: number): string {
  const clock = (at: number): string => clockWords(at - board.serverOffsetMs, now)
  return clock(from) === clock(to)
    ? `for ${durationWords(to - from)} at ${clock(from)}`
    : `from ${clock(from)} to ${clock(to)}`
}
