import { Icon } from '../parts/icon.tsx'
import { KeyHint } from '../parts/key-hint.tsx'
import { openPalette } from './palette-button.tsx'

/** The search field in the head of the window: a click or Ctrl/Cmd+K opens the palette. */
export function PaletteDoor() {
  return (
    <button
      type="button"
      class="palette-door"
      aria-haspopup="dialog"
      title="Find or do anything (Ctrl+K)"
      onClick={openPalette}
    >
      <Icon name="search" />
      <span class="palette-door-words">
        Find or do<span class="visually-hidden"> anything</span>
      </span>
      <span class="palette-door-key" aria-hidden="true">
        <KeyHint keys="Ctrl K" />
      </span>
    </button>
  )
}
