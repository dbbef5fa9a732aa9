import type { ComponentChildren } from 'preact'

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
  return (
    <dialog
      ref={open}
      class={look}
      {...name}
      onCancel={(cancel) => {
        cancel.preventDefault()
        onBack()
      }}
      onClick={(click) => {
        if (click.target === click.currentTarget) onLeave()
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

/** As its ref, which is set before the first effects of what is in it: they put the focus where it belongs. */
function open(dialog: HTMLDialogElement | null): (() => void) | undefined {
  if (dialog === null) return undefined
  const before = document.activeElement
  dialog.showModal()
  return () => {
    // What lies under a modal dialog takes no focus before it is closed.
    dialog.close()
    if (before instanceof HTMLElement) before.focus()
  }
}
