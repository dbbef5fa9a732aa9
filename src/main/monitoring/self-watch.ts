import type { AccountId } from '../../shared/core/account.ts'
import type { CheckId } from '../../shared/core/checks/check.ts'
import type { PingOutcome } from '../../shared/core/checks/ping.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import { failureSentence } from '../../shared/core/failure-words.ts'
import { type AppState, emptyState } from '../../shared/core/state.ts'
import { isAccountFresh } from '../../shared/core/views/tray-view.ts'
import type { Beat } from '../base/beat.ts'
import type { Clock, Desktop } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'

/** Two fit into the 5-minute period that the settings ask for: a single lost ping is no alarm. */
const pingMs = 2 * 60_000
/** How often it checks whether a ping is due and possible. */
const lookMs = 10_000

/**
 * Pings the check that the user chose to watch Belfry itself, while every account is fresh and
 * notifications are shown: if Belfry, this computer or its network fails, the service notifies.
 */
export function createSelfWatch(parts: {
  readonly live: LiveState
  readonly desktop: Pick<Desktop, 'notifiedBy'>
  /** Resolves to null if the service accepted it; rejects with `RequestFailed`. */
  readonly ping: (accountId: AccountId, checkId: CheckId) => Promise<PingOutcome | null>
  readonly clock: Clock
  readonly beat: Beat
  readonly onBug: (where: string, error: unknown) => void
}) {
  const { live, clock } = parts
  let nextAt = Number.NEGATIVE_INFINITY
  let chosen: AppState['settings']['selfWatch'] = null
  let isBusy = false

  async function look(): Promise<void> {
    const { selfWatch } = live.get().settings
    if (chosen !== selfWatch) {
      chosen = selfWatch
      nextAt = Number.NEGATIVE_INFINITY
      live.update((state) => ({ ...state, selfWatch: emptyState.selfWatch }))
    }
    if (selfWatch === null) return
    const unread = unreadWords(live.get(), clock.now())
    if (unread !== null) return report(unread)
    if (clock.monotonic() < nextAt) return
    if ((await parts.desktop.notifiedBy()).by === 'nobody')
      return report('Nothing on this computer can show notifications.')
    nextAt = clock.monotonic() + pingMs
    const outcome = await parts.ping(selfWatch.accountId, selfWatch.checkId)
    if (outcome !== null) return report('The server did not accept the last ping.')
    live.update((state) => ({ ...state, selfWatch: { pingedAt: clock.now(), problem: null } }))
  }

  function report(problem: string | null): void {
    live.update((state) =>
      state.selfWatch.problem === problem
        ? state
        : { ...state, selfWatch: { ...state.selfWatch, problem } },
    )
  }

  async function turn(): Promise<void> {
    if (isBusy) return
    isBusy = true
    try {
      await look()
    } catch (error) {
      if (error instanceof RequestFailed) report(failureSentence(error.failure))
      else parts.onBug('self-watch', error)
    } finally {
      isBusy = false
    }
  }

  return { stop: parts.beat.each(lookMs, () => void turn()) }
}

/** Null if every account is fresh. */
function unreadWords(state: AppState, now: number): string | null {
  const unread = state.accounts.find((account) => !isAccountFresh(state, account, now))
  return unread === undefined ? null : `Waiting for ${unread.label} to be updated.`
}
