import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { FoldSign } from '../parts/fold.tsx'
import { InParts } from '../parts/in-parts.tsx'
import type { Room } from '../parts/room.ts'

/** The hidden part isn't even on the page until it is opened. */
export function Spoiler(props: {
  readonly header: ComponentChildren
  /** Links can't be inside the button, so they are beside it. */
  readonly hasLinks: boolean
  /** What `draw` depends on. */
  readonly inputs: readonly unknown[]
  readonly draw: (room: Room) => ComponentChildren
}) {
  const [open, setOpen] = useState(false)
  const header = <span class="spoiler-header">{props.header}</span>
  return (
    <div class="spoiler">
      <div class="spoiler-line">
        <button
          type="button"
          class="spoiler-button"
          aria-label={props.hasLinks ? 'Spoiler' : undefined}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <FoldSign />
          {!props.hasLinks && header}
        </button>
        {props.hasLinks && header}
      </div>
      {open && <InParts class="spoiler-content" inputs={props.inputs} draw={props.draw} />}
    </div>
  )
}
