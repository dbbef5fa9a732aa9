import { type Account, type AccountId, isFresh, neverRead } from '../account.ts'
import {
  type KeptSilence,
  type QuietCheck,
  quietChecks,
  type Silence,
} from '../attention/silence.ts'
import type { Board } from '../checks/board.ts'
import { boardOrders } from '../checks/board-orders.ts'
import {
  type Check,
  type CheckStatus,
  noChecks,
  type StatusCounts,
  statusOrder,
} from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { countStatuses, hasTrouble, isTrouble, troubleRank } from '../checks/status-counts.ts'
import type { Settings } from '../settings.ts'
import { capitalised } from '../wording.ts'
import { type CheckFilter, isEmptyFilter, matchesFilter } from './check-filter.ts'
import { boardSorted, compareNameKeys, nameKey, sortedChecks } from './check-order.ts'
import { notShown } from './last-board.ts'
import { madeRun, RowList, type RowRun } from './row-list.ts'

export interface BoardQuery {
  readonly filter: CheckFilter
  readonly groupBy: Settings['groupBy']
  readonly sortBy: Settings['sortBy']
  /** Groups the user opened (true) or folded (false); the rest follow the default. */
  readonly folds: ReadonlyMap<string, boolean>
  readonly silences: readonly KeptSilence[]
  /** Pinned checks come first, above all groups. */
  readonly pins: Settings['pins']
  readonly now: number
}

/** A project and those of its checks that the board shows. */
interface Project {
  readonly account: Account
  readonly board: Board | undefined
  /** In board order. */
  readonly checks: readonly Check[]
  /** The pinned ones of `checks`, and the rest. */
  readonly pinned: readonly Check[]
  readonly unpinned: readonly Check[]
  readonly quiet: QuietCheck
  readonly counts: StatusCounts
  readonly stale: boolean
  readonly notes: readonly NoteRow[]
  /** After the checks: that there are more. */
  readonly end: readonly NoteRow[]
}

/**
 * The lines of the board: groups with trouble first, checks in the user's order within a group. A
 * group without trouble is folded to its head, unless it is the only one. A filter opens the groups
 * that match and hides the others. Pinned checks are above all groups, in the same order.
 */
export function boardView(
  accounts: readonly Account[],
  boards: ReadonlyMap<AccountId, Board>,
  query: BoardQuery,
) {
  const filtered = !isEmptyFilter(query.filter)
  const quiet = quietChecks(query.silences, query.now)
  const all = accounts
    .filter(({ kind }) => kind === 'monitoring')
    .map((account) => readProject(account, boards.get(account.id), query, quiet))
  const projects = filtered ? all.filter(({ checks }) => checks.length > 0) : all
  return {
    rows: new RowList([...pinnedRuns(projects, query), ...runsOf(projects, query, filtered)]),
    /** Number of checks that match the filter, including folded ones; a check with two tags counts once. */
    matching: projects.reduce((sum, { checks }) => sum + checks.length, 0),
    total: all.reduce((sum, { board }) => sum + (board?.checks.size ?? 0), 0),
  }
}

type Run = RowRun<BoardRow>

function pinnedRuns(projects: readonly Project[], query: BoardQuery): readonly Run[] {
  const rows = projects.flatMap((project) =>
    project.pinned.map((check) => ({
      ...checkRow(project, check, projects.length > 1),
      pinned: true,
    })),
  )
  return sortedRuns(rows, query)
}

function runsOf(
  projects: readonly Project[],
  query: BoardQuery,
  filtered: boolean,
): readonly Run[] {
  if (query.groupBy === 'project') return projectRuns(projects, query, filtered)
  const notes = filtered ? [] : projects.flatMap((project) => project.notes)
  const end = madeRuns(projects.flatMap((project) => project.end))
  if (query.groupBy === 'tag' || query.groupBy === 'status')
    return [...madeRuns(notes), ...groupRuns(projects, query, query.groupBy, filtered), ...end]
  const checks =
    projects.length === 1
      ? projects.flatMap(checkRuns)
      : sortedRuns(
          projects.flatMap((project) => checkRows(project, true)),
          query,
        )
  return [...madeRuns(notes), ...checks, ...end]
}

