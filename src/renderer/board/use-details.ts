import { readFlips, readPings } from '#shared/api/monitoring/read-history.ts'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import { checkSubject } from '#shared/core/attention/event.ts'
import type { Check, CheckDetails, CheckId } from '#shared/core/checks/check.ts'
import { statusIn } from '#shared/core/views/timeline.ts'
import { call } from '../bridge.ts'
import { type Asked, run, useRun } from '../run.ts'
import { appState } from '../window-state.ts'

/**
 * All that the service last reported about a check, from main's memory. Asks again whenever the
 * list was read, since other people change checks too.
 */
export function useDetails(accountId: AccountId, checkId: CheckId): Asked<CheckDetails> {
  const readAt = appState.value.boards.get(accountId)?.freshness.readAt ?? null
  return useRun(`${accountId} ${checkId} ${readAt}`, () =>
    call.checkDetails({ accountId, checkId }),
  )
}

/** Whether the key may read pings: a read-only one may not. */
export function readsPings(account: MonitoringAccount, check: Check): boolean {
  return account.keyKind !== 'readOnly' && check.writable
}

/** Flips and pings of the check, asked for again when the board shows a change. */
export function useHistory(account: MonitoringAccount, check: Check) {
  const { id } = account
  const version = `${id} ${check.id} ${check.status} ${check.pingCount} ${check.lastPingAt}`
  const flips = useRun(
    version,
    () => run(id, 'listFlips', { id: check.id }),
    (reply) => readFlips(reply).items,
  )
  const pings = useRun(
    readsPings(account, check) ? version : null,
    () => run(id, 'listPings', { uuid: check.id }),
    (reply) => readPings(reply).items,
  )
  const seen = useRun(version, () =>
    call.history({ accountId: id, subject: checkSubject(id, check.id), from: 0 }),
  )
  const entries = seen.value ?? []
  return { flips, pings, entries, seen: entries.flatMap((entry) => statusIn(entry) ?? []) }
}
