import { computed, signal } from '@preact/signals'
import { isFresh } from '#shared/core/account.ts'
import { tagsOf } from '#shared/core/attention/maintenance/maintenance.ts'
import type { Target } from '#shared/core/target.ts'
import { boardView } from '#shared/core/views/board-view.ts'
import { filterHints, filterProblems, parseCheckFilter } from '#shared/core/views/check-filter.ts'
import { compareNames } from '#shared/core/wording.ts'
import { holdsInput } from '../held-input.ts'
import { appState, go, now } from '../window-state.ts'

type CheckTarget = Extract<Target, { readonly view: 'check' }>

// What the board remembers while other views are shown, for as long as the window exists.

export const filterText = signal('')

holdsInput(() => filterText.peek() !== '')

/** Whether the menu that groups and sorts the list is open. */
export const viewMenuShown = signal(false)

/** Opens that menu, wherever the window is. */
export function openViewMenu(): void {
  go({ view: 'checks' })
  viewMenuShown.value = true
}

/** Groups that the user opened or folded. */
export const folds = signal<ReadonlyMap<string, boolean>>(new Map())

/** The key of the active row, which the keyboard acts on. */
export const activeKey = signal<string | null>(null)

/** The check of the row that was active last. */
export const lastActive = signal<CheckTarget | null>(null)

/** The check beside the list while nothing else was opened there; null if there is none. */
export const followedCheck = computed(() => {
  const last = lastActive.value
  return last !== null && boards.value.get(last.accountId)?.checks.has(last.checkId) === true
    ? last
    : null
})

/** Counts the moves by keyboard: each scrolls its row into view, even if it was active before. */
export const activeTimes = signal(0)

/** The key of the row whose check the user last acted on, which stays in view if it moves. */
export const movedKey = signal<string | null>(null)

/** Too narrow for a name beside a status, as when zoomed in. The same width as in board-rows.css. */
const narrowWindow = matchMedia('(max-width: 320px)')
export const narrow = signal(narrowWindow.matches)
narrowWindow.addEventListener('change', ({ matches }) => {
  narrow.value = matches
})

/** The scroll position; not a signal, since nothing is rendered from it. */
export const scroll = { top: 0 }

const accounts = computed(() => appState.value.accounts)
const boards = computed(() => appState.value.boards)
const groupBy = computed(() => appState.value.settings.groupBy)
const sortBy = computed(() => appState.value.settings.sortBy)
const pins = computed(() => appState.value.settings.pins)
const silences = computed(() => appState.value.silences)

/** All tags as one string: a new array would rebuild the rows at every chat message. */
const tagText = computed(() => [...tagsOf(appState.value).keys()].sort(compareNames).join(' '))
export const tags = computed(() => tagText.value.split(' ').filter((tag) => tag !== ''))
const filter = computed(() =>
  parseCheckFilter(filterText.value, filterText.value === '' ? [] : tags.value),
)

/** The stale accounts as one string: a new array would rebuild the rows every second. */
const staleness = computed(() =>
  [...boards.value]
    .filter(([, board]) => !isFresh(board.freshness, now.value))
    .map(([id]) => id)
    .join(' '),
)

export const view = computed(() => {
  // Subscribes to the stale accounts, since `now` is only peeked at.
  void staleness.value
  return boardView(accounts.value, boards.value, {
    filter: filter.value,
    groupBy: groupBy.value,
    sortBy: sortBy.value,
    folds: folds.value,
    silences: silences.value,
    pins: pins.value,
    now: now.peek(),
  })
})

const filterNames = computed(() => ({
  tags: tags.value,
  projects: accounts.value.filter(({ kind }) => kind === 'monitoring').map(({ label }) => label),
}))

/** In sentences, what the filter names that doesn't exist. */
export const filterWrong = computed(() =>
  filterText.value === ''
    ? []
    : filterProblems(filter.value, filterNames.value, view.value.matching),
)

/** The filter text with each completion that its last word may have. */
export const filterEnds = computed(() =>
  filterText.value === '' ? [] : filterHints(filterText.value, filterNames.value),
)

export function fold(key: string, open: boolean): void {
  folds.value = new Map(folds.value).set(key, open)
}
