import type { TargetedMouseEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { checkName } from '#shared/core/checks/check.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import type { Target } from '#shared/core/target.ts'
import type { BoardRow, CheckRow } from '#shared/core/views/board-view.ts'
import type { RowList } from '#shared/core/views/row-list.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import { SilenceList } from '../attention/quiet-menu.tsx'
import { openNewCheck, writableProjects } from '../check-editor/editor-access.ts'
import { Button, IconButton, KeyHint } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { useRowMenu } from '../parts/menu-button.tsx'
import { actByKey, keyOf, stepInList, useKeys, usePageActions } from '../parts/page-actions.ts'
import { EmptyState, focusDetail } from '../parts/page-bar.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { appState, followsList, go, goFrom, place, sideBySide } from '../window-state.ts'
import { BoardLine, noteTarget, rowId, rowIndex } from './board-rows.tsx'
import {
  activeKey,
  activeTimes,
  filterEnds,
  filterText,
  filterWrong,
  fold,
  folds,
  followedCheck,
  lastActive,
  movedKey,
  narrow,
  scroll,
  view,
} from './board-state.ts'
import { BulkBar } from './bulk-bar.tsx'
import {
  bulkActions,
  chosen,
  clearSelection,
  isSelected,
  selectAll,
  selectRange,
  toggleSelected,
} from './bulk-work.ts'
import { announcement } from './changed-checks.ts'
import { copyActionsOf } from './copy-checks.ts'
import { refuse, rowActions } from './row-keys.ts'
import { ViewMenu } from './saved-views.tsx'

export function Board() {
  const { rows, matching, total } = view.value
  const { boards, settings } = appState.value
  const grouped = settings.groupBy !== 'none'
  const offsetOf = (row: BoardRow) =>
    (row.accountId === null ? undefined : boards.get(row.accountId))?.serverOffsetMs ?? 0
  const activeIndex = rows.indexOf(activeKey.value)
  const [pointed, setPointed] = useState(-1)
  const menu = useRowMenu(focusList)
  const nothingMatches = filterText.value.trim() !== '' && matching === 0
  useKeyboardInList(firstCheck(rows))
  useFollowedRow(rows.at(activeIndex))
  // Read here: all rows are drawn again when the selection or what is open beside them changes.
  const many = chosen.value
  const beside = shownBeside()
  usePageActions(() => [
    ...(many.length > 0 ? bulkActions(many) : rowActions(rows.at(activeIndex))),
    ...copyActionsOf(rows),
  ])
  return (
    <div class="board">
      <FilterBox matching={matching} total={total} onDown={() => enterList(rows, activeIndex)} />
      <FilterNotes />
      <SilenceList />
      {nothingMatches ? (
        <NoMatch total={total} />
      ) : (
        <VirtualList
          rows={rows}
          heightOf={heights[settings.density][narrow.value ? 'narrow' : 'usual']}
          activeKey={activeKey.value}
          activeTimes={activeTimes.value}
          movedKey={movedKey.value}
          listKey={`${settings.groupBy} ${settings.sortBy} ${filterText.value}`}
          foldKey={folds.value}
          scroll={scroll}
          attributes={{
            id: 'check-list',
            role: 'tree',
            tabIndex: 0,
            'aria-label': 'Checks',
            'aria-multiselectable': true,
            ...(activeIndex < 0 ? {} : { 'aria-activedescendant': rowId(activeIndex) }),
            onKeyDown: (key) => onKey(key, rows, activeIndex),
            onContextMenu: (press) => openMenu(press, rows, activeIndex, menu.open),
            onFocus: () => {
              if (activeIndex < 0) activeKey.value = firstCheck(rows)
            },
          }}
          draw={(row, index) => (
            <BoardLine
              row={row}
              index={index}
              count={rows.length}
              level={row.kind === 'group' || !grouped || isPinned(row) ? 1 : 2}
              offsetMs={offsetOf(row)}
              active={index === activeIndex}
              selected={row.kind === 'check' && isSelected(row)}
              open={row.kind === 'check' && isAt(row, beside)}
              pointed={index === pointed}
              onPoint={setPointed}
              onOpen={choose}
            />
          )}
        />
      )}
      {menu.drawn}
      <BulkBar onLeave={focusList} />
      <p class="visually-hidden" role="status">
        {announcement.value}
      </p>
    </div>
  )
}

/** What is beside the list; null where only one of the two is shown. */
function shownBeside(): Target | null {
  if (sideBySide.value === null) return null
  return place.value.view === 'checks' ? followedCheck.value : place.value
}

function targetOf({ accountId, check }: CheckRow) {
  return { view: 'check', accountId, checkId: check.id } as const
}

/** Ms. What the keyboard only passes is not read from the server. */
const restMs = 300

/** Shows the check of the active row beside the list, in place of another check. */
function useFollowedRow(row: BoardRow | undefined): void {
  const key = row?.kind === 'check' ? row.key : null
  useEffect(() => {
    if (row?.kind !== 'check') return
    const follow = () => {
      lastActive.value = targetOf(row)
      const isByKeyboard = document.activeElement?.id === 'check-list'
      const isOther = place.peek().view === 'check' && !isAt(row, place.peek())
      if (isByKeyboard && isOther && followsList.peek()) go({ view: 'checks' })
    }
    if (lastActive.peek() === null) return follow()
    const timer = setTimeout(follow, restMs)
    return () => clearTimeout(timer)
  }, [key])
}

function isAt({ accountId, check }: CheckRow, at: Target | null): boolean {
  return at !== null && 'checkId' in at && at.accountId === accountId && at.checkId === check.id
}

/** A function of its own, since an effect retains everything in its scope: here, old rows. */
function useKeyboardInList(first: string | null): void {
  useLayoutEffect(() => {
    // The list gets the focus when the window opens, or when the user comes back from a check.
    if (document.activeElement === document.body) focusList()
  }, [])
  useEffect(() => {
    // The list had the focus before it had any rows.
    if (activeKey.value === null && document.activeElement?.id === 'check-list')
      activeKey.value = first
  }, [first])
}

/** Focuses the list at once if it exists, so that no key is lost; else after the next render. */
function focusList(): void {
  const list = document.getElementById('check-list')
  if (list !== null) list.focus()
  else queueMicrotask(() => document.getElementById('check-list')?.focus())
}

/** Moves from the filter to its matches, so that Enter twice opens the first one. */
function enterList(rows: RowList<BoardRow>, active: number): void {
  if (rows.at(active)?.kind !== 'check') activeKey.value = firstCheck(rows)
  focusList()
}

/** The key of the first check: the keyboard starts there, so that Enter opens it. */
function firstCheck(rows: RowList<BoardRow>): string | null {
  for (const { kind, key } of rows) if (kind === 'check') return key
  return null
}

/** Px; the same numbers as in tokens.css. */
const heights = { comfortable: heightsBy(32, 48), compact: heightsBy(26, 40) }

/** In a very narrow list every check takes two lines, since its name needs a whole one. */
function heightsBy(row: number, tall: number) {
  return {
    usual: (one: BoardRow) =>
      one.kind === 'group' || (one.kind === 'check' && !isTrouble(one.check)) ? row : tall,
    narrow: ({ kind }: BoardRow) => (kind === 'group' ? row : tall),
  }
}

function choose(row: BoardRow, click: MouseEvent): void {
  const { rows } = view.value
  const active = rows.indexOf(activeKey.value)
  const isAdded = click.ctrlKey || click.metaKey
  activeKey.value = row.key
  if (row.kind === 'check' && (click.shiftKey || isAdded)) {
    focusList()
    if (isAdded) toggleSelected(row)
    else selectRange(active, rows.indexOf(row.key))
  } else open(row)
}

function open(row: BoardRow): void {
  if (row.kind === 'group') {
    fold(row.key, !row.open)
    return
  }
  if (row.kind === 'check') {
    const isBeside = isAt(row, shownBeside())
    if (!isAt(row, sideBySide.value !== null ? place.value : null)) goFrom('checks', targetOf(row))
    // A page that opens takes the focus; one that is there already is given it.
    if (isBeside) focusDetail()
    return
  }
  const target = noteTarget(row)
  if (target !== null) go(target)
}

function isPinned(row: BoardRow): boolean {
  return row.kind === 'check' && row.pinned
}

/** Opens a menu of a row's single-key actions, or of those of the selection that it is in. */
function openMenu(
  press: TargetedMouseEvent<HTMLElement>,
  rows: RowList<BoardRow>,
  active: number,
  show: ReturnType<typeof useRowMenu>['open'],
): void {
  press.preventDefault()
  const pressed = press.target instanceof Element ? press.target.closest('.board-row') : null
  const at = pressed === null ? active : rowIndex(pressed.id)
  const row = rows.at(at)
  if (row === undefined || row.kind === 'note') return
  activeKey.value = row.key
  const many = chosen.value
  const isOfMany = row.kind === 'check' && many.length > 0 && isSelected(row)
  const name = row.kind === 'group' ? row.title : checkName(row.check)
  const label = isOfMany ? 'Selected checks' : name
  const actions = isOfMany ? bulkActions(many) : rowActions(row)
  // The keyboard's menu key is pressed on the list.
  show(press, pressed ?? document.getElementById(rowId(at)), label, actions)
}

/** A page of the list, in rows: what fits into the default window. */
const page = 12

function onKey(key: KeyboardEvent, rows: RowList<BoardRow>, active: number): void {
  const row = rows.at(active)
  const pressed = keyOf(key)
  if ((key.ctrlKey || key.metaKey) && pressed === 'a') {
    selectAll()
    key.preventDefault()
    return
  }
  if (key.ctrlKey || key.metaKey || key.altKey) return
  const to = stepInList(pressed, active, rows.length, page)
  if (to !== null) {
    activeKey.value = rows.at(to)?.key ?? null
    activeTimes.value += 1
    if (key.shiftKey) selectRange(active, to)
  } else if (row === undefined || !act(pressed, row)) return
  key.preventDefault()
}

/** Handles keys that do something with the row; returns false for any other. */
function act(key: string, row: BoardRow): boolean {
  switch (key) {
    case 'Enter':
    case ' ':
      open(row)
      return true
    case 'ArrowRight':
    case 'ArrowLeft':
      if (row.kind === 'check' && sideBySide.value !== null && key === 'ArrowRight') {
        open(row)
        return true
      }
      if (row.kind !== 'group') return false
      fold(row.key, key === 'ArrowRight')
      return true
    case 'x':
      if (row.kind !== 'check') return false
      toggleSelected(row)
      return true
    case 'Escape':
      if (chosen.value.length === 0) return false
      clearSelection()
      return true
    default: {
      const many = chosen.value
      const isDone = actByKey(key, many.length > 0 ? bulkActions(many) : rowActions(row))
      return isDone || refuse(key, many.length > 0 || row.kind !== 'check' ? many : [row])
    }
  }
}

/** Shown in place of the list if the filter matches nothing. */
function NoMatch({ total }: { readonly total: number }) {
  return (
    <EmptyState
      title={
        total === 1 ? 'The only check does not match' : `None of ${counted(total, 'check')} match`
      }
    >
      <Button
        onClick={() => {
          filterText.value = ''
          focusList()
        }}
      >
        Clear the filter
      </Button>
    </EmptyState>
  )
}

/** The filter, which `/` focuses, and the tools of the whole list. `onDown` moves into the list. */
function FilterBox(props: { matching: number; total: number; onDown: () => void }) {
  const { matching, total, onDown } = props
  const box = useRef<HTMLInputElement>(null)
  const focus = () => {
    box.current?.focus()
    box.current?.select()
  }
  useKeys([{ key: '/', act: focus }])
  const filtered = filterText.value.trim() !== ''
  return (
    <div class="filter-bar">
      <div class="row filter-box">
        <Icon name="search" />
        <input
          ref={box}
          type="search"
          aria-label="Filter checks"
          placeholder="Filter: text, #tag, is:down"
          title="Words, #tag, is:down, is:late, late:>10m, project:name. A minus excludes a word. Tab completes."
          autocomplete="off"
          spellcheck={false}
          value={filterText.value}
          onInput={(input) => {
            filterText.value = input.currentTarget.value
          }}
          onKeyDown={(key) => onFilterKey(key, onDown)}
        />
        {filtered ? (
          <span class="filter-count" role="status">
            {numberWords(matching)} of {numberWords(total)}
          </span>
        ) : (
          <KeyHint keys="/" />
        )}
      </div>
      <ViewMenu />
      <OutagesButton />
      <NewCheck />
    </div>
  )
}

function OutagesButton() {
  const open = () => go({ view: 'outages' })
  useKeys([{ key: 'o', act: open }])
  return <IconButton icon="history" label="Outages (o)" onClick={open} />
}

/** Completions of the filter's last word or, without any, the names in it that don't exist. */
function FilterNotes() {
  const ends = filterEnds.value
  const wrong = filterWrong.value
  return (
    <div class="raw filter-notes" role="status">
      {ends.map((end, at) => (
        <button
          key={end}
          type="button"
          class="filter-end"
          tabIndex={-1}
          onClick={() => {
            filterText.value = end
            document.querySelector<HTMLInputElement>('.filter-box input')?.focus()
          }}
        >
          {end.split(/\s(?=\S*$)/).at(-1)}
          {at === 0 && <KeyHint keys="Tab" />}
        </button>
      ))}
      {ends.length === 0 && wrong.map((words) => <span key={words}>{words}</span>)}
    </div>
  )
}

/** Opens the form, as does `n`. Without a writable project, a toast gives the reason. */
function NewCheck() {
  const [project] = writableProjects(appState.value)
  useKeys([{ key: 'n', act: openNewCheck }])
  return project && <IconButton icon="add" label="New check (n)" onClick={openNewCheck} />
}

function onFilterKey(key: KeyboardEvent, onDown: () => void): void {
  const [end] = filterEnds.value
  if (key.key === 'Tab' && !key.shiftKey && end !== undefined) {
    key.preventDefault()
    filterText.value = end
  }
  if (key.key === 'ArrowDown' || key.key === 'Enter') {
    key.preventDefault()
    onDown()
  }
  if (key.key !== 'Escape') return
  // Esc clears the filter first.
  key.preventDefault()
  filterText.value = ''
  onDown()
}

export function ChecksView() {
  return (
    <>
      <h1 class="visually-hidden">Checks</h1>
      {appState.value.accounts.some(({ kind }) => kind === 'monitoring') ? (
        <Board />
      ) : (
        <EmptyState title="No monitoring project yet">
          <p>Connect one to see its checks here, worst first.</p>
          <Button kind="primary" onClick={() => go({ view: 'addAccount', kind: 'monitoring' })}>
            Connect a monitoring project
          </Button>
        </EmptyState>
      )}
    </>
  )
}
