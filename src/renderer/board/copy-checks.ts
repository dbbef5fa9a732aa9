import { accountById } from '#shared/core/account.ts'
import type { BoardRow } from '#shared/core/views/board-view.ts'
import { type CopiedCheck, checksCsv, checksJson } from '#shared/core/views/copied-checks.ts'
import type { RowList } from '#shared/core/views/row-list.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { toastResult } from '../toast.ts'
import { appState } from '../window-state.ts'

/** Copies the checks of the rows, each once, in their order. */
export function copyActionsOf(rows: RowList<BoardRow>): readonly PageAction[] {
  if (rows.length === 0) return []
  return [
    { key: '', title: 'Copy the checks shown as CSV', act: () => copy(rows, checksCsv, 'CSV') },
    { key: '', title: 'Copy the checks shown as JSON', act: () => copy(rows, checksJson, 'JSON') },
  ]
}

function copy(rows: RowList<BoardRow>, format: typeof checksCsv, as: string): void {
  const once = new Map<string, CopiedCheck>()
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows.at(at)
    if (row?.kind !== 'check') continue
    const { accountId, check, stale, silence } = row
    const account = accountById(appState.peek(), accountId)
    once.set(`${accountId} ${check.id}`, { check, account, stale, silence })
  }
  const { text, count } = format([...once.values()])
  const some =
    count < once.size
      ? `The first ${numberWords(count)} of ${counted(once.size, 'check')}`
      : counted(count, 'check')
  toastResult(call.copyText({ text }), `${some} copied as ${as}.`)
}
