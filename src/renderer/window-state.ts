import { batch, computed, effect, signal } from '@preact/signals'
import { applyPatch, type Patch } from '#shared/core/patch.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import type { Target } from '#shared/core/target.ts'
import { withLastBoards } from '#shared/core/views/last-board.ts'
import { worstPlace } from '#shared/core/views/tray-view.ts'
import { setLocale } from '#shared/core/wording.ts'
import { follow } from './bridge.ts'
import { placeLeft } from './toast.ts'

/**
 * This window's copy of main's state, with what the previous run left of boards that were not read
 * yet. Only `followState` and tests write it.
 */
export const appState = signal<AppState>(emptyState)

/** False until the first patch: an empty state only means that nothing is known yet. */
export const stateReceived = signal(false)

/** What this window shows. Changed by main's `target` and by the user's own clicks. */
export const place = signal<Target>({ view: 'checks' })

/** While `place` is still this object, the user has not gone anywhere. */
const firstPlace = place.peek()

/** Epoch ms, ticking once a second while the window is visible; ages and countdowns read it. */
export const now = signal(Date.now())

/** Applies the changes that are waiting for a frame. */
let catchUp = (): void => undefined
/** Whether the window was ever visible: a new one has to render before it is shown. */
let wasShown = document.visibilityState === 'visible'

/** Whether the window is on the screen. */
export const visible = signal(document.visibilityState === 'visible')
document.addEventListener('visibilitychange', () => {
  // Changes may be waiting that arrived while the window was hidden.
  catchUp()
  const isVisible = document.visibilityState === 'visible'
  // It stood still: until the next tick, everything would look as fresh as when it was hidden.
  if (isVisible) now.value = Date.now()
  visible.value = isVisible
  wasShown ||= isVisible
})

/** The places left by `go`, for Esc to go back to. */
const trail = signal<readonly Target[]>([])

/** Wide enough for a list and, beside it, what was opened from it. */
const wideWindow = matchMedia('(min-width: 720px)')
const wide = signal(wideWindow.matches)
wideWindow.addEventListener('change', ({ matches }) => {
  wide.value = matches
})

export type List = 'checks' | 'chat'

const underLists: Readonly<Record<List, ReadonlySet<Target['view']>>> = {
  checks: new Set([
    'checks',
    'check',
    'editCheck',
    'importChecks',
    'weekly',
    'outages',
    'discuss',
    'timeline',
  ]),
  chat: new Set(['chat', 'newMessage', 'search', 'later', 'conversation']),
}

/** The list that a place belongs to; null for a page that belongs to neither. */
export function listOf({ view }: Target): List | null {
  if (underLists.checks.has(view)) return 'checks'
  return underLists.chat.has(view) ? 'chat' : null
}

/** The list that is shown beside what was opened from it; null if only one of the two is. */
export const sideBySide = computed(() => {
  const list = listOf(place.value)
  const of = list === 'checks' ? 'monitoring' : 'chat'
  const isThere = appState.value.accounts.some(({ kind }) => kind === of)
  return wide.value && isThere ? list : null
})

/** The list shown beside the current page, if one step back leads to it; else null. */
export const listBeside = computed(() =>
  trail.value.at(-1)?.view === sideBySide.value ? sideBySide.value : null,
)

/** What each list shows of its selected row. */
const shownBy = { checks: 'check', chat: 'conversation' } as const

/**
 * Whether the list decides what is beside it: there is nothing to close then, and nothing to go
 * back to.
 */
export const followsList = computed(() => {
  const list = sideBySide.value
  if (list === null) return false
  const { view } = place.value
  return view === list || (view === shownBy[list] && listBeside.value === list)
})

/** The chat list that is shown, or that the current page was opened from; else the first. */
export const chatPlace = computed(() => {
  const places = [place.value, ...trail.value.toReversed()]
  return places.find((one) => one.view === 'chat') ?? { view: 'chat' as const }
})

/**
 * Goes to a place. From the check list and the first chat list nothing leads back, so Esc hides the
 * window there; from the other chat lists, it leads to the first.
 */
export function go(to: Target): void {
  placeLeft()
  if (to.view === 'chat') trail.value = to.list === undefined ? [] : [{ view: 'chat' }]
  else trail.value = to.view === 'checks' ? [] : [...trail.value.slice(-20), place.value]
  place.value = to
}

/** Opens something from a list, in place of what is open beside it. */
export function goFrom(list: List, to: Target): void {
  batch(() => {
    go(list === 'chat' ? chatPlace.peek() : { view: list })
    go(to)
  })
}

/** Goes one step back; returns false if there is nowhere to go back to. */
export function goBack(): boolean {
  const to = trail.value.at(-1)
  if (to === undefined) return false
  placeLeft()
  trail.value = trail.value.slice(0, -1)
  place.value = to
  return true
}

/** Follows main's state. Returns a function that stops it. */
export function followState(): () => void {
  let times = 0
  let received = emptyState
  let came: Patch[] = []
  let waiting: (() => void) | null = null
  const apply = (): void => {
    waiting = null
    const patch = came.flat()
    came = []
    const before = received
    const after = applyPatch(before, patch)
    received = after
    setLocale(after.environment.systemLocale)
    appState.value = withLastBoards(after)
    if (!stateReceived.value && place.value === firstPlace) place.value = worstPlace(after)
    stateReceived.value = true
    // The last account was removed: back to the welcome page.
    if (before.accounts.length > 0 && after.accounts.length === 0) go({ view: 'checks' })
    const { target } = after
    if (target.times !== times) {
      times = target.times
      if (times > 0) go(withoutEmptyBoard(after, target.to))
    }
  }
  catchUp = () => {
    if (waiting === null) return
    waiting()
    apply()
  }
  const stop = follow((patch) => {
    // Sent to the page before a reload: this one has no state yet to apply changes to.
    if (!stateReceived.value && !patch.some(({ path }) => path.length === 0)) return
    // A burst is applied as a whole: rendered one by one, each patch would cost a layout.
    came.push(patch)
    if (!stateReceived.value) apply()
    else waiting ??= afterBurst(() => came.length, apply)
  }, catchUp)
  const stopTicking = effect(() => {
    if (!visible.value) return
    const tick = setInterval(() => {
      now.value = Date.now()
    }, 1_000)
    return () => clearInterval(tick)
  })
  return () => {
    stop()
    waiting?.()
    waiting = null
    stopTicking()
  }
}

/**
 * How long to wait for a burst to end. A hidden window gets no animation frames, and rendering
 * every change there would be most of its cost.
 */
const longestWaitMs = { shown: 100, hidden: 30_000 } as const

/**
 * Calls `then` on the first frame at which `count` is the same as on the frame before: rendering
 * during a burst would only prolong it. Returns a function that cancels it.
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
  const timer = setTimeout(run, longestWaitMs[wasShown && !visible.peek() ? 'hidden' : 'shown'])
  return stop
}

/** Main opens the window on the checks. Without a project, returns the worst place instead. */
function withoutEmptyBoard(state: AppState, to: Target): Target {
  return to.view === 'checks' && !state.accounts.some(({ kind }) => kind === 'monitoring')
    ? worstPlace(state)
    : to
}

/**
 * Returns a function that tells whether the user is still at the current place, so that a late
 * answer doesn't take them away from where they went meanwhile.
 */
export function stillHere(): () => boolean {
  const here = place.peek()
  return () => place.peek() === here
}
