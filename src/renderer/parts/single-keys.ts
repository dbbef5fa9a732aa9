import { useLayoutEffect } from 'preact/hooks'
import { isTyping } from './typing.ts'

/** Single keys for what a page can do, wherever the focus is on it. */
export function useSingleKeys(acts: Readonly<Record<string, () => unknown>>): void {
  // Before the first paint: a key that is pressed at once must not go elsewhere.
  useLayoutEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      const act = Object.hasOwn(acts, key.key) ? acts[key.key] : undefined
      if (act === undefined || key.defaultPrevented || isTyping(key.target)) return
      if (key.ctrlKey || key.metaKey || key.altKey || document.querySelector('dialog[open]')) return
      key.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}
