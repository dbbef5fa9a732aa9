import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import { followChanges } from './board/changed-checks.ts'
import { call } from './bridge.ts'
import { refuseDrops } from './shell/drops.ts'
import { windowTitle } from './shell/tab-counts.ts'
import { followTheme } from './shell/theme.ts'
import { BelfryWindow } from './shell/window.tsx'
import { followState, place } from './state.ts'
import './styles.css'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no #app')

const visible = signal(document.visibilityState === 'visible')
document.addEventListener('visibilitychange', () => {
  visible.value = document.visibilityState === 'visible'
})

refuseDrops()
followTheme()
followChanges()
followState()
render(<BelfryWindow />, root)

effect(() => {
  // A failure would only mean that polls are no more frequent than usual.
  void call.showing({ view: visible.value ? place.value.view : null, place: place.value })
})
effect(() => {
  document.title = windowTitle.value
})
