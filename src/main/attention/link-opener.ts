import { readDeepLink } from '../../shared/core/deep-link.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Target } from '../../shared/core/target.ts'
import type { Clock } from '../base/ports.ts'

/** How long a link waits for the accounts to be read, and how often that is checked. */
const patienceMs = 20_000
const lookMs = 250

/** Opens the targets of links, one at a time: a newer one takes the place of one that waits. */
export function createLinkOpener(parts: {
  readonly get: () => AppState
  readonly clock: Pick<Clock, 'monotonic'>
  readonly open: (to: Target) => void
  readonly showWindow: () => void
  /** Reports why a link can't be opened; null: there is no such problem any more. */
  readonly refused: (why: string | null) => void
}) {
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    /**
     * Opens the target of a link, which can do nothing else, or reports why it can't. Right after
     * the start it waits for the accounts to be read; meanwhile the window is shown only once, so
     * that it doesn't keep stealing the focus.
     */
    open(text: string): void {
      clearTimeout(timer)
      parts.refused(null)
      const until = parts.clock.monotonic() + patienceMs
      const leads = (): boolean => {
        const found = readDeepLink(text, parts.get())
        if ('to' in found) parts.open(found.to)
        else if (found.wait && parts.clock.monotonic() < until) timer = setTimeout(leads, lookMs)
        else parts.refused(found.refused)
        return 'to' in found
      }
      if (!leads()) parts.showWindow()
    },
    stop(): void {
      clearTimeout(timer)
    },
  }
}
