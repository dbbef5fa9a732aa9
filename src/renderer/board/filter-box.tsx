import { useLayoutEffect, useRef } from 'preact/hooks'
import { call } from '../bridge.ts'
import { writableProjects } from '../check-editor/editor-access.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { KeyHint } from '../parts/key-hint.tsx'
import { isTyping } from '../parts/typing.ts'
import { say, sayIfFailed } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { filterText } from './board-state.ts'

interface Props {
  readonly matching: number
  readonly total: number
  /** The arrow down from the box leads into the list. */
  readonly onDown: () => void
}

/** The filter and, beside it, how the list is grouped. `/` leads here from anywhere on the board. */
export function FilterBox({ matching, total, onDown }: Props) {
  const box = useRef<HTMLInputElement>(null)
  useSlashKey(box)
  const filtered = filterText.value.trim() !== ''
  return (
    <div class="filter-bar">
      <div class="filter-box">
        <Icon name="search" />
        <input
          ref={box}
          type="search"
          aria-label="Filter checks"
          placeholder="Filter: text, #tag, is:down"
          title="Words, #tag, is:down, is:late, is:paused, project:name. A minus turns a word round."
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
            {matching} of {total}
          </span>
        ) : (
          <KeyHint keys="/" />
        )}
      </div>
      <select
        class="group-by"
        aria-label="Group checks"
        title="Group checks"
        value={appState.value.settings.groupBy}
        onChange={(change) => {
          const groupBy = readGroupBy(change.currentTarget.value)
          sayIfFailed(call.updateSettings({ groupBy }))
        }}
      >
        <option value="project">By project</option>
        <option value="tag">By tag</option>
        <option value="none">Flat</option>
      </select>
      <NewCheck />
    </div>
  )
}

/** A function of its own, or the listener would hold on to the first `onDown` and so the first board. */
function useSlashKey(box: { readonly current: HTMLInputElement | null }): void {
  useLayoutEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      if (key.key !== '/' || key.defaultPrevented || isTyping(key.target)) return
      key.preventDefault()
      box.current?.focus()
      box.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

/** `n` from anywhere on the board. Without a project that can be written it says why not. */
function NewCheck() {
  const [project] = writableProjects(appState.value)
  const open = () => {
    if (project === undefined) say('A new check needs a project with a read-write key.', 'failed')
    else go({ view: 'editCheck', accountId: project.id, checkId: null })
  }
  useLayoutEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      if (key.key !== 'n' || key.defaultPrevented || isTyping(key.target)) return
      if (key.ctrlKey || key.metaKey || key.altKey || document.querySelector('dialog[open]')) return
      key.preventDefault()
      open()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return <IconButton icon="add" label="New check (n)" onClick={open} />
}

function readGroupBy(value: string): 'project' | 'tag' | 'none' {
  return value === 'tag' || value === 'none' ? value : 'project'
}

function onFilterKey(key: KeyboardEvent, onDown: () => void): void {
  if (key.key === 'ArrowDown' || key.key === 'Enter') {
    key.preventDefault()
    onDown()
  }
  if (key.key !== 'Escape') return
  // One step back from a filter is the list without it.
  key.preventDefault()
  filterText.value = ''
  onDown()
}
