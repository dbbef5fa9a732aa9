import type { Scope } from '#shared/core/attention/silence.ts'
import { checkName } from '#shared/core/checks/check.ts'
import { accountById } from '#shared/core/state.ts'
import type { BoardRow, CheckRow, GroupRow } from '#shared/core/views/board-row.ts'
import { quietActs } from '../attention/check-quiet.tsx'
import { acknowledgeAll, asking, type Named } from '../attention/quiet-menu.tsx'
import { editAct } from '../check-editor/edit-act.ts'
import { discussActs } from '../discuss/discuss-actions.ts'
import type { PageAct } from '../parts/page-actions.ts'
import { say } from '../toast.ts'
import { appState } from '../window-state.ts'
import { fold, movedKey, view } from './board-state.ts'
import { pauseChoice, pauseOrResume } from './pause.ts'

/** What single keys do with a row, besides opening it. */
export function rowActs(row: BoardRow | undefined): readonly PageAct[] {
  if (row === undefined || row.kind === 'note') return []
  return row.kind === 'check' ? checkActs(row) : groupActs(row)
}

/** False for a key that does nothing with the row. */
export function actOnRow(key: string, row: BoardRow): boolean {
  const found = rowActs(row).find((one) => one.key === key)
  found?.act()
  return found !== undefined
}

function checkActs(row: CheckRow): readonly PageAct[] {
  const { accountId, check } = row
  const name = checkName(check)
  const offer = check.status === 'paused' ? 'Resume' : 'Pause'
  return [
    ...quietActs({ accountId, check }),
    { key: 'p', title: `${offer} ${name}`, act: () => togglePause(row) },
    editAct(accountId, check),
    ...discussActs(accountId, check),
  ]
}

function groupActs(row: GroupRow): readonly PageAct[] {
  const { title } = row
  const scope = scopeOf(row)
  const acknowledge: readonly PageAct[] = [
    {
      key: 'a',
      title: `Acknowledge all of ${title}`,
      act: () => acknowledgeAll(title, checksOf(row), false),
    },
    {
      key: 'A',
      title: `Acknowledge all of ${title} and tell others (👀)`,
      act: () => acknowledgeAll(title, checksOf(row), true),
    },
  ]
  if (scope === null) return acknowledge
  const ask = () => {
    asking.value = { scope, name: title }
  }
  return [{ key: 's', title: `Snooze ${title}…`, act: ask }, ...acknowledge]
}

/** The project or the tag; null for the checks without a tag. */
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

function togglePause({ accountId, check, key }: CheckRow): void {
  const choice = pauseChoice(accountById(appState.value, accountId), check)
  if (choice.can === 'neither') {
    say(choice.why, 'failed')
    return
  }
  followRow(key)
  void pauseOrResume(accountId, check, choice.can).then(({ ok, text }) =>
    say(text, ok ? 'done' : 'failed'),
  )
}

/** What one just did moves the row: it stays in sight, and its group open even if all is well now. */
function followRow(key: string): void {
  const { rows } = view.value
  const head = rows.slice(0, rows.indexOf(key)).findLast(({ kind }) => kind === 'group')
  movedKey.value = key
  if (head !== undefined) fold(head.key, true)
}
