import './styles.css'
import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import { followChanges, followLooks } from './board/changed-checks.ts'
import { followRowStrips } from './board/row-strips.tsx'
import { call } from './bridge.ts'
import { isInputHeld } from './held-input.ts'
import { onceShown } from './parts/once-shown.ts'
import { followAppearance, refuseDrops } from './shell/appearance.ts'
import { windowTitle } from './shell/tab-counts.ts'
import { rest, restAfterChecks } from './shell/views.ts'
import { BelfryWindow } from './shell/window.tsx'
import { followState, place, stateReceived, visible } from './window-state.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no #app')

/** Whether the window is hidden and holds unsaved input. */
const holdsInput = signal(false)
visible.subscribe((isVisible) => {
  holdsInput.value = !isVisible && isInputHeld()
})
// While the window is hidden, a draft may still be saved or a message sent.
effect(() => {
  if (!holdsInput.value) return
  const timer = setInterval(() => {
    holdsInput.value = isInputHeld()
  }, 30_000)
  return () => clearInterval(timer)
})

refuseDrops()
followAppearance()
followChanges()
followLooks()
followRowStrips()
followState()
restAfterChecks()
render(<BelfryWindow />, root)
// Once the first view is on the screen: main then refreshes what is shown, which would delay it.
effect(() => {
  if (stateReceived.value) onceShown(() => effect(reportShown), 1_000)
})

effect(() => rest.loaded.value?.followPresence())

effect(() => {
  document.title = windowTitle.value
})

function reportShown(): void {
  // A failure isn't shown: the user asked for nothing, and the next change is reported again.
  void call.showing({
    view: visible.value ? place.value.view : null,
    place: place.value,
    holdsInput: holdsInput.value,
  })
}
