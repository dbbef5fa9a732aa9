import type { AppState } from '../../shared/core/state.ts'
import {
  type ScopeStatus,
  type Status,
  statusFiles,
  statusSteps,
} from '../../shared/core/views/status-texts.ts'
import { chatTotals, type TrayView } from '../../shared/core/views/tray-view.ts'
import type { Clock, StatusFolder } from '../base/ports.ts'

/** How long the files may be believed if Belfry says nothing more. */
const validMs = 75_000
/** They are renewed when less than this is left; the tray looks at the clock every 10 to 30 s. */
const renewMs = 36_000
/** The passing of time alone changes the status: a silence ends, a read becomes too old. */
const lookMs = 9_000

/**
 * Keeps the status files true: to be called whenever the tray is shown, which happens at each change
 * and every few seconds. Writes only what has changed or is about to expire. With saved views, it
 * works in turns, so that a long list blocks nothing else.
 */
export function createStatusShow(parts: {
  readonly folder: StatusFolder
  /** Whether names may be written now. */
  readonly discreet: (state: AppState) => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly pid: number
}) {
  const { folder, discreet, clock, pid } = parts
  type Shown = Pick<TrayView, 'shape' | 'count'>
  let seen: { readonly by: readonly unknown[]; readonly at: number } | null = null
  let last: { readonly text: string; readonly from: number; readonly until: number } | null = null
  let status: Status | null = null
  let isWorking = false
  /** What was shown while it was working. */
  let newer: readonly [AppState, Shown] | null = null

  function look(state: AppState, shown: Shown): void {
    if (isWorking) {
      newer = [state, shown]
      return
    }
    const now = clock.now()
    const { boards, silences, accounts, settings } = state
    const by = [boards, silences, accounts, settings, shown.shape, shown.count]
    const isSame = seen?.by.every((one, at) => one === by[at]) === true
    // The clock may have been set back.
    const isRecent = seen !== null && now >= seen.at && now < seen.at + lookMs
    if (status !== null && isSame && isRecent) {
      publish(status)
      return
    }
    seen = { by, at: now }
    // After a bug in a step, the old one must expire.
    status = null
    isWorking = true
    work(state, statusSteps(state, now, discreet(state)), [])
  }

  function work(
    state: AppState,
    [step, ...more]: readonly (() => ScopeStatus)[],
    done: readonly ScopeStatus[],
  ): void {
    // Set again only if the step doesn't throw.
    isWorking = false
    const scopes = step === undefined ? done : [...done, step()]
    if (more.length > 0) {
      isWorking = true
      setImmediate(work, state, more, scopes)
      return
    }
    status = { scopes, ...chatTotals(state) }
    publish(status)
    const next = newer
    newer = null
    if (next !== null) look(...next)
  }

  function publish(told: Status): void {
    const now = clock.now()
    const text = JSON.stringify(told)
    const holds = last !== null && now >= last.from && last.until - now > renewMs
    if (holds && text === last?.text) return
    last = { text, from: now, until: now + validMs }
    const { status: lines, json } = statusFiles(told, { ...last, pid })
    folder.write({ status: lines, 'status.json': json })
  }

  return look
}
