import { useEffect, useRef } from 'preact/hooks'
import { call } from '../bridge.ts'
import { Icon } from '../parts/icon.tsx'
import { KeyHint } from '../parts/key-hint.tsx'
import { isTyping } from '../parts/typing.ts'
import { sayIfFailed } from '../say.ts'
import { appState } from '../state.ts'
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
  useEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      if (key.key !== '/' || key.defaultPrevented || isTyping(key.target)) return
      key.preventDefault()
      box.current?.focus()
      box.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
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
    </div>
  )
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
