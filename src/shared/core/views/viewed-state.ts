import { tagsOf } from '../attention/maintenance/maintenance.ts'
import type { Board } from '../checks/board.ts'
import { countStatuses } from '../checks/status-counts.ts'
import { isSameList } from '../identity.ts'
import type { SavedView } from '../settings.ts'
import type { AppState } from '../state.ts'
import { minuteMs } from '../wall-clock.ts'
import { matchesFilter, parseCheckFilter } from './check-filter.ts'

/** What the icon speaks of: the checks of one saved view, or everything. */
export interface IconScope {
  /** With its checks alone, and all accounts: one that can't be read may have some. */
  readonly state: AppState
  /** Null: everything. */
  readonly view: SavedView | null
}

/** A view that was removed or renamed since counts everything again. */
export function iconScope(state: AppState, now: number): IconScope {
  const { iconView, views } = state.settings
  const view = iconView === null ? undefined : views.find(({ name }) => name === iconView)
  if (view === undefined) return { state, view: null }
  const { accounts, realms } = state
  return { state: { ...narrowed(state, view, now), accounts, realms }, view }
}

export function hasNoChecks({ boards }: Pick<AppState, 'boards'>): boolean {
  return [...boards.values()].every(({ checks }) => checks.size === 0)
}

/** The state as if there were only the checks of a view; a project that can't be read may have some. */
export function narrowed(state: AppState, { key, filter }: SavedView, now: number): AppState {
  const accounts = state.accounts.filter(({ kind }) => kind === 'monitoring')
  const boards = accounts.flatMap(({ id, label }) => {
    const board = state.boards.get(id)
    if (board === undefined) return []
    const looked = { filter, tags: tagsOf(state), label, now: now + board.serverOffsetMs }
    return [[id, { ...board, ...matching(board.checks, key, looked) }] as const]
  })
  return { ...state, accounts, boards: new Map(boards), realms: new Map() }
}

interface Looked {
  readonly filter: string
  readonly tags: ReadonlyMap<string, unknown>
  readonly label: string
  readonly now: number
}

type Matching = Pick<Board, 'checks' | 'counts'>
type Known = Map<SavedView['key'], { readonly by: readonly unknown[]; readonly found: Matching }>

const knownOf = new WeakMap<Board['checks'], Known>()

/** Cached by view, for a minute at most if the filter asks how long something lasts. */
function matching(all: Board['checks'], key: SavedView['key'], looked: Looked): Matching {
  const filter = parseCheckFilter(looked.filter, [...looked.tags.keys()])
  const isTimed = filter.terms.some(({ kind }) => kind === 'for')
  const minute = isTimed ? Math.floor(looked.now / minuteMs) : 0
  const by = [looked.filter, looked.tags, looked.label, minute]
  const known: Known = knownOf.get(all) ?? new Map()
  knownOf.set(all, known)
  const before = known.get(key)
  if (before !== undefined && isSameList(before.by, by)) return before.found
  const checks = new Map(
    [...all].filter(([, check]) => matchesFilter(filter, check, looked.label, looked.now)),
  )
  const found = { checks, counts: countStatuses(checks.values()) }
  known.set(key, { by, found })
  return found
}
