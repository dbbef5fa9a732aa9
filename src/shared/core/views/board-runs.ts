import type { Account } from '../account.ts'
import type { QuietCheck } from '../attention/silence-index.ts'
import type { Board } from '../checks/board.ts'
import type { Check, CheckStatus } from '../checks/check.ts'
import type { CheckRow } from './board-row.ts'
import { quietLast, sortedByWorst } from './check-order.ts'
import { madeRun, type RowRun } from './row-list.ts'

/** The checks of a project that the board shows. */
export interface ShownChecks {
  readonly account: Account
  readonly board: Board | undefined
  /** One list for each status, worst first and none of them empty. */
  readonly ranks: readonly (readonly Check[])[]
  readonly quiet: QuietCheck
  readonly stale: boolean
}

/** The checks of a project by themselves or under its head, in their order. */
export function checkRuns(project: ShownChecks): readonly RowRun<CheckRow>[] {
  const prefix = `${project.account.id}/`
  return project.ranks.map((rank) => ({
    count: rank.length,
    at: (place) => {
      const check = rank[place]
      if (check === undefined) throw new RangeError(`no check at ${place} of ${rank.length}`)
      return checkRow(project, check, false)
    },
    placeOf: (key) => {
      if (!key.startsWith(prefix)) return -1
      const check = project.board?.checks.get(key.slice(prefix.length))
      return check === undefined ? -1 : rank.indexOf(check)
    },
  }))
}

export function checkRows(project: ShownChecks, sayProject: boolean): readonly CheckRow[] {
  return project.ranks.flatMap((rank) => rank.map((check) => checkRow(project, check, sayProject)))
}

function checkRow(
  { account, stale, quiet }: ShownChecks,
  check: Check,
  sayProject: boolean,
): CheckRow {
  return {
    kind: 'check',
    key: `${account.id}/${check.id}`,
    accountId: account.id,
    check,
    stale,
    silence: quiet(account.id, check),
    tags: check.tags,
    project: sayProject ? account.label : null,
  }
}

/** Rows of several projects, put in order, as one run for each status. */
export function sortedRuns(rows: readonly CheckRow[]): readonly RowRun<CheckRow>[] {
  const ranks = new Map<CheckStatus, CheckRow[]>()
  for (const row of quietRowsLast(sortedByWorst(rows, ({ check }) => check))) {
    const rank = ranks.get(row.check.status)
    if (rank === undefined) ranks.set(row.check.status, [row])
    else rank.push(row)
  }
  return [...ranks.values()].map(madeRun)
}

function quietRowsLast(rows: readonly CheckRow[]): readonly CheckRow[] {
  if (rows.every(({ silence }) => silence === null)) return rows
  return quietLast(rows, {
    status: ({ check }) => check.status,
    isQuiet: ({ silence }) => silence !== null,
  })
}
