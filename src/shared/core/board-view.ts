import { type Account, type AccountId, isFresh, neverRead } from './account.ts'
import type { Silence } from './attention/silence.ts'
import { type QuietCheck, quietChecks } from './attention/silence-index.ts'
import type { Board } from './board.ts'
import { type Check, noChecks, type StatusCounts } from './check.ts'
import { type CheckFilter, isEmptyFilter, matchesFilter } from './check-filter.ts'
import { byName, compareChecks, quietLast, worstFirst } from './check-order.ts'
import type { Settings } from './settings.ts'
import { countStatuses, hasTrouble, troubleRank } from './status-counts.ts'

/** The head of a project's or tag's checks. */
export interface GroupRow {
  readonly kind: 'group'
  readonly key: string
  readonly title: string
  /** The project it stands for; null for a tag. */
  readonly accountId: AccountId | null
  /** The tag it stands for; null for a project, and for the checks without a tag. */
  readonly tag: string | null
  readonly counts: StatusCounts
  readonly open: boolean
  readonly stale: boolean
}

export interface CheckRow {
  readonly kind: 'check'
  /** Unique in the list, since a check stands under each of its tags. */
  readonly key: string
  readonly accountId: AccountId
  readonly check: Check
  readonly stale: boolean
  /** What keeps it quiet; null: nothing does. */
  readonly silence: Silence | null
  /** The check's tags, without the one that the group head says. */
  readonly tags: readonly string[]
  /** The project's label where no group head says it. */
  readonly project: string | null
}

/** Something to know of a project that is not a check. */
export interface NoteRow {
  readonly kind: 'note'
  readonly key: string
  readonly accountId: AccountId
  readonly project: string
  readonly note: ProjectNote
}

type ProjectNote =
  | { readonly is: 'reading' }
  | { readonly is: 'empty' }
  | { readonly is: 'failed' }
  | { readonly is: 'key'; readonly key: 'missing' | 'locked' | 'rejected' }
  | { readonly is: 'unreadable'; readonly count: number }

export type BoardRow = GroupRow | CheckRow | NoteRow

export interface BoardQuery {
  readonly filter: CheckFilter
  readonly groupBy: Settings['groupBy']
  /** Groups that the user opened (true) or folded (false); the others decide for themselves. */
  readonly folds: ReadonlyMap<string, boolean>
  readonly silences: readonly Silence[]
  readonly now: number
}

export interface BoardView {
  readonly rows: readonly BoardRow[]
  /** Checks that match the filter, folded ones included; a check with two tags counts once. */
  readonly matching: number
  readonly total: number
}

interface Project {
  readonly account: Account
  readonly board: Board | undefined
  /** Those that match. */
  readonly checks: readonly Check[]
  readonly quiet: QuietCheck
  readonly counts: StatusCounts
  readonly stale: boolean
  readonly notes: readonly NoteRow[]
}

/**
 * The lines of the board: worst first inside a group, groups with trouble first, a group that is
 * all well folded to its head (unless it is the only one, where folding would make room for
 * nothing). A filter opens the groups that match and hides the others.
 */
export function boardView(
  accounts: readonly Account[],
  boards: ReadonlyMap<AccountId, Board>,
  query: BoardQuery,
): BoardView {
  const filtered = !isEmptyFilter(query.filter)
  const quiet = quietChecks(query.silences, query.now)
  const all = accounts
    .filter(({ kind }) => kind === 'monitoring')
    .map((account) => readProject(account, boards.get(account.id), query, quiet))
  const projects = filtered ? all.filter(({ checks }) => checks.length > 0) : all
  return {
    rows: rowsOf(projects, query, filtered),
    matching: projects.reduce((sum, { checks }) => sum + checks.length, 0),
    total: all.reduce((sum, { board }) => sum + (board?.checks.size ?? 0), 0),
  }
}

function rowsOf(
  projects: readonly Project[],
  query: BoardQuery,
  filtered: boolean,
): readonly BoardRow[] {
  if (query.groupBy === 'project') return projectRows(projects, query, filtered)
  const notes = filtered ? [] : projects.flatMap((project) => project.notes)
  if (query.groupBy === 'tag') return [...notes, ...tagRows(projects, query, filtered)]
  const rows = projects.flatMap((project) => checkRows(project, projects.length > 1))
  return [...notes, ...(projects.length > 1 ? sortedRows(rows) : rows)]
}

function readProject(
  account: Account,
  board: Board | undefined,
  query: BoardQuery,
  quiet: QuietCheck,
): Project {
  const sorted = board === undefined ? [] : worstFirst(account.id, board.checks)
  const filtered = !isEmptyFilter(query.filter)
  const checks = filtered
    ? sorted.filter((check) => matchesFilter(query.filter, check, account.label))
    : sorted
  return {
    account,
    board,
    checks,
    quiet,
    counts: filtered ? countStatuses(checks) : (board?.counts ?? noChecks),
    stale: !isFresh(board?.freshness ?? neverRead, query.now),
    notes: filtered ? [] : notesOf(account, board),
  }
}

