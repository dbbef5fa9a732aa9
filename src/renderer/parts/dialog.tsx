import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'

interface Props {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

/**
 * A modal question or list. The browser's own `dialog` keeps the focus inside, closes on Esc and
 * gives the focus back to what had it.
 */
export function Dialog({ title, children, onClose }: Props) {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
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
      class="dialog"
      aria-labelledby={id}
      onCancel={(cancel) => {
        cancel.preventDefault()
        onClose()
      }}
      onClick={(click) => {
        if (click.target === box.current) onClose()
      }}
      onKeyDown={(key) => {
        // Esc belongs to the dialog here, not to the window's "back".
        if (key.key === 'Escape') {
          key.preventDefault()
          key.stopPropagation()
          onClose()
        }
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}
