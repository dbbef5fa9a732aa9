import type { Scope } from '#shared/core/attention/silence.ts'
import type { BoardRow, GroupRow } from '#shared/core/board-row.ts'
import { checkName } from '#shared/core/check.ts'
import {
  acknowledge,
  acknowledgeAll,
  asking,
  canAcknowledge,
  checkScope,
  type Named,
} from '../attention/quiet.ts'
import { Icon } from '../parts/icon.tsx'
import { appState } from '../state.ts'

/** Asks for how long the check, project or tag of a row is to be quiet. False where there is none. */
export function askToSnooze(row: BoardRow): boolean {
  if (row.kind === 'check') {
    const { accountId, check } = row
    asking.value = { scope: checkScope(accountId, check), name: checkName(check) }
    return true
  }
  const scope = row.kind === 'group' ? scopeOf(row) : null
  if (row.kind !== 'group' || scope === null) return false
  asking.value = { scope, name: row.title }
  return true
}

export function acknowledgeRow(row: BoardRow, tellOthers: boolean): boolean {
  if (row.kind === 'note') return false
  if (row.kind === 'check') void acknowledge(row.accountId, row.check, tellOthers)
  else void acknowledgeAll(row.title, checksOf(row))
  return true
}

function scopeOf({ accountId, tag }: GroupRow): Scope | null {
  if (accountId !== null) return { of: 'project', accountId }
  return tag === null ? null : { of: 'tag', tag }
}

/** All checks of a group, folded or not. */
function checksOf({ accountId, tag }: GroupRow): readonly Named[] {
  const named: Named[] = []
  for (const [id, { checks }] of appState.value.boards)
    for (const check of checks.values()) {
      const isOfTag = tag === null ? check.tags.length === 0 : check.tags.includes(tag)
      if (accountId === null ? isOfTag : accountId === id) named.push({ accountId: id, check })
    }
  return named
}

/** The same by mouse: shown while the row is pointed at. */
export function RowActs({ row }: { readonly row: BoardRow }) {
  if (row.kind === 'note') return null
  const name = row.kind === 'check' ? checkName(row.check) : row.title
  const inTrouble =
    row.kind === 'check' ? canAcknowledge(row.check) : row.counts.down + row.counts.grace > 0
  const canSnooze = row.kind === 'check' || scopeOf(row) !== null
  return (
    <span class="row-acts">
      {inTrouble && (
        <Act
          icon="acknowledged"
          label={`Acknowledge ${name} (key: a)`}
          act={() => acknowledgeRow(row, false)}
        />
      )}
      {canSnooze && (
        <Act icon="snoozed" label={`Snooze ${name} (key: s)`} act={() => askToSnooze(row)} />
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
