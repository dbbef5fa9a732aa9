import { signal } from '@preact/signals'
import type { OperationId } from '#shared/api/catalogue.ts'

/** What lies over the window: nothing, the list, or the form of one operation. */
type PaletteShown =
  | { readonly shows: 'nothing' }
  | { readonly shows: 'list' }
  | { readonly shows: 'operation'; readonly operation: OperationId }

export const palette = signal<PaletteShown>({ shows: 'nothing' })

export function openPalette(): void {
  palette.value = { shows: 'list' }
}

export function closePalette(): void {
  palette.value = { shows: 'nothing' }
}

/** Ctrl/Cmd+K, from anywhere. */
export function followPaletteKey(): () => void {
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}

function onKey(key: KeyboardEvent): void {
  if (key.key.toLowerCase() !== 'k' || key.shiftKey || key.altKey) return
  if (!(key.ctrlKey || key.metaKey)) return
  const other = document.querySelector('dialog[open]:not(.palette)')
  if (key.isComposing || other !== null) return
  key.preventDefault()
  if (palette.value.shows === 'list') closePalette()
  else openPalette()
}