function readProject(
  account: Account,
  board: Board | undefined,
  query: BoardQuery,
  quiet: QuietCheck,
): Project {
  const filtered = !isEmptyFilter(query.filter)
  const serverNow = query.now + (board?.serverOffsetMs ?? 0)
  const matches = (check: Check) => matchesFilter(query.filter, check, account.label, serverNow)
  const sorted =
    board === undefined ? [] : boardSorted(account.id, board.checks, boardOrders[query.sortBy])
  const matching = filtered ? sorted.filter(matches) : sorted
  const checks = quietLast(
    matching,
    query,
    (check) => check,
    (check) => quiet(account.id, check) !== null,
  )
  const pins = new Set(
    query.pins.flatMap(({ accountId, checkId }) => (accountId === account.id ? [checkId] : [])),
  )
  return {
    account,
    board,
    checks,
    pinned: pins.size === 0 ? [] : checks.filter(({ id }) => pins.has(id)),
    unpinned: pins.size === 0 ? checks : checks.filter(({ id }) => !pins.has(id)),
    quiet,
    counts: filtered ? countStatuses(matching) : (board?.counts ?? noChecks),
    stale: !isFresh(board?.freshness ?? neverRead, query.now),
    notes: filtered ? [] : notesOf(account, board),
    end: endOf(account, board),
  }
}

/** If sorted by status, moves silenced checks to the end of their status. */
function quietLast<T>(
  sorted: readonly T[],
  { silences, sortBy }: BoardQuery,
  checkOf: (item: T) => Check,
  isQuiet: (item: T) => boolean,
): readonly T[] {
  if (silences.length === 0 || sortBy !== 'status') return sorted
  const list: T[] = []
  const quiet: T[] = []
  let status: Check['status'] | null = null
  for (const item of sorted) {
    const own = checkOf(item).status
    if (own !== status) list.push(...quiet.splice(0))
    status = own
    if (isQuiet(item)) quiet.push(item)
    else list.push(item)
  }
  return [...list, ...quiet]
}

function madeRuns(rows: readonly BoardRow[]): readonly Run[] {
  return rows.length === 0 ? [] : [madeRun(rows)]
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
  return notes.map((note) => noteRow(account, note))
}

function endOf(account: Account, board: Board | undefined): readonly NoteRow[] {
  const count = board === undefined ? 0 : notShown(board)
  if (board === undefined || count === 0) return []
  const isPending = account.key === 'present' && board.freshness.failure === null
  return [noteRow(account, { is: 'more', count, isPending })]
}

function noteRow(account: Account, note: ProjectNote): NoteRow {
  return {
    kind: 'note',
    key: `${account.id}/note/${note.is}`,
    accountId: account.id,
    project: account.label,
    note,
  }
}

function projectRuns(
  projects: readonly Project[],
  query: BoardQuery,
  filtered: boolean,
): readonly Run[] {
  const runs: Run[] = []
  const ordered = [...projects].sort((a, b) => projectRank(a) - projectRank(b))
  for (const project of ordered) {
    if (filtered && project.unpinned.length === 0) continue
    const { account, counts, stale, notes, end } = project
    const key = `project/${account.id}`
    const openByDefault = notes.length > 0 || hasTrouble(counts) || ordered.length === 1
    const open = filtered || (query.folds.get(key) ?? openByDefault)
    const unreadable = filtered ? 0 : (project.board?.unreadable ?? 0)
    const own = { key, title: account.label, accountId: account.id, open, stale }
    runs.push(madeRun([headOf(own, counts, silencedIn(project), unreadable)]))
    if (open) runs.push(...madeRuns(notes), ...checkRuns(project), ...madeRuns(end))
  }
  return runs
}

