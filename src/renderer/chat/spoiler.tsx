import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface Props {
  readonly header: ComponentChildren
  readonly children: ComponentChildren
}

/** Closed until asked for; the hidden part is not even on the page before. */
export function Spoiler({ header, children }: Props) {
  const open = useSignal(false)
  return (
    <div class="spoiler">
      <button
        type="button"
        class="spoiler-button"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value
        }}
      >
        <span aria-hidden="true">{open.value ? '▾' : '▸'}</span>
        <span class="spoiler-header">{header}</span>
      </button>
      {open.value && <div class="spoiler-content">{children}</div>}
    </div>
  )
}
