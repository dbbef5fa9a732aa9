import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PaletteItem } from '#shared/core/views/palette-search.ts'
import { KeyHint } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { takeTypedAhead } from './palette-button.tsx'

const kindWords: Readonly<Record<PaletteItem['kind'], string>> = {
  here: 'Here',
  check: 'Check',
  conversation: 'Chat',
  person: 'Person',
  channel: 'Channel',
  command: 'Command',
  operation: 'Operation',
}

interface Props {
  readonly label: string
  readonly placeholder: string
  /** Returns what matches, best first. Called whenever the query or this function changes. */
  readonly find: (query: string) => readonly PaletteItem[]
  readonly onChoose: (item: PaletteItem) => void
  readonly isLoading?: boolean
  /** Off where all items are of one kind, which `label` names. */
  readonly showsKind?: boolean
  /** Shown before the query: what was chosen already. */
  readonly before?: ComponentChildren
  /** Gets each key first; true if it handled it. `active` is the item that Enter would choose. */
  readonly onKey?: (key: KeyboardEvent, query: string, active: PaletteItem | undefined) => boolean
}

/** A search field and its results. The focus stays in the field; the arrows move the choice. */
export function SearchList(props: Props) {
  const { label, placeholder, find, onChoose, isLoading = false, showsKind = true } = props
  const { before, onKey } = props
  const [ahead] = useState(takeTypedAhead)
  const [query, setQuery] = useState(ahead.text)
  const [at, setAt] = useState(0)
  const box = useRef<HTMLInputElement>(null)
  const id = useId()
  const results = useMemo(() => find(query), [find, query])
  const active = Math.min(at, results.length - 1)
  useLayoutEffect(() => {
    box.current?.focus()
    const first = results[0]
    if (ahead.isEntered && first !== undefined) onChoose(first)
  }, [])
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active, query])
  const onKeyDown = (key: KeyboardEvent) => {
    const to = moved(key.key, active, results.length)
    const chosen = results[active]
    if (onKey?.(key, query, chosen) === true) {
      setQuery('')
      setAt(0)
    } else if (to !== null) setAt(to)
    else if (key.key === 'Enter' && chosen !== undefined) onChoose(chosen)
    else return
    key.preventDefault()
  }
  return (
    <>
      <div class="palette-line">
        <Icon name="search" />
        {before}
        <input
          ref={box}
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(results.length > 0 ? { 'aria-activedescendant': `${id}-${active}` } : {})}
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(input) => {
            setQuery(input.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
        <KeyHint keys="Esc" />
      </div>
      {results.length === 0 && (
        <p class="palette-none" role="status">
          {isLoading ? 'Loading…' : `Nothing matches “${query.trim()}”. Try fewer letters.`}
        </p>
      )}
      <div class="palette-list" id={`${id}-list`} role="listbox" aria-label="Results">
        {results.map((item, position) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses the active one.
          <div
            key={item.id}
            id={`${id}-${position}`}
            class="palette-row"
            role="option"
            aria-selected={position === active}
            onClick={() => onChoose(item)}
            // The field keeps the focus.
            onMouseDown={(press) => press.preventDefault()}
          >
            <span class="one-line palette-title" dir="auto" title={item.title}>
              {item.title}
            </span>
            <span class="one-line raw palette-hint" title={item.hint}>
              {item.hint}
            </span>
            {item.key !== '' && <KeyHint keys={item.key} />}
            {showsKind && <span class="raw palette-kind">{kindWords[item.kind]}</span>}
          </div>
        ))}
      </div>
    </>
  )
}

/** Where a key moves the choice; null for other keys. The arrows wrap around at the ends. */
function moved(key: string, at: number, count: number): number | null {
  if (count === 0) return null
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count
    case 'ArrowUp':
      return (at - 1 + count) % count
    case 'PageDown':
      return Math.min(count - 1, at + 8)
    case 'PageUp':
      return Math.max(0, at - 8)
    default:
      return null
  }
}
