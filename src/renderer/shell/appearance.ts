import { effect, signal } from '@preact/signals'
import { zoomSteps } from '#shared/core/settings.ts'
import { call } from '../bridge.ts'
import { keyOf } from '../parts/page-actions.ts'
import { toastIfFailed } from '../toast.ts'
import { appState, stateReceived } from '../window-state.ts'

/** Zoom in percent, sent to main but not in its state yet: the next key press starts from it. */
let asked: number | null = null
/** Steps requested before the state arrived, while the current zoom was unknown. */
const early: (1 | -1 | 0)[] = []
effect(() => {
  if (appState.value.settings.zoom === asked) asked = null
  if (stateReceived.value) for (const by of early.splice(0)) stepZoom(by)
})

/** One step larger (1) or smaller (-1), or back to 100 % (0). */
export function stepZoom(by: 1 | -1 | 0): void {
  if (!stateReceived.peek()) {
    early.push(by)
    return
  }
  const zoom = asked ?? appState.value.settings.zoom
  const next =
    by === 1 ? zoomSteps.find((one) => one > zoom) : zoomSteps.findLast((one) => one < zoom)
  const wanted = by === 0 ? 100 : (next ?? zoom)
  if (wanted === zoom) return
  asked = wanted
  toastIfFailed(
    call.updateSettings({ zoom: wanted }).then((result) => {
      if (!result.ok) asked = null
      return result
    }),
  )
}

const keys: Readonly<Record<string, 1 | -1 | 0>> = { '+': 1, '=': 1, '-': -1, '0': 0 }

/** Zooms if this is a zoom key with Ctrl or Cmd; returns false for any other. */
export function isZoomKey(key: KeyboardEvent): boolean {
  // The character first: a French layout has "-" on the key of 6.
  const by = key.ctrlKey || key.metaKey ? (keys[key.key] ?? keys[keyOf(key)]) : undefined
  if (by === undefined) return false
  stepZoom(by)
  return true
}

/** Applies the chosen theme, or the system's, and density. Returns a function that stops it. */
export function followAppearance(): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const systemIsDark = signal(system.matches)
  const onChange = () => {
    systemIsDark.value = system.matches
  }
  system.addEventListener('change', onChange)
  const stop = effect(() => {
    const { theme, density } = appState.value.settings
    const dark = theme === 'system' ? systemIsDark.value : theme === 'dark'
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
    document.documentElement.dataset['density'] = density
  })
  return () => {
    stop()
    system.removeEventListener('change', onChange)
  }
}

/** Keeps dropped files and links from replacing the page. Fields still take text, or files. */
export function refuseDrops(): void {
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
