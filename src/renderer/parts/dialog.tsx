import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'

interface Props {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

const filledIn = 'form :is(input, select, textarea)'

/** A modal question or list: Esc, its cross and a click beside it close it. */
export function Dialog({ title, children, onClose }: Props) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  // Whoever is asked to fill something in begins there, and not at the cross.
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>(filledIn)?.focus(), [])
  return (
    <Modal class="dialog" name={{ 'aria-labelledby': id }} onBack={onClose} onLeave={onClose}>
      <div ref={box} class="dialog-box">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </Modal>
  )
}

interface ModalProps {
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
export function Modal({ class: look, name, children, onBack, onLeave }: ModalProps) {
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
