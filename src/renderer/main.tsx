import './styles.css'
import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import { followChanges, followLooks } from './board/changed-checks.ts'
import { followRowStrips } from './board/row-strips.tsx'
import { call } from './bridge.ts'
import { isInputHeld } from './held-input.ts'
import { onceShown } from './parts/once-shown.ts'
import { run } from './run.ts'
import { followAppearance, refuseDrops } from './shell/appearance.ts'
import { windowTitle } from './shell/tab-counts.ts'
import { checks, rest } from './shell/views.ts'
import { BelfryWindow } from './shell/window.tsx'
import { appState, followState, place, stateReceived, visible } from './window-state.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no #app')

/** Whether the window was hidden with unsaved input. */
const held = signal(false)
visible.subscribe((isVisible) => {
  held.value = !isVisible && isInputHeld()
})
// A draft is saved a moment later, and a message may be sent while the window is hidden.
setInterval(() => {
  if (held.peek()) held.value = isInputHeld()
}, 30_000)

/** As often as servers take a change. */
const presenceEveryMs = 60_000
const activeNow = { status: 'active', new_user_input: true, ping_only: true } as const

checks.load()
refuseDrops()
followAppearance()
followChanges()
followLooks()
followRowStrips()
followState()
tellPresence()
render(<BelfryWindow />, root)
// After the first view is on the screen, which this would delay: main then refreshes what is shown.
effect(() => {
  if (!stateReceived.value || checks.loaded.value === null) return
  onceShown(() => {
    rest.load()
    effect(reportShown)
  }, 1_000)
})

effect(() => {
  document.title = windowTitle.value
})

function reportShown(): void {
  // A failure would only mean that polls are no more frequent than usual.
  void call.showing({
    view: visible.value ? place.value.view : null,
    place: place.value,
    holdsInput: held.value,
  })
}

/** Says that one is active, where that was chosen: on input in the focused window alone. */
function tellPresence(): void {
  let toldAt = 0
  const tell = (): void => {
    const { settings, realms } = appState.peek()
    const isDue = Date.now() - toldAt >= presenceEveryMs
    if (!settings.showAsActive || !isDue || !document.hasFocus()) return
    toldAt = Date.now()
    // What is lost is told again by the next input.
    for (const { accountId, phase } of realms.values())
      if (phase === 'live') void run(accountId, 'updatePresence', activeNow)
  }
  document.addEventListener('keydown', tell)
  document.addEventListener('pointerdown', tell)
}
