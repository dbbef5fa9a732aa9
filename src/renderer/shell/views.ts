import { type ReadonlySignal, signal } from '@preact/signals'

/** A part of the window that is a file of its own when it is built, so that the frame stands before it is read. */
interface Loadable<T> {
  /** Null until it is there. */
  readonly loaded: ReadonlySignal<T | null>
  /** As often as one likes. */
  readonly load: () => void
}

/** The first view. */
export const checks = loadable(() => import('./checks-view.tsx'))

/** Everything else: the other views and what lies over the window. */
export const rest = loadable(() => import('./later-views.tsx'))

function loadable<T>(read: () => Promise<T>): Loadable<T> {
  const loaded = signal<T | null>(null)
  let isLoading = false
  return {
    loaded,
    load() {
      if (isLoading) return
      isLoading = true
      void read()
        .then((module) => {
          loaded.value = module
        })
        .catch((error: unknown) => {
          // Whoever asks next tries again.
          isLoading = false
          throw error
        })
    },
  }
}