/** Counts like the tabs and the tray: no silenced checks, unless all in trouble are silenced. */
function headOf(
  own: Pick<GroupRow, 'key' | 'title' | 'open' | 'stale'> & Partial<GroupRow>,
  counts: StatusCounts,
  silenced: readonly Check[],
  unreadable = 0,
): GroupRow {
  const { down, grace, unknown } = countStatuses(silenced)
  const unsilenced = {
    ...counts,
    down: counts.down - down,
    grace: counts.grace - grace,
    unknown: counts.unknown - unknown,
  }
  const isQuiet = silenced.length > 0 && !hasTrouble(unsilenced) && unreadable === 0
  const shown = isQuiet ? { counts, quiet: 0 } : { counts: unsilenced, quiet: silenced.length }
  const none = { accountId: null, tag: null, status: null }
  return { kind: 'group', ...none, ...own, ...shown, unreadable, isQuiet }
}

function silencedIn({ account, checks, quiet, counts }: Project): readonly Check[] {
  if (!hasTrouble(counts)) return []
  return checks.filter((check) => isTrouble(check) && quiet(account.id, check) !== null)
}

/** Down, late, unknown, unreadable, then the rest in the user's own order. */
function projectRank({ counts, notes, stale }: Project): number {
  const missingNews = notes.length > 0 || stale
  return troubleRank(counts) + (hasTrouble(counts) || missingNews ? 0 : 1)
}

const noTag = ''

/** Groups by tag, with a check under each of its tags; or by status. */
function groupRuns(
  projects: readonly Project[],
  query: BoardQuery,
  by: 'tag' | 'status',
  filtered: boolean,
): readonly Run[] {
  const all = projects.flatMap((project) => checkRows(project, projects.length > 1))
  const groups = by === 'tag' ? byTag(all) : byStatus(all)
  return groups.flatMap(({ tag, status, title, rows, counts }) => {
    const key = `${by}/${status ?? tag}`
    const openByDefault = hasTrouble(counts) || groups.length === 1
    const silenced = rows.flatMap(({ check, silence }) =>
      silence !== null && isTrouble(check) ? [check] : [],
    )
    const open = filtered || (query.folds.get(key) ?? openByDefault)
    const stale = rows.some((row) => row.stale)
    const own = { key, title, tag: tag === noTag ? null : tag, status, open, stale }
    const head = madeRun([headOf(own, counts, silenced)])
    return open ? [head, ...sortedRuns(rows, query)] : [head]
  })
}

interface Group {
  readonly tag: string
  readonly status: CheckStatus | null
  readonly title: string
  readonly rows: readonly CheckRow[]
  readonly counts: StatusCounts
}

function byTag(all: readonly CheckRow[]): readonly Group[] {
  const tagged = all.flatMap((row) =>
    (row.tags.length === 0 ? [noTag] : row.tags).map((tag) => {
      const tags = row.tags.filter((one) => one !== tag)
      return { tag, row: { ...row, key: `${tag}/${row.key}`, tags } }
    }),
  )
  return [...Map.groupBy(tagged, ({ tag }) => tag)]
    .map(([tag, own]) => {
      const rows = own.map(({ row }) => row)
      const title = tag === noTag ? 'No tag' : `#${tag}`
      return {
        tag,
        status: null,
        title,
        rows,
        counts: countStatuses(rows.map(({ check }) => check)),
      }
    })
    .sort((a, b) => troubleRank(a.counts) - troubleRank(b.counts) || compareTags(a.tag, b.tag))
}

function byStatus(all: readonly CheckRow[]): readonly Group[] {
  const found = Map.groupBy(all, ({ check }) => check.status)
  return statusOrder.flatMap((status) => {
    const rows = found.get(status)
    if (rows === undefined) return []
    const title = capitalised(statusWord(status))
    const counts = countStatuses(rows.map(({ check }) => check))
    return [{ tag: noTag, status, title, rows, counts }]
  })
}

