import type { Commands } from '../../shared/contract.ts'
import type { AccountId } from '../../shared/core/account.ts'
import { checkSubject } from '../../shared/core/attention/event.ts'
import type { CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import {
  type Finding,
  findingsOf,
  lookMs,
  quietWeek,
  weekOf,
} from '../../shared/core/checks/weekly-look.ts'
import { known } from '../../shared/core/state.ts'
import type { Clock } from '../base/ports.ts'
import { createYielding } from '../http/wait.ts'
import type { HistoryRecord } from '../state/history-record.ts'
import type { LiveState } from '../state/store.ts'

/** History entries in one answer (the newest): a longer timeline would not be readable. */
const mostEntries = 500
/** History entries of an account in a week: more than a storm a day makes. */
const mostOfAWeek = 20_000

/** What was recorded here, as a timeline and as the weekly look at what could be better. */
export function createHistoryCommands(parts: {
  live: Pick<LiveState, 'get'>
  record: Pick<HistoryRecord, 'entries' | 'recentRuns'>
  details: (accountId: AccountId, checkId: CheckId) => CheckDetails | null
  clock: Clock
}) {
  const { live, clock } = parts

  return {
    async history({ accountId, subject, from }) {
      known(live.get(), accountId)
      const about = subject === undefined ? {} : { subject }
      return parts.record.entries({ accountId, ...about, from, limit: mostEntries })
    },

    async weeklyLook() {
      const yielding = createYielding(new AbortController().signal)
      const found: Finding[] = []
      const from = clock.now() - lookMs
      for (const [accountId, board] of live.get().boards) {
        const kinds = ['status', 'notice', 'runs']
        const weeks = weekOf(parts.record.entries({ accountId, from, kinds, limit: mostOfAWeek }))
        for (const check of board.checks.values()) {
          if (yielding.isOver()) await yielding.next()
          const subject = checkSubject(accountId, check.id)
          const week = weeks.get(subject) ?? quietWeek
          const runs = [...week.runs, ...parts.record.recentRuns(subject)]
          const integrationIds = parts.details(accountId, check.id)?.integrationIds ?? null
          found.push(...findingsOf(accountId, check, integrationIds, { ...week, runs }))
        }
      }
      return found
    },
  } satisfies Partial<Commands>
}
