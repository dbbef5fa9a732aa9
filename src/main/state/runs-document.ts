import { accountById } from '../../shared/core/account.ts'
import { noRuns } from '../../shared/core/attention/runs/usual-runs.ts'
import { counter } from '../storage/left-out.ts'
import { readRuns, runRows } from '../storage/run-rows.ts'
import type { StoredDocument } from './stored-document.ts'

/** How often what a read found is written, though no change asks for it. */
export const looksEveryMs = 10 * 60_000

/** Large and soon out of date; after a crash, an older one costs a few of the runs. */
export const runsDocument: StoredDocument = {
  words: 'how long runs usually take',
  file: 'runs',
  parts: ({ state }) =>
    [...state.boards].flatMap(([id, { freshness }]) => [
      id,
      Math.floor((freshness.readAt ?? 0) / looksEveryMs),
    ]),
  mayWait: () => true,
  holdsTime: true,
  write: ({ runs }, isIn) =>
    [...runs].flatMap(([id, { learned }]) => (isIn(id) ? [[id, runRows(learned)]] : [])),
  read: ({ state, memory, runs }, document) => {
    const lost = counter()
    const restored = new Map(runs)
    for (const [id, learned] of readRuns(document ?? [], lost.add))
      if (accountById(state, id) !== null) restored.set(id, { ...noRuns, ...runs.get(id), learned })
    return { state, memory, runs: restored, unreadable: lost.count() }
  },
  without: (state) => state,
}
