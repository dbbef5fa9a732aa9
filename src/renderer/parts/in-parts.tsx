import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { SmallButton } from './button.tsx'
import { useInTurn } from './draw-in-turn.ts'
import type { Room } from './room.ts'

interface Props {
  readonly class?: string
  /** Shown until it is its turn. */
  readonly waiting?: string
  /** What `draw` depends on; always the same number of values. */
  readonly inputs: readonly unknown[]
  readonly draw: (room: Room) => ComponentChildren
  /** The length of what has to be parsed first. */
  readonly unread?: number
  /** What follows once everything is shown. */
  readonly end?: () => ComponentChildren
}

/** What a stranger wrote, as much at a time as takes the window little time. */
export function InParts(props: Props) {
  const { class: name = 'message-html', waiting, inputs, draw, unread, end } = props
  const place = useRef<HTMLDivElement>(null)
  const button = useRef(false)
  const { content, state, more } = useInTurn(place, inputs, draw, unread)
  // The button that had the focus goes with the last part.
  useLayoutEffect(() => {
    if (state !== 'whole' || !button.current) return
    button.current = false
    if (document.activeElement === document.body)
      place.current?.closest<HTMLElement>('[tabindex]')?.focus()
  })
  const showMore = (): void => {
    button.current = true
    more()
  }
  return (
    <div
      ref={place}
      class={state === 'waits' ? `${name} message-waiting` : name}
      aria-busy={state === 'waits' || state === 'grows' || undefined}
    >
      {state === 'waits' ? waiting : content}
      {state === 'part' && (
        <p>
          <SmallButton onClick={showMore}>Show more</SmallButton>
        </p>
      )}
      {state === 'whole' && end?.()}
    </div>
  )
}
