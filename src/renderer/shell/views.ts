import { type Signal, signal } from '@preact/signals'

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

/** What people do first: the pointer moves over the window before it clicks. */
const inputs = ['pointermove', 'pointerdown', 'keydown', 'wheel'] as const

/** Loads the rest at the first input: many a window is only glanced at. */
export function restAtInput(): () => void {
  const stop = (): void => {
    for (const kind of inputs) removeEventListener(kind, begin, true)
  }
  const begin = (event: Event): void => {
    // A window that appears below a pointer at rest gets an event, too.
    if (event instanceof PointerEvent && event.type === 'pointermove' && isAtRest(event)) return
    stop()
    rest.load()
  }
  for (const kind of inputs) addEventListener(kind, begin, { capture: true, passive: true })
  return stop
}

function isAtRest({ movementX, movementY }: PointerEvent): boolean {
  return movementX === 0 && movementY === 0
}
