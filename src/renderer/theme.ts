import { effect, signal } from '@preact/signals'
import { appState } from './window-state.ts'

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
