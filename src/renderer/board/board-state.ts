import { computed, signal } from '@preact/signals'
import { isFresh } from '#shared/core/account.ts'
import { boardView } from '#shared/core/views/board-view.ts'
import { parseCheckFilter } from '#shared/core/views/check-filter.ts'
import { holdsInput } from '../held-input.ts'
import { appState, now } from '../window-state.ts'

// What the board remembers while other views are on the screen. It lives as long as the window.

export const filterText = signal('')

holdsInput(() => filterText.peek() !== '')

/** Groups that the user opened or folded by hand. */
export const folds = signal<ReadonlyMap<string, boolean>>(new Map())

/** The key of the row that the keyboard is on. */
export const activeKey = signal<string | null>(null)

/** Times a key led to a row: it is brought into sight, also where it was the active one before. */
export const activeTimes = signal(0)

/** The key of the row whose check the user last acted on: it may move by that, and stays in sight. */
export const movedKey = signal<string | null>(null)

/** Too narrow for a name and a status side by side, as when zoomed in. The same px as in board.css. */
const narrowWindow = matchMedia('(max-width: 320px)')
export const narrow = signal(narrowWindow.matches)
narrowWindow.addEventListener('change', ({ matches }) => {
  narrow.value = matches
})

/** Where the list is scrolled to. No signal, since nothing is drawn from it. */
export const scroll = { top: 0 }

const accounts = computed(() => appState.value.accounts)
const boards = computed(() => appState.value.boards)
const groupBy = computed(() => appState.value.settings.groupBy)
const silences = computed(() => appState.value.silences)
const filter = computed(() => parseCheckFilter(filterText.value))

/**
 * Which accounts are stale, as a text: it changes only when one turns, so the rows are not made
 * anew each second.
 */
const staleness = computed(() =>
  [...boards.value]
    .filter(([, board]) => !isFresh(board.freshness, now.value))
    .map(([id]) => id)
    .join(' '),
)

/** The lines of the board as they stand now. */
export const view = computed(() => {
  // Read for its change alone.
  void staleness.value
  return boardView(accounts.value, boards.value, {
    filter: filter.value,
    groupBy: groupBy.value,
    folds: folds.value,
    silences: silences.value,
    now: now.peek(),
  })
})

export const unknownFilterWords = computed(() => filter.value.unknown)

export function fold(key: string, open: boolean): void {
  folds.value = new Map(folds.value).set(key, open)
}
