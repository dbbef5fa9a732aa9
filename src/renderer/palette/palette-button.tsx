import { closePalette, openPalette, palette } from '../palette-shown.ts'
import { KeyHint } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { keyOf } from '../parts/page-actions.ts'

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
      class="row palette-door"
      aria-haspopup="dialog"
      title="Search or run anything (Ctrl+K)"
      onClick={openPalette}
    >
      <Icon name="search" />
      <span class="one-line palette-door-words">
        Search<span class="palette-door-more"> or run</span>
        <span class="visually-hidden"> anything</span>
      </span>
      <span class="palette-door-key" aria-hidden="true">
        <KeyHint keys="Ctrl K" />
      </span>
    </button>
  )
}
