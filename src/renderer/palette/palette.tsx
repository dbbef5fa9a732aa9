import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { recentPaletteLimit } from '#shared/core/settings.ts'
import {
  type PaletteAction,
  type PaletteCommand,
  type PaletteItem,
  paletteResults,
  withRecent,
} from '#shared/core/views/palette-search.ts'
import { call } from '../bridge.ts'
import { Modal } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { KeyHint } from '../parts/key-hint.tsx'
import { toast, toastIfFailed } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { OperationForm } from './operation-form.tsx'
import { closePalette, openPalette, palette, takeTypedAhead } from './palette-button.tsx'
import { hereIndex, openOperation, paletteSource } from './palette-state.ts'

/** The palette over everything: Esc leads one step back. */
export function Palette({ onHelp }: { readonly onHelp: () => void }) {
  const shown = palette.value
  if (shown.shows === 'nothing') return null
  const isWide = shown.shows === 'operation'
  return (
    <Modal
      class={`palette ${isWide ? 'palette-wide' : ''}`}
      name={{ 'aria-label': isWide ? 'Operation' : 'Find or do anything' }}
      onBack={back}
      onLeave={closePalette}
    >
      {shown.shows === 'list' ? (
        <PaletteList onChoose={(item) => choose(item, onHelp)} />
      ) : (
        <OperationForm key={shown.operation} id={shown.operation} />
      )}
    </Modal>
  )
}

/** One step back: from a form to the list, from the list to the window. */
function back(): void {
  if (palette.value.shows === 'operation') openPalette()
  else closePalette()
}

function choose(item: PaletteItem, onHelp: () => void): void {
  // What a key does here is no thing to come back to elsewhere.
  if (item.kind !== 'here') remember(item.id)
  if (item.action.does !== 'operation') closePalette()
  act(item.action, onHelp)
}

function remember(id: string): void {
  const { recentPalette } = appState.value.settings
  // Losing a recent is not worth a word.
  void call.updateSettings({
    recentPalette: [...withRecent(recentPalette, id, recentPaletteLimit)],
  })
}

function act(action: PaletteAction, onHelp: () => void): void {
  if (action.does === 'go') go(action.target)
  else if (action.does === 'operation') openOperation(action.operation)
  else if (action.does === 'here') action.act()
  else commands[action.command](onHelp)
}

const commands: Readonly<Record<PaletteCommand, (onHelp: () => void) => void>> = {
  refresh: () => toastIfFailed(call.refresh({ accountId: null })),
  themeLight: () => toastIfFailed(call.updateSettings({ theme: 'light' })),
  themeDark: () => toastIfFailed(call.updateSettings({ theme: 'dark' })),
  themeSystem: () => toastIfFailed(call.updateSettings({ theme: 'system' })),
  clearNotices: () => toastIfFailed(call.clearNotices({})),
  testNotification: () => {
    void call.testNotification({}).then((result) => {
      if (result.ok) toast(`A test notification was sent through ${result.value.by}.`)
    })
  },
  exploreDemo: () => toastIfFailed(call.exploreDemo({})),
  leaveDemo: () => toastIfFailed(call.leaveDemo({})),
  keys: (onHelp) => onHelp(),
  hide: () => toastIfFailed(call.hideWindow({})),
}

const kindWords: Readonly<Record<PaletteItem['kind'], string>> = {
  here: 'Here',
  check: 'Check',
  conversation: 'Chat',
  command: 'Command',
  operation: 'Operation',
}

/** One line to type in, and what fits it. The focus stays in the line; the arrows move the choice. */
function PaletteList({ onChoose }: { readonly onChoose: (item: PaletteItem) => void }) {
  const [ahead] = useState(takeTypedAhead)
  const [query, setQuery] = useState(ahead.text)
  const [at, setAt] = useState(0)
  const box = useRef<HTMLInputElement>(null)
  const id = useId()
  const state = appState.value
  const [here] = useState(hereIndex)
  const index = paletteSource(state, here)
  const { recentPalette } = state.settings
  const results = useMemo(
    () => paletteResults(index, query, recentPalette),
    [index, query, recentPalette],
  )
  const active = Math.min(at, results.length - 1)
  useLayoutEffect(() => {
    box.current?.focus()
    const first = results[0]
    if (ahead.isEntered && first !== undefined) onChoose(first)
  }, [])
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active, query])
  const onKey = (key: KeyboardEvent) => {
    if (key.isComposing) return
    const to = moved(key.key, active, results.length)
    const chosen = results[active]
    if (to !== null) setAt(to)
    else if (key.key === 'Enter' && chosen !== undefined) onChoose(chosen)
    else return
    key.preventDefault()
  }
  return (
    <>
      <div class="palette-line">
        <Icon name="search" />
        <input
          ref={box}
          type="text"
          role="combobox"
          aria-label="Find or do anything"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(results.length > 0 ? { 'aria-activedescendant': `${id}-${active}` } : {})}
          placeholder="A check, a conversation, a command, an operation"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(input) => {
            setQuery(input.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
        <KeyHint keys="Esc" />
      </div>
      {results.length === 0 && (
        <p class="palette-none" role="status">
          Nothing matches “{query.trim()}”. Try fewer letters.
        </p>
      )}
      <div class="palette-list" id={`${id}-list`} role="listbox" aria-label="Results">
        {results.map((item, position) => (
          <Row
            key={item.id}
            id={`${id}-${position}`}
            item={item}
            active={position === active}
            onChoose={() => onChoose(item)}
          />
        ))}
      </div>
    </>
  )
}

/** Where a key moves the choice; null for other keys. Round at the ends. */
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

function Row(props: { id: string; item: PaletteItem; active: boolean; onChoose: () => void }) {
  const { id, item, active, onChoose } = props
  const { kind, title, hint, key } = item
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: see the list.
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the line chooses the active one.
    <div
      id={id}
      class={`palette-row palette-${kind}`}
      role="option"
      aria-selected={active}
      onClick={onChoose}
      // The line keeps the focus.
      onMouseDown={(press) => press.preventDefault()}
    >
      <span class="palette-title" dir="auto" title={title}>
        {title}
      </span>
      <span class="palette-hint" title={hint}>
        {hint}
      </span>
      {key !== '' && <KeyHint keys={key} />}
      <span class="palette-kind">{kindWords[kind]}</span>
    </div>
  )
}
