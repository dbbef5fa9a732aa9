import { accountById } from '../../shared/core/account.ts'
import { noRuns } from '../../shared/core/attention/runs/usual-runs.ts'
import type { Board } from '../../shared/core/checks/board.ts'
import type { AppState } from '../../shared/core/state.ts'
import { counter } from '../storage/left-out.ts'
import { readRuns, runRows } from '../storage/run-rows.ts'
import { type StoredDocument, strangersAmong } from './stored-document.ts'

/** How often what a read found is written, though no change asks for it. */
const looksEveryMs = 10 * 60_000

/**
 * What decides when a document of what reads found is written: at its first read, then after ten
 * minutes of them, and whenever `more` of a board changes.
 */
export function readParts(
  { boards }: Pick<AppState, 'boards'>,
  more: (board: Board) => readonly unknown[] = () => [],
): readonly unknown[] {
  return [...boards].flatMap(([id, board]) => [
    id,
    Math.floor((board.freshness.readAt ?? 0) / looksEveryMs),
    ...more(board),
  ])
}

/** Large and soon out of date; after a crash, an older one costs a few of the runs. */
export const runsDocument: StoredDocument = {
  words: 'how long runs usually take',
  file: 'runs',
  parts: ({ state }) => readParts(state),
  mayWait: () => true,
  holdsTime: true,
  write: ({ runs }, isIn) =>
    [...runs].flatMap(([id, { learned }]) => (isIn(id) ? [[id, runRows(learned)]] : [])),
  read: ({ state, memory, runs }, document) => {
    const lost = counter()
    const restored = new Map(runs)
    const all = readRuns(document ?? [], lost.add)
    for (const [id, learned] of all)
      if (accountById(state, id) !== null) restored.set(id, { ...noRuns, ...runs.get(id), learned })
    const orphans = strangersAmong(state, all)
    return { state, memory, runs: restored, unreadable: lost.count(), orphans }
  },
  without: (state) => state,
}
