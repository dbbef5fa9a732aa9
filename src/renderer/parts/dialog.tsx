import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { IconButton } from './button.tsx'
import { Modal } from './modal.tsx'

interface Props {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

/** A modal question or list: Esc, its cross and a click beside it close it. */
export function Dialog({ title, children, onClose }: Props) {
  const id = useId()
  return (
    <Modal class="dialog" name={{ 'aria-labelledby': id }} onBack={onClose} onLeave={onClose}>
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </Modal>
  )
}
