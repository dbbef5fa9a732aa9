import { Component } from 'preact'
import type { BoardRow } from '#shared/core/views/board-row.ts'
import { CheckLine } from './check-row.tsx'
import { GroupHead } from './group-row.tsx'
import { NoteLine } from './note-row.tsx'
import { RowActs } from './row-acts.tsx'

interface Props {
  readonly row: BoardRow
  readonly index: number
  /** Of all rows. */
  readonly count: number
  readonly level: 1 | 2
  /** The server's clock minus ours. */
  readonly offsetMs: number
  readonly active: boolean
  /** The mouse is on it, as far as is known: what it offers is shown only while it really is. */
  readonly pointed: boolean
  readonly onPoint: (index: number) => void
  readonly onOpen: (row: BoardRow) => void
}

/** A line of the board: drawn anew only where something about it is different. */
export class BoardLine extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    for (const name in next)
      if (next[name as keyof Props] !== this.props[name as keyof Props]) return true
    return false
  }

  override render({ row, index, count, level, offsetMs, active, pointed, ...on }: Props) {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list that holds the focus hears the keys.
      // biome-ignore lint/a11y/useFocusableInteractive: as above; the list points here by id.
      <div
        id={rowId(index)}
        class={`board-row ${active ? 'is-active' : ''} ${pointed ? 'is-pointed' : ''}`}
        role="treeitem"
        aria-level={level}
        aria-posinset={index + 1}
        aria-setsize={count}
        aria-selected={active}
        {...(row.kind === 'group' ? { 'aria-expanded': row.open } : {})}
        onClick={() => on.onOpen(row)}
        onPointerEnter={() => on.onPoint(index)}
        onPointerLeave={() => on.onPoint(-1)}
      >
        {row.kind === 'group' && <GroupHead row={row} />}
        {row.kind === 'check' && <CheckLine row={row} offsetMs={offsetMs} />}
        {row.kind === 'note' && <NoteLine row={row} />}
        {pointed && <RowActs row={row} />}
      </div>
    )
  }
}

export function rowId(index: number): string {
  return `board-row-${index}`
}
