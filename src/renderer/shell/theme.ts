import { effect, signal } from '@preact/signals'
import { appState } from '../window-state.ts'

/** Keeps `data-theme` of the page as the user or the system chose. Returns a function that stops it. */
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
