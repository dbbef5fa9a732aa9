import type { ComponentChildren } from 'preact'
import { IconButton } from './button.tsx'

export function Group(props: {
  readonly title: string
  /** Why the list is missing or incomplete, or null. */
  readonly note: string | null
  readonly empty: string
  readonly rows: readonly ComponentChildren[]
  readonly children?: ComponentChildren
}) {
  const { title, note, empty, rows, children } = props
  return (
    <section aria-label={title}>
      <div class="row later-head">
        <h2 class="chat-group group-label">{title}</h2>
        {children}
      </div>
      {(note !== null || rows.length === 0) && <p class="later-none">{note ?? empty}</p>}
      {rows.length > 0 && <ul>{rows}</ul>}
    </section>
  )
}

export function Row(props: {
  readonly title: string
  readonly text: string
  /** When it is sent. */
  readonly side?: string
  /** Who keeps it, where rows differ in that. */
  readonly by?: string
  /** What to look out for; nothing if it is ''. */
  readonly note: string
  readonly onOpen: () => void
  readonly remove?: readonly [label: string, act: () => void]
}) {
  const { title, text, side, by, note, onOpen, remove } = props
  return (
    <li class="later-row">
      <button type="button" class="search-hit" onClick={onOpen}>
        <span class="one-line row-title" dir="auto" title={title}>
          {title}
        </span>
        <span class="raw row-time">{side}</span>
        <span class="search-text later-text" dir="auto">
          {text.slice(0, 500)}
        </span>
        {by !== undefined && <span class="later-by">{by}</span>}
        {note !== '' && <span class="later-note">{note}</span>}
      </button>
      {remove !== undefined && <IconButton icon="close" label={remove[0]} onClick={remove[1]} />}
    </li>
  )
}
