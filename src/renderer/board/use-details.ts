import { useMemo } from 'preact/hooks'
import { readFlips, readPings } from '#shared/api/monitoring/read-history.ts'
import { type AccountId, isFresh, type MonitoringAccount } from '#shared/core/account.ts'
import { checkSubject } from '#shared/core/attention/event.ts'
import type { Check, CheckDetails, CheckId } from '#shared/core/checks/check.ts'
import type { HistoryEntry } from '#shared/core/checks/history.ts'
import { keptMs, outagesIn, type PastFacts, pastKinds, pastOf } from '#shared/core/checks/past.ts'
import type { Result } from '#shared/core/failure.ts'
import { call } from '../bridge.ts'
import { type Asked, run, useRun } from '../run.ts'
import { appState, now, place, sideBySide } from '../window-state.ts'

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

/**
 * What is known about the check's past: flips and pings, asked for again when the board shows a change,
 * and what Belfry recorded. `facts` is null until the flips were read or can't be.
 */
export function useHistory(account: MonitoringAccount, check: Check) {
  const { id } = account
  const version = `${id} ${check.id} ${check.status} ${check.pingCount} ${check.lastPingAt}`
  const flips = useRun(
    version,
    () => once(check, 'flips', (how) => run(id, 'listFlips', { id: check.id }, how)),
    (reply) => readFlips(reply).items,
  )
  const pings = useRun(
    readsPings(account, check) ? version : null,
    () => once(check, 'pings', (how) => run(id, 'listPings', { uuid: check.id }, how)),
    (reply) => readPings(reply).items,
  )
  const recorded = useRun(version, () =>
    call.history({
      accountId: id,
      subject: checkSubject(id, check.id),
      from: 0,
      kinds: [...pastKinds],
    }),
  )
  const entries = recorded.value ?? none
  const board = appState.value.boards.get(id)
  const isStale = board !== undefined && !isFresh(board.freshness, now.value)
  const staleSince = isStale ? (board.freshness.readAt ?? 0) : null
  // The past spans hours and need not be computed each second.
  const until = Math.floor(now.value / 10_000) * 10_000
  const facts = useMemo(
    (): PastFacts | null =>
      flips.value === null && flips.failure === null
        ? null
        : {
            check,
            flips: flips.value,
            pings: pings.value ?? [],
            entries,
            offsetMs: board?.serverOffsetMs ?? 0,
            now: until,
            from: Math.min(until - keptMs, flips.value?.at(-1)?.at ?? until),
            knownUntil: staleSince ?? until,
            watchedFrom: entries[0]?.at ?? until,
          },
    [check, flips.value, flips.failure, pings.value, entries, staleSince, until],
  )
  const past = useMemo(() => (facts === null ? null : pastOf(facts)), [facts])
  const outages = useMemo(() => (facts === null ? null : outagesIn(facts, past ?? [])), [facts])
  return { flips, pings, past, outages }
}

/**
 * Answers about a check as it is: its flips and pings change only with it. Going up and down the
 * list beside its page asks for them once, and for those of a check that nobody opened as a glance, or
 * that would use up the requests that watch.
 */
const answers = new WeakMap<Check, Map<string, Promise<Result<unknown>>>>()

function once<R>(
  check: Check,
  what: string,
  ask: (how?: { readonly glance: true }) => Promise<Result<R>>,
): Promise<Result<R>> {
  if (sideBySide.peek() !== 'checks') return ask()
  const known = answers.get(check) ?? new Map<string, Promise<Result<unknown>>>()
  answers.set(check, known)
  const isOpened = place.peek().view !== 'checks'
  const answer =
    (known.get(what) as Promise<Result<R>> | undefined) ??
    ask(isOpened ? undefined : { glance: true })
  known.set(what, answer)
  void answer.then(({ ok }) => {
    if (!ok) known.delete(what)
  })
  return answer
}

const none: readonly HistoryEntry[] = []
