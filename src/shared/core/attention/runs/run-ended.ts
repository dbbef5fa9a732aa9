import type { Board, ChecksSlice } from '../../checks/board.ts'
import { runWords } from '../../checks/runs.ts'
import { mapped } from '../../identity.ts'
import type { Target } from '../../target.ts'
import { oddRunWords } from '../event.ts'
import type { Notice, NoticesSlice } from '../notice.ts'
import { runningWords } from './odd-runs.ts'

/** Corrects the notices of runs that were too long already while they were going on, and have ended. */
export function withRunsEnded<State extends NoticesSlice & ChecksSlice>(
  before: ChecksSlice,
  after: State,
): State {
  if (before.boards === after.boards) return after
  const notices = mapped(after.notices, (notice) => corrected(notice, after))
  return notices === after.notices ? after : { ...after, notices }
}

function corrected(notice: Notice, state: ChecksSlice): Notice {
  const { title, body, target, at } = notice
  const lines = mapped(notice.lines, (line) => {
    if (!line.text.includes(runningWords)) return line
    const end = endOf(line.target, line.at, state)
    return end === null ? line : { ...line, text: ended(line.text) }
  })
  const end = title.endsWith(runningWords) ? endOf(target, at, state) : null
  if (end !== null) return { ...notice, lines, title: ended(title), body: bodyAt(end, body) }
  return lines === notice.lines ? notice : { ...notice, lines }
}

function ended(text: string): string {
  return text.replace(runningWords, oddRunWords.tooLong)
}

/** It begins with how long the run had been going on at least. */
function bodyAt({ seconds }: RunEnd, body: string): string {
  return body.replace(/^for (at least [^·]*?)(?= ·|$)/, (_, least: string) =>
    seconds === null ? `took ${least}` : `took ${runWords(seconds)}`,
  )
}

interface RunEnd {
  /** How long it took; null: unknown. */
  readonly seconds: number | null
}

/** Null while the run that was noticed at this time, by our clock, goes on as far as is known. */
function endOf(target: Target, at: number, { boards }: ChecksSlice): RunEnd | null {
  if (target.view !== 'check') return null
  const board: Board | undefined = boards.get(target.accountId)
  if (board === undefined || board.freshness.readAt === null) return null
  const check = board.checks.get(target.checkId)
  if (check === undefined) return { seconds: null }
  const { started, lastPingAt, lastDurationSeconds } = check
  const pingedAt = lastPingAt === null ? null : lastPingAt - board.serverOffsetMs
  if (pingedAt === null || pingedAt <= at) return started ? null : { seconds: null }
  const began = pingedAt - (lastDurationSeconds ?? 0) * 1_000
  // Else it is that of a later run.
  return { seconds: began <= at ? lastDurationSeconds : null }
}
