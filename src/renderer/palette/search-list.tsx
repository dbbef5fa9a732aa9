import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isFresh } from '#shared/core/account.ts'
import type { Target } from '#shared/core/target.ts'
import type { PaletteItem } from '#shared/core/views/palette-search.ts'
import { rowShape } from '../board/row-words.ts'
import { KeyHint } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { appState, now, place } from '../window-state.ts'
import { takeTypedAhead } from './palette-button.tsx'

const kindWords: Readonly<Record<Exclude<PaletteItem['kind'], 'here'>, string>> = {
  check: 'Check',
  conversation: 'Chat',
  person: 'Person',
  channel: 'Channel',
  command: 'Command',
  setting: 'Setting',
  operation: 'Operation',
}

interface Props {
  readonly label: string
  readonly placeholder: string
  /** Returns what matches, best first. Called whenever the query or this function changes. */
  readonly find: (query: string) => readonly PaletteItem[]
  readonly onChoose: (item: PaletteItem) => void
  /** Shown below what was found, or in its place. */
  readonly last?: (query: string) => PaletteItem | null
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
  const { before, last, onKey } = props
  const [ahead] = useState(takeTypedAhead)
  const [query, setQuery] = useState(ahead.text)
  const [at, setAt] = useState(0)
  const box = useRef<HTMLInputElement>(null)
  const id = useId()
  const found = useMemo(() => find(query), [find, query])
  const end = last?.(query) ?? null
  const results = end === null ? found : [...found, end]
  const active = Math.min(at, results.length - 1)
  useLayoutEffect(() => {
    box.current?.focus()
    const first = results[0]
    if (ahead.isEntered && first !== undefined) choose(first)
  }, [])
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active, query])
  const choose = (item: PaletteItem) => {
    if (item.action.does !== 'type') return onChoose(item)
    setQuery(item.action.text)
    setAt(0)
  }
  const onKeyDown = (key: KeyboardEvent) => {
    const to = moved(key.key, active, results.length)
    const chosen = results[active]
    if (onKey?.(key, query, chosen) === true) {
      setQuery('')
      setAt(0)
    } else if (to !== null) setAt(to)
    else if (key.key === 'Enter' && chosen !== undefined) choose(chosen)
    else return
    key.preventDefault()
  }
  return (
    <>
      <div class="bar palette-line">
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
      {found.length === 0 && (
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
            class="row palette-row"
            role="option"
            aria-selected={position === active}
            onClick={() => choose(item)}
            // The field keeps the focus.
            onMouseDown={(press) => press.preventDefault()}
          >
            {item.kind === 'check' && <CheckShape item={item} />}
            <span class="one-line palette-title" dir="auto" title={item.title}>
              {item.title}
            </span>
            <span class="one-line raw palette-hint" title={item.hint}>
              {item.hint}
            </span>
            {item.key !== '' && <KeyHint keys={item.key} />}
            {showsKind && <span class="raw palette-kind">{kindOf(item)}</span>}
          </div>
        ))}
      </div>
    </>
  )
}

/** The status of the check, as on the board. */
function CheckShape({ item: { action } }: { readonly item: PaletteItem }) {
  if (action.does !== 'go' || action.target.view !== 'check') return null
  const board = appState.value.boards.get(action.target.accountId)
  const check = board?.checks.get(action.target.checkId)
  if (board === undefined || check === undefined) return null
  return <StatusShape shape={rowShape(check, !isFresh(board.freshness, now.value))} />
}

/** Actions of the view are about what is open or selected in it. */
function kindOf({ kind }: PaletteItem): string {
  if (kind !== 'here') return kindWords[kind]
  return hereWords[place.value.view] ?? 'This page'
}

const hereWords: Readonly<Partial<Record<Target['view'], string>>> = {
  checks: 'This check',
  check: 'This check',
  discuss: 'This check',
  timeline: 'This check',
  chat: 'This chat',
  conversation: 'This chat',
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
