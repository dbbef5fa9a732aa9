import { type Signal, signal } from '@preact/signals'

/** The first view. */
export const checks = loadable(() => import('../board/check-board.tsx'))

/** Everything else: the other views and what lies over the window. */
export const rest = loadable(() => import('./later-views.tsx'))

/** A chunk of its own, so that the window's frame need not wait for it. `loaded` is null until it is there. */
function loadable<T>(read: () => Promise<T>) {
  const loaded: Signal<T | null> = signal(null)
  let isLoading = false
  return {
    loaded,
    /** May be called repeatedly. */
    load() {
      if (isLoading) return
      isLoading = true
      void read()
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
}
