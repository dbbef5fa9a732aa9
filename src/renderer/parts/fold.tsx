import type { ComponentChildren } from 'preact'
import { Drawing } from './icon.tsx'

/** Before the words of what opens in place. It turns with the `aria-expanded` or `open` around it. */
export function FoldSign() {
  return (
    <Drawing class="fold-sign" size={12} stroke={1.5}>
      <path d="m6 4 4 4-4 4" />
    </Drawing>
  )
}

/** The line of `<details>` that opens it. */
export function FoldSummary({ children }: { readonly children: ComponentChildren }) {
  return (
    <summary class="fold-summary">
      <FoldSign />
      {children}
    </summary>
  )
}
