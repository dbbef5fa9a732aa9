import './styles.css'
import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import { followChanges } from './board/changed-checks.ts'
import { call } from './bridge.ts'
import { isInputHeld } from './held-input.ts'
import { onceShown } from './parts/once-shown.ts'
import { windowTitle } from './shell/tab-counts.ts'
import { checks, rest } from './shell/views.ts'
import { BelfryWindow } from './shell/window.tsx'
import { appState, followState, place, stateReceived } from './window-state.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no #app')

const visible = signal(document.visibilityState === 'visible')
/** When the window was hidden: something typed was in it and nowhere else. */
const held = signal(false)
document.addEventListener('visibilitychange', () => {
  visible.value = document.visibilityState === 'visible'
  held.value = !visible.value && isInputHeld()
})
// The last words of a draft are in main a moment later; a send may succeed while nobody looks.
setInterval(() => {
  if (held.peek()) held.value = isInputHeld()
}, 30_000)

// While main tells what there is.
checks.load()
refuseDrops()
followTheme()
followChanges()
followState()
render(<BelfryWindow />, root)
// After the first view is on the screen, in whose way all this would stand: main reads anew what is looked at.
effect(() => {
  if (!stateReceived.value || checks.loaded.value === null) return
  onceShown(() => {
    rest.load()
    effect(tellWhatIsShown)
  }, 1_000)
})

effect(() => {
  document.title = windowTitle.value
})

function tellWhatIsShown(): void {
  // A failure would only mean that polls are no more frequent than usual.
  void call.showing({
    view: visible.value ? place.value.view : null,
    place: place.value,
    holdsInput: held.value,
  })
}

/** Keeps `data-theme` of the page at the user's choice, or the system's. Returns the way to stop. */
export function followTheme(): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const systemIsDark = signal(system.matches)
  const onChange = () => {
    systemIsDark.value = system.matches
  }
  system.addEventListener('change', onChange)
  const stop = effect(() => {
    const { theme } = appState.value.settings
    const dark = theme === 'system' ? systemIsDark.value : theme === 'dark'
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
  })
  return () => {
    stop()
    system.removeEventListener('change', onChange)
  }
}

/**
 * What is dropped beside the places that take it must not become the page: a file or a link would
 * be opened. Text still drops into fields, and a file into a field for files.
 */
function refuseDrops(): void {
  const refuse = (drag: DragEvent): void => {
    const types = drag.dataTransfer?.types ?? []
    const onto = drag.target instanceof Element ? drag.target.closest('input, textarea') : null
    const opens = types.includes('Files')
      ? !(onto instanceof HTMLInputElement && onto.type === 'file')
      : types.includes('text/uri-list') && onto === null
    if (opens) drag.preventDefault()
  }
  document.addEventListener('dragover', refuse)
  document.addEventListener('drop', refuse)
}
