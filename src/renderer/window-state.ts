import { batch, computed, signal } from '@preact/signals'
import { applyPatch, type Patch } from '#shared/core/patch.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import type { Target } from '#shared/core/target.ts'
import { worstPlace } from '#shared/core/views/tray-view.ts'
import { setLocale } from '#shared/core/wording.ts'
import { follow } from './bridge.ts'
import { placeLeft } from './toast.ts'

/** This window's copy of main's state. Only `followState` and tests write it. */
export const appState = signal<AppState>(emptyState)

/** False until the first patch: an empty state is not known to be empty yet. */
export const stateReceived = signal(false)

/** Where this window is. Main's `target` moves it; so do the user's own clicks. */
export const place = signal<Target>({ view: 'checks' })

/** As long as it is here, the user went nowhere yet. */
const firstPlace = place.peek()

/** Epoch ms, ticking once a second while the window is visible; ages and countdowns read it. */
export const now = signal(Date.now())

/** Applies the changes that are waiting for a frame. */
let catchUp = (): void => undefined
/** A new window draws before it is shown. */
let wasShown = document.visibilityState === 'visible'

/** Whether the window is on the screen. */
export const visible = signal(document.visibilityState === 'visible')
document.addEventListener('visibilitychange', () => {
  // They came while nobody looked.
  catchUp()
  visible.value = document.visibilityState === 'visible'
  wasShown ||= visible.peek()
})

/** The places left by `go`, for Esc to go back to. */
const trail = signal<readonly Target[]>([])

/** Room for a list and, beside it, what was opened from it. */
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
    'discuss',
    'timeline',
  ]),
  chat: new Set(['chat', 'newMessage', 'search', 'later', 'conversation']),
}

/** The list that a place belongs to; null for pages beside both. */
export function listOf({ view }: Target): List | null {
  if (underLists.checks.has(view)) return 'checks'
  return underLists.chat.has(view) ? 'chat' : null
}

/** The list that is in view together with what is open from it; null: one of them at a time. */
export const sideBySide = computed(() => {
  const list = listOf(place.value)
  const of = list === 'checks' ? 'monitoring' : 'chat'
  const isThere = appState.value.accounts.some(({ kind }) => kind === of)
  return wide.value && isThere ? list : null
})

/** The list in view that one step back leads to; null: it leads elsewhere. */
export const listBeside = computed(() =>
  trail.value.at(-1)?.view === sideBySide.value ? sideBySide.value : null,
)

/** The list of the chat that is shown, or that was when something was opened from it. */
export const chatPlace = computed(() => {
  const places = [place.value, ...trail.value.toReversed()]
  return places.find((one) => one.view === 'chat') ?? { view: 'chat' as const }
})

/** The two lists are home: Esc hides the window there. From another list of the chat it leads home. */
export function go(to: Target): void {
  placeLeft()
  if (to.view === 'chat') trail.value = to.list === undefined ? [] : [{ view: 'chat' }]
  else trail.value = to.view === 'checks' ? [] : [...trail.value.slice(-20), place.value]
  place.value = to
}

/** What is opened from a list replaces what is open beside it. */
export function goFrom(list: List, to: Target): void {
  batch(() => {
    go(list === 'chat' ? chatPlace.peek() : { view: list })
    go(to)
  })
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
    setLocale(after.environment.systemLocale)
    appState.value = after
    if (!stateReceived.value && place.value === firstPlace) place.value = worstPlace(after)
    stateReceived.value = true
    // The last account was removed: back to the welcome.
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
    // Meant for the page that was here before: changes of a state that this one has yet to get.
    if (!stateReceived.value && !patch.some(({ path }) => path.length === 0)) return
    // A burst is applied as one: rendered one by one, each patch would cost a layout.
    came.push(patch)
    if (!stateReceived.value) apply()
    else waiting ??= afterBurst(() => came.length, apply)
  }, catchUp)
  const tick = setInterval(() => {
    if (visible.peek()) now.value = Date.now()
  }, 1_000)
  return () => {
    stop()
    waiting?.()
    waiting = null
    clearInterval(tick)
  }
}

/**
 * At most this long for a burst to end. A hidden window has no frames, and drawing each change there would
 * cost most of what it costs.
 */
const longestWaitMs = { shown: 100, hidden: 30_000 } as const

/**
 * Calls back at the first frame before which `count` did not rise: rendering during a burst would only
 * prolong it. Returns a function that cancels it.
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

/** Main's target for the window as a whole is the checks; without a project, go to the worst place. */
function withoutEmptyBoard(state: AppState, to: Target): Target {
  return to.view === 'checks' && !state.accounts.some(({ kind }) => kind === 'monitoring')
    ? worstPlace(state)
    : to
}

/** Returns whether the user is still at this place: nobody is led away from where they went meanwhile. */
export function stillHere(): () => boolean {
  const here = place.peek()
  return () => place.peek() === here
}
