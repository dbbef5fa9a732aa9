import { signal } from '@preact/signals'
import type { OperationId } from '#shared/api/catalogue.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { PaletteItem, Recipients } from '#shared/core/views/palette-search.ts'

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
