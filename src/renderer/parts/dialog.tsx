import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'
import { Modal } from './modal.tsx'

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
