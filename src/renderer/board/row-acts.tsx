import { checkName } from '#shared/core/checks/check.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import type { BoardRow } from '#shared/core/views/board-row.ts'
import { Icon } from '../parts/icon.tsx'
import { actOnRow, rowActs } from './row-keys.ts'

/** Some of what keys do with a row, by mouse: shown while it is pointed at. */
export function RowActs({ row }: { readonly row: BoardRow }) {
  if (row.kind === 'note') return null
  const name = row.kind === 'check' ? checkName(row.check) : row.title
  const inTrouble =
    row.kind === 'check' ? isTrouble(row.check) : row.counts.down + row.counts.grace > 0
  const canSnooze = rowActs(row).some(({ key }) => key === 's')
  return (
    <span class="row-acts">
      {inTrouble && (
        <Act
          icon="acknowledged"
          label={`Acknowledge ${name} (key: a)`}
          act={() => actOnRow('a', row)}
        />
      )}
      {canSnooze && (
        <Act icon="snoozed" label={`Snooze ${name} (key: s)`} act={() => actOnRow('s', row)} />
      )}
    </span>
  )
}

interface ActProps {
  readonly icon: 'acknowledged' | 'snoozed'
  readonly label: string
  readonly act: () => unknown
}

/** No stop for the keyboard: the list has the focus, and its keys do the same. */
function Act({ icon, label, act }: ActProps) {
  return (
    <button
      type="button"
      class="tool-button"
      tabIndex={-1}
      aria-label={label}
      title={label}
      onClick={(click) => {
        click.stopPropagation()
        act()
      }}
    >
      <Icon name={icon} />
    </button>
  )
}
