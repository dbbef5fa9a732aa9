import { signal } from '@preact/signals'
import { applyPatch, type Patch } from '#shared/core/patch.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import type { Target } from '#shared/core/target.ts'
import { worstPlace } from '#shared/core/views/tray-view.ts'
import { follow } from './bridge.ts'
import { placeLeft } from './toast.ts'

/** This window's copy of main's state. Only `followState` and tests write it. */
export const appState = signal<AppState>(emptyState)

/** False until the first patch came: nothing is known yet, which is not the same as nothing there. */
export const stateReceived = signal(false)

/** Where this window is. Main's `target` moves it; so do the user's own clicks. */
export const place = signal<Target>({ view: 'checks' })

/** Where a window begins: as long as it stands here, nobody chose to. */
const beginning = place.peek()

/** Epoch ms, ticking once a second while the window is visible; ages and countdowns read it. */
export const now = signal(Date.now())

/** Steps back for Esc: the places left by `go`. */
const trail = signal<readonly Target[]>([])

/** The two lists are home: there is nothing behind them, and Esc hides the window. */
export function go(to: Target): void {
  // What was said of the place that is left would contradict the next one.
  placeLeft()
  const home = to.view === 'checks' || to.view === 'chat'
  trail.value = home ? [] : [...trail.value.slice(-20), place.value]
  place.value = to
}

/** One step back; false when there is nowhere to go back to. */
export function goBack(): boolean {
  const to = trail.value.at(-1)
  if (to === undefined) return false
  placeLeft()
  trail.value = trail.value.slice(0, -1)
  place.value = to
  return true
}

/** Follows main's state for as long as the window lives. */
export function followState(): () => void {
  let times = 0
  let came: Patch[] = []
  let waiting: (() => void) | null = null
  const apply = (): void => {
    waiting = null
    const patch = came.flat()
    came = []
    const before = appState.value
    const after = applyPatch(before, patch)
    appState.value = after
    if (!stateReceived.value && place.value === beginning) place.value = worstPlace(after)
    stateReceived.value = true
    // The last account is gone, by whatever way: what is left is to begin anew.
    if (before.accounts.length > 0 && after.accounts.length === 0) go({ view: 'checks' })
    const { target } = after
    if (target.times !== times) {
      times = target.times
      if (times > 0) go(withoutEmptyBoard(after, target.to))
    }
  }
  const stop = follow((patch) => {
    // What comes in a burst is applied as one: drawn one by one, each would be laid out.
    came.push(patch)
    if (!stateReceived.value) apply()
    else waiting ??= afterBurst(() => came.length, apply)
  })
  const tick = setInterval(() => {
    if (document.visibilityState === 'visible') now.value = Date.now()
  }, 1_000)
  return () => {
    stop()
    waiting?.()
    clearInterval(tick)
  }
}

/** However long a burst is; and a window that nobody sees draws no frames, and is told all the same. */
const longestWaitMs = 100

/**
 * Calls back at the next frame, or where `count` rises by then, at the first one that it stood still
 * before: to draw in the midst of a burst would only make it last. Returns the way to stop.
 */
function afterBurst(count: () => number, then: () => void): () => void {
  let known = count()
  const stop = (): void => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
  const run = (): void => {
    stop()
    then()
  }
  const look = (): void => {
    if (count() === known) run()
    else {
      known = count()
      frame = requestAnimationFrame(look)
    }
  }
  let frame = requestAnimationFrame(look)
  const timer = setTimeout(run, longestWaitMs)
  return stop
}

/** Main leads to the checks when it means the window as a whole; without a project they are elsewhere. */
function withoutEmptyBoard(state: AppState, to: Target): Target {
  return to.view === 'checks' && !state.accounts.some(({ kind }) => kind === 'monitoring')
    ? worstPlace(state)
    : to
}
