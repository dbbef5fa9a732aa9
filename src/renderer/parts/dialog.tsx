import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'
import { focusPlace } from './page-bar.tsx'

const firstField =
  ':is(form :is(input, select, textarea, [tabindex="-1"], [type=submit]), .quiet-choices button)'

/** A modal question or list, closed by Esc, its close button or a click outside. */
export function Dialog(props: { title: string; children: ComponentChildren; onClose: () => void }) {
  const { title, children, onClose } = props
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  // Without this, the close button would get the focus.
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>(firstField)?.focus(), [])
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
  /** Its accessible name, or the id of the element that names it. */
  readonly name: { readonly 'aria-label': string } | { readonly 'aria-labelledby': string }
  readonly children: ComponentChildren
  /** On Esc. */
  readonly onBack: () => void
  /** On a click outside. */
  readonly onLeave: () => void
  /** On any other key, wherever the focus is inside. */
  readonly onKey?: (key: KeyboardEvent) => void
}

/** The browser's own `dialog`: it keeps the focus inside, and returns it when it closes. */
export function Modal({ class: look, name, children, onBack, onLeave, onKey }: ModalProps) {
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
        if (key.key !== 'Escape' || key.defaultPrevented) return onKey?.(key)
        key.preventDefault()
        key.stopPropagation()
        onBack()
      }}
    >
      {children}
    </dialog>
  )
}

/** Passed as a ref, since refs are set before the effects of the children, which move the focus. */
function open(dialog: HTMLDialogElement | null): (() => void) | undefined {
  if (dialog === null) return undefined
  const before = document.activeElement
  dialog.showModal()
  return () => {
    // Closed first, since nothing under an open modal dialog can take the focus.
    dialog.close()
    if (!(before instanceof HTMLElement) || before === document.body) return
    before.focus()
    // After this render, which may also remove the element that opened the dialog.
    queueMicrotask(() => {
      if (document.activeElement === document.body) focusPlace()
    })
  }
}
