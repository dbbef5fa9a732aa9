import type { AppState } from '../../shared/core/state.ts'
import { type Status, statusFiles, statusOf } from '../../shared/core/views/status-texts.ts'
import type { TrayView } from '../../shared/core/views/tray-view.ts'
import type { Clock, StatusFolder } from '../base/ports.ts'

/** How long the files may be believed if Belfry says nothing more. */
const validMs = 75_000
/** They are renewed when less than this is left; the tray looks at the clock every 10 s. */
const renewMs = 36_000
/** The passing of time alone changes the status: a silence ends, a read becomes too old. */
const lookMs = 9_000

/**
 * Keeps the status files true: to be called whenever the tray is shown, which happens at each change
 * and every few seconds. Writes only what has changed or is about to expire.
 */
export function createStatusShow(parts: {
  readonly folder: StatusFolder
  /** Whether names may be written now. */
  readonly discreet: (state: AppState) => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly pid: number
}) {
  const { folder, discreet, clock, pid } = parts
  let seen: { readonly by: readonly unknown[]; readonly at: number } | null = null
  let last: { readonly text: string; readonly from: number; readonly until: number } | null = null
  let status: Status | null = null

  return function look(state: AppState, { shape, count }: Pick<TrayView, 'shape' | 'count'>): void {
    const now = clock.now()
    const by = [state.boards, state.silences, state.accounts, state.settings, shape, count]
    const isSame = seen?.by.every((one, at) => one === by[at]) === true
    // The clock may have been set back.
    const isRecent = seen !== null && now >= seen.at && now < seen.at + lookMs
    if (status === null || !isSame || !isRecent) {
      status = statusOf(state, now, discreet(state))
      seen = { by, at: now }
    }
    const text = JSON.stringify(status)
    const holds = last !== null && now >= last.from && last.until - now > renewMs
    if (holds && text === last?.text) return
    last = { text, from: now, until: now + validMs }
    const { status: lines, json } = statusFiles(status, { ...last, pid })
    folder.write({ status: lines, 'status.json': json })
  }
}
