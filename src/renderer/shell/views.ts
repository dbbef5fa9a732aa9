import { computed, effect, type Signal, signal } from '@preact/signals'
import { onceShown } from '../parts/once-shown.ts'
import { appState, stateReceived } from '../window-state.ts'

const loaded: Signal<typeof import('./later-views.tsx') | null> = signal(null)
let isLoading = false

/**
 * Everything but the checks: the other views and what lies over the window, a chunk of its own.
 * `loaded` is null until it is there.
 */
export const rest = {
  loaded,
  /** May be called repeatedly. */
  load() {
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

/** All that the window begins with: every project was read once, or could not be. */
const checksAreThere = computed(
  () =>
    stateReceived.value &&
    [...appState.value.boards.values()].every(
      ({ freshness }) => freshness.readAt !== null || freshness.lastFailure !== null,
    ),
)

/** Somebody may press a key that needs the rest, however long a server takes to answer. */
const longestMs = 3_000

/** Loads the rest once the checks are on the screen: before, it would hold them up. */
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
