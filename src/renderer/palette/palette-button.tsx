import { signal } from '@preact/signals'
import type { OperationId } from '#shared/api/catalogue.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { PaletteItem, Recipients } from '#shared/core/views/palette-search.ts'
import { KeyHint } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { keyOf } from '../parts/page-actions.ts'

/** What is open over the window: nothing, a list, or the form of one operation. */
type PaletteShown =
  | { readonly shows: 'nothing' }
  | {
      readonly shows: 'list'
      readonly recipients?: Recipients | undefined
      readonly onPlace?: OnPlace | undefined
    }
  | ActionsShown
  | { readonly shows: 'operation'; readonly operation: OperationId }

type ListOf = 'Actions' | 'Emoji' | 'Saved snippets'

/** A list of given items, such as the actions of a message. */
interface ActionsShown {
  readonly shows: 'actions'
  /** Null while they are being loaded. */
  readonly items: readonly PaletteItem[] | null
  readonly of: ListOf
  /** A new number each time, so that the list starts afresh. */
  readonly offer: number
}

/** What to do with the place that is chosen, instead of going there. */
export type OnPlace = (place: Place) => void

export const palette = signal<PaletteShown>({ shows: 'nothing' })

export function openPalette(): void {
  palette.value = { shows: 'list' }
}

/** Asks who a new message is for: opens the list of people and places. */
export function beginMessage(
  recipients: Recipients = { to: 'anyone' },
  onPlace?: OnPlace | undefined,
): void {
  palette.value = { shows: 'list', recipients, onPlace }
}

/** An action as an item of a list. */
export function hereItem(
  id: string,
  title: string,
  act: () => unknown,
  more: Partial<Pick<PaletteItem, 'hint' | 'key' | 'keywords'>> = {},
): PaletteItem {
  const action = { does: 'here', act } as const
  return { id, kind: 'here', title, hint: '', key: '', keywords: '', ...more, action }
}

let offers = 0

export function offerActions(
  items: readonly PaletteItem[] | null,
  of: ListOf = 'Actions',
): ActionsShown {
  offers += 1
  const shown: ActionsShown = { shows: 'actions', items, of, offer: offers }
  palette.value = shown
  return shown
}

/** Opens the list at once, as it would interrupt typing later. Null closes it again. */
export async function offerLater(
  asked: Promise<readonly PaletteItem[] | null>,
  of: ListOf,
): Promise<void> {
  const waiting = offerActions(null, of)
  const items = await asked
  if (palette.peek() !== waiting) return
  if (items === null) closePalette()
  else palette.value = { ...waiting, items }
}

export function closePalette(): void {
  palette.value = { shows: 'nothing' }
}

/** What was typed after the key that opens the list until it opened, none of it for the page. */
interface TypedAhead {
  readonly text: string
  /** Whether Enter followed. */
  readonly isEntered: boolean
}

const nothingTyped: TypedAhead = { text: '', isEntered: false }
let typedAhead = nothingTyped

/** Hands the text typed ahead to the list, once it is open. */
export function takeTypedAhead(): TypedAhead {
  const taken = typedAhead
  typedAhead = nothingTyped
  return taken
}

/** Follows Ctrl/Cmd+K from anywhere; returns a function that stops it. */
export function followPaletteKey(): () => void {
  document.addEventListener('keydown', onKeyAhead, true)
  document.addEventListener('keydown', onKey)
  return () => {
    document.removeEventListener('keydown', onKeyAhead, true)
    document.removeEventListener('keydown', onKey)
  }
}

function onKey(key: KeyboardEvent): void {
  if (!isPaletteKey(key)) return
  if (document.querySelector('dialog[open]:not(.palette)') !== null) return
  key.preventDefault()
  typedAhead = nothingTyped
  if (palette.value.shows === 'list') closePalette()
  else openPalette()
}

function isPaletteKey(key: KeyboardEvent): boolean {
  return (
    keyOf(key).toLowerCase() === 'k' && (key.ctrlKey || key.metaKey) && !key.shiftKey && !key.altKey
  )
}

/** Collects keys until the list opens: its code is loaded on first use, and drawn after a frame. */
function onKeyAhead(key: KeyboardEvent): void {
  if (palette.value.shows !== 'list' || isPaletteKey(key)) return
  if (document.querySelector('dialog[open]') !== null) return
  key.preventDefault()
  key.stopPropagation()
  if (key.key === 'Escape') closePalette()
  else if (!typedAhead.isEntered) typedAhead = withKey(typedAhead, key)
}

function withKey({ text }: TypedAhead, { key, ctrlKey, metaKey }: KeyboardEvent): TypedAhead {
  if (key === 'Enter') return { text, isEntered: true }
  if (key === 'Backspace') return { text: text.slice(0, -1), isEntered: false }
  const isText = [...key].length === 1 && !ctrlKey && !metaKey
  return { text: isText ? text + key : text, isEntered: false }
}

/** The search field at the top of the window: a click or Ctrl/Cmd+K opens the palette. */
export function PaletteButton() {
  return (
    <button
      type="button"
      class="palette-door"
      aria-haspopup="dialog"
      title="Search or run anything (Ctrl+K)"
      onClick={openPalette}
    >
      <Icon name="search" />
      <span class="one-line palette-door-words">
        Search or run<span class="visually-hidden"> anything</span>
      </span>
      <span class="palette-door-key" aria-hidden="true">
        <KeyHint keys="Ctrl K" />
      </span>
    </button>
  )
}
