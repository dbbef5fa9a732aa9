import type { Commands } from '../shared/contract.ts'
import { known } from '../shared/core/state.ts'
import type { HistoryRecord } from './history-record.ts'
import type { LiveState } from './store.ts'

/** Entries of one answer, the newest: a timeline of more is no timeline. */
const mostEntries = 500

/** The past, for the windows. */
export function createHistoryCommands(parts: {
  live: LiveState
  record: Pick<HistoryRecord, 'entries'>
}): Pick<Commands, 'history'> {
  return {
    async history({ accountId, subject, from }) {
      known(parts.live.get(), accountId)
      const about = subject === undefined ? {} : { subject }
      return parts.record.entries({ accountId, ...about, from, limit: mostEntries })
    },
  }
}
