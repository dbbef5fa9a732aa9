import { computed, effect, type Signal, signal } from '@preact/signals'
import { isRead } from '#shared/core/account.ts'
import { onceShown } from '../parts/once-shown.ts'
import { appState, stateReceived } from '../window-state.ts'

const loaded: Signal<typeof import('./later-views.tsx') | null> = signal(null)
let isLoading = false

/**
 * Everything but the checks, as a chunk of its own: the other views and the dialogs. `loaded` is
 * null until the chunk has loaded.
 */
export const rest = {
  loaded,
  /** May be called repeatedly. */
  load: () => {
    if (isLoading) return
    isLoading = true
    void import('./later-views.tsx')
      .then((module) => {
        loaded.value = module
      })
      .catch((error: unknown) => {
        // The next call tries again.
        isLoading = false
        throw error
      })
  },
}

/** Whether every project has been read once or has failed to be read. */
const checksAreThere = computed(
  () =>
    stateReceived.value &&
    [...appState.value.boards.values()].every(
      ({ freshness }) => isRead(freshness) || freshness.lastFailure !== null,
    ),
)

/** How long to wait for slow servers at most: the user may press a key that needs the rest. */
const longestMs = 3_000

/** Loads the rest once the checks are on the screen: any earlier, it would delay them. */
export function restAfterChecks(): () => void {
  const timer = setTimeout(rest.load, longestMs)
  const stop = effect(() => {
    if (checksAreThere.value) onceShown(rest.load, 1_000)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}
