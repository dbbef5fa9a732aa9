import { useLayoutEffect } from 'preact/hooks'
import { type PageAct, usePageActs } from './page-actions.ts'
import { isTyping } from './typing.ts'

/** Single keys for what a page can do, wherever the focus is on it. */
export function useSingleKeys(acts: readonly PageAct[]): void {
  usePageActs(() => acts)
  // Before the first paint: a key that is pressed at once must not go elsewhere.
  useLayoutEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      const found = acts.find((one) => one.key === key.key)
      if (found === undefined || key.defaultPrevented || isTyping(key.target)) return
      if (key.ctrlKey || key.metaKey || key.altKey || document.querySelector('dialog[open]')) return
      key.preventDefault()
      found.act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}