function notesOf(account: Account, board: Board | undefined): readonly NoteRow[] {
  const notes: ProjectNote[] = []
  const readAt = board?.freshness.readAt ?? null
  if (account.key !== 'present') notes.push({ is: 'key', key: account.key })
  else if (board?.freshness.failure != null) notes.push({ is: 'failed' })
  else if (readAt === null) notes.push({ is: 'reading' })
  if (board !== undefined && board.unreadable > 0)
    notes.push({ is: 'unreadable', count: board.unreadable })
  if (board !== undefined && readAt !== null && board.checks.size + board.unreadable === 0)
    notes.push({ is: 'empty' })
  return notes.map((note) => ({
    kind: 'note',
    key: `${account.id}/note/${note.is}`,
    accountId: account.id,
    project: account.label,
    note,
  }))
}

function projectRows(
  projects: readonly Project[],
  query: BoardQuery,
  filtered: boolean,
): readonly BoardRow[] {
  const rows: BoardRow[] = []
  const ordered = [...projects].sort((a, b) => projectRank(a) - projectRank(b))
  for (const project of ordered) {
    const { account, counts, stale, notes } = project
    const key = `project/${account.id}`
    const byItself = notes.length > 0 || hasTrouble(counts) || ordered.length === 1
    const open = filtered || (query.folds.get(key) ?? byItself)
    rows.push({
      kind: 'group',
      key,
      title: account.label,
      accountId: account.id,
      tag: null,
      counts,
      open,
      stale,
    })
    if (open) rows.push(...notes, ...checkRows(project, false))
  }
  return rows
}

/** Down, late, what can't be told, what can't be read, and then the rest in the user's own order. */
function projectRank({ counts, notes, stale }: Project): number {
  const missingNews = notes.length > 0 || stale
  return troubleRank(counts) + (hasTrouble(counts) || missingNews ? 0 : 1)
}

const noTag = ''

function tagRows(
  projects: readonly Project[],
  query: BoardQuery,
  filtered: boolean,
): readonly BoardRow[] {
  const tags = new Map<string, CheckRow[]>()
  for (const project of projects)
    for (const row of checkRows(project, projects.length > 1))
      for (const tag of row.check.tags.length === 0 ? [noTag] : row.check.tags) {
        const rows = tags.get(tag)
        const others = row.tags.filter((one) => one !== tag)
        const tagged = { ...row, key: `${tag}/${row.key}`, tags: others }
        if (rows === undefined) tags.set(tag, [tagged])
        else rows.push(tagged)
      }
  const groups = [...tags].map(([tag, rows]) => ({
    tag,
    rows: sortedRows(rows),
    counts: countStatuses(rows.map(({ check }) => check)),
  }))
  groups.sort((a, b) => troubleRank(a.counts) - troubleRank(b.counts) || compareTags(a.tag, b.tag))
  return groups.flatMap(({ tag, rows, counts }) => {
    const key = `tag/${tag}`
    const byItself = hasTrouble(counts) || groups.length === 1
    const open = filtered || (query.folds.get(key) ?? byItself)
    const head: GroupRow = {
      kind: 'group',
      key,
      title: tag === noTag ? 'No tag' : `#${tag}`,
      accountId: null,
      tag: tag === noTag ? null : tag,
      counts,
      open,
      stale: rows.some(({ stale }) => stale),
    }
    return open ? [head, ...rows] : [head]
  })
}

function compareTags(a: string, b: string): number {
  if (a === noTag || b === noTag) return a === b ? 0 : a === noTag ? 1 : -1
  return byName.compare(a, b)
}

function checkRows(project: Project, sayProject: boolean): readonly CheckRow[] {
  const { account, stale, quiet } = project
  const rows = project.checks.map(
    (check): CheckRow => ({
      kind: 'check',
      key: `${account.id}/${check.id}`,
      accountId: account.id,
      check,
      stale,
      silence: quiet(account.id, check),
      tags: check.tags,
      project: sayProject ? account.label : null,
    }),
  )
  return quietRowsLast(rows)
}

function sortedRows(rows: readonly CheckRow[]): readonly CheckRow[] {
  return quietRowsLast([...rows].sort(compareRows))
}

function quietRowsLast(rows: readonly CheckRow[]): readonly CheckRow[] {
  if (rows.every(({ silence }) => silence === null)) return rows
  return quietLast(rows, {
    status: ({ check }) => check.status,
    isQuiet: ({ silence }) => silence !== null,
  })
}

function compareRows(a: CheckRow, b: CheckRow): number {
  return compareChecks(a.check, b.check)
}
