import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  readonly class: string
  /** Its name in words, or the id of what names it. */
  readonly name: { readonly 'aria-label': string } | { readonly 'aria-labelledby': string }
  readonly children: ComponentChildren
  /** Esc. */
  readonly onBack: () => void
  /** A click beside it. */
  readonly onLeave: () => void
}

/** The browser's own `dialog`: it keeps the focus inside and gives it back to what had it. */
export function Modal({ class: look, name, children, onBack, onLeave }: Props) {
  const box = useRef<HTMLDialogElement>(null)
  // Before the effects of what is in it, which put the focus where it belongs.
  useLayoutEffect(() => {
    const before = document.activeElement
    const dialog = box.current
    dialog?.showModal()
    return () => {
      // What lies under a modal dialog takes no focus before it is closed.
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={box}
      class={look}
      {...name}
      onCancel={(cancel) => {
        cancel.preventDefault()
        onBack()
      }}
      onClick={(click) => {
        if (click.target === box.current) onLeave()
      }}
      onKeyDown={(key) => {
        // Esc belongs to the dialog here, not to the window's "back".
        if (key.key !== 'Escape' || key.defaultPrevented) return
        key.preventDefault()
        key.stopPropagation()
        onBack()
      }}
    >
      {children}
    </dialog>
  )
}