function compareTags(a: string, b: string): number {
  if (a === noTag || b === noTag) return a === b ? 0 : a === noTag ? 1 : -1
  return compareNameKeys(nameKey(a), nameKey(b))
}

/** A project's checks in order, with or without a group head. */
function checkRuns(project: Project): readonly RowRun<CheckRow>[] {
  const prefix = `${project.account.id}/`
  return equallyHigh(project.unpinned, (check) => check).map((checks) => ({
    count: checks.length,
    at: (place) => {
      const check = checks[place]
      if (check === undefined) throw new RangeError(`no check at ${place} of ${checks.length}`)
      return checkRow(project, check, false)
    },
    placeOf: (key) => {
      if (!key.startsWith(prefix)) return -1
      const check = project.board?.checks.get(key.slice(prefix.length))
      return check === undefined ? -1 : checks.indexOf(check)
    },
  }))
}

function checkRows(project: Project, sayProject: boolean): readonly CheckRow[] {
  return project.unpinned.map((check) => checkRow(project, check, sayProject))
}

function checkRow({ account, stale, quiet }: Project, check: Check, sayProject: boolean): CheckRow {
  return {
    kind: 'check',
    key: `${account.id}/${check.id}`,
    accountId: account.id,
    check,
    stale,
    silence: quiet(account.id, check),
    tags: check.tags,
    project: sayProject ? account.label : null,
    pinned: false,
  }
}

/** Rows of several projects, merged in order. */
function sortedRuns(rows: readonly CheckRow[], query: BoardQuery): readonly RowRun<CheckRow>[] {
  const checkOf = ({ check }: CheckRow): Check => check
  const sorted = sortedChecks(rows, boardOrders[query.sortBy], checkOf)
  const listed = quietLast(sorted, query, checkOf, ({ silence }) => silence !== null)
  return equallyHigh(listed, checkOf).map(madeRun)
}

/** Splits the list into runs of equal row height: checks in trouble take more lines than others. */
function equallyHigh<T>(
  list: readonly T[],
  checkOf: (item: T) => Check,
): readonly (readonly T[])[] {
  const stretches: T[][] = []
  let wasTrouble = false
  for (const item of list) {
    const trouble = isTrouble(checkOf(item))
    const stretch = stretches.at(-1)
    if (stretch !== undefined && trouble === wasTrouble) stretch.push(item)
    else stretches.push([item])
    wasTrouble = trouble
  }
  return stretches
}

/** The head of a group of checks, by project, tag or status. */
export interface GroupRow {
  readonly kind: 'group'
  readonly key: string
  readonly title: string
  /** The project of the group; null for a tag or a status. */
  readonly accountId: AccountId | null
  /** The tag of the group; null for a project or a status, and for checks without a tag. */
  readonly tag: string | null
  readonly status: CheckStatus | null
  /** Without silenced checks in trouble, unless `isQuiet`. */
  readonly counts: StatusCounts
  /** Number of silenced checks left out of `counts`. */
  readonly quiet: number
  /** Number of checks that can't be read; not part of `counts`. */
  readonly unreadable: number
  readonly open: boolean
  readonly stale: boolean
  /** Some checks are in trouble, and all of those are silenced. */
  readonly isQuiet: boolean
}

export interface CheckRow {
  readonly kind: 'check'
  /** Unique in the list, where a check may be under several tags. */
  readonly key: string
  readonly accountId: AccountId
  readonly check: Check
  readonly stale: boolean
  /** What silences it; null if nothing does. */
  readonly silence: Silence | null
  /** The check's tags, without the one in the group head. */
  readonly tags: readonly string[]
  /** The project's label, unless the group head shows it. */
  readonly project: string | null
  readonly pinned: boolean
}

/** A line about a project rather than a check. */
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
  /** Checks of which the previous run kept nothing to show. */
  | { readonly is: 'more'; readonly count: number; readonly isPending: boolean }

export type BoardRow = GroupRow | CheckRow | NoteRow
