import { computed, signal } from '@preact/signals'
import { isFresh } from '#shared/core/account.ts'
import { tagsOf } from '#shared/core/attention/maintenance.ts'
import { withTwins } from '#shared/core/attention/silence.ts'
import { projectsOf } from '#shared/core/projects.ts'
import { boardView } from '#shared/core/views/board-view.ts'
import { filterHints, filterProblems, parseCheckFilter } from '#shared/core/views/check-filter.ts'
import { compareNames } from '#shared/core/wording.ts'
import { holdsInput } from '../held-input.ts'
import { appState, now } from '../window-state.ts'

// What the board remembers, for as long as the window lives, while other views are on the screen.

export const filterText = signal('')

holdsInput(() => filterText.peek() !== '')

/** Groups that the user opened or folded. */
export const folds = signal<ReadonlyMap<string, boolean>>(new Map())

/** The key of the row that has the keyboard. */
export const activeKey = signal<string | null>(null)

/** How often a key moved to a row: it is scrolled into view even if it was active before. */
export const activeTimes = signal(0)

/** The key of the row whose check the user last acted on, which stays in view if it moves. */
export const movedKey = signal<string | null>(null)

/** Too narrow for a name beside a status, as when zoomed in. The same px as in board.css. */
const narrowWindow = matchMedia('(max-width: 320px)')
export const narrow = signal(narrowWindow.matches)
narrowWindow.addEventListener('change', ({ matches }) => {
  narrow.value = matches
})

/** The scroll position; no signal, since nothing is drawn from it. */
export const scroll = { top: 0 }

const accounts = computed(() => projectsOf(appState.value).accounts)
const boards = computed(() => projectsOf(appState.value).boards)
const groupBy = computed(() => appState.value.settings.groupBy)
const sortBy = computed(() => appState.value.settings.sortBy)
const pins = computed(() => appState.value.settings.pins)
const silences = computed(() => withTwins(appState.value.silences, appState.value.accounts))

/** As one text, so that the rows are not built anew for every message of the chat. */
const tagText = computed(() => [...tagsOf(appState.value).keys()].sort(compareNames).join(' '))
const tags = computed(() => tagText.value.split(' ').filter((tag) => tag !== ''))
const filter = computed(() =>
  parseCheckFilter(filterText.value, filterText.value === '' ? [] : tags.value),
)

/** The stale accounts, as a text that changes only with them: the rows are not built each second. */
const staleness = computed(() =>
  [...boards.value]
    .filter(([, board]) => !isFresh(board.freshness, now.value))
    .map(([id]) => id)
    .join(' '),
)

export const view = computed(() => {
  // Subscribes to it: `now` is only peeked at.
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

/** What the filter names that is not there, in sentences. */
export const filterWrong = computed(() =>
  filterText.value === ''
    ? []
    : filterProblems(filter.value, filterNames.value, view.value.matching),
)

/** What the last word of the filter may become. */
export const filterEnds = computed(() =>
  filterText.value === '' ? [] : filterHints(filterText.value, filterNames.value),
)

export function fold(key: string, open: boolean): void {
  folds.value = new Map(folds.value).set(key, open)
}
