import { computed, signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { draftKey } from '#shared/core/chat/drafts.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { Target } from '#shared/core/target.ts'
import { appState, chatPlace, go, place, sideBySide } from './window-state.ts'

type ConversationTarget = Extract<Target, { readonly view: 'conversation' }>

const selected = signal<ConversationTarget | null>(null)

/** The conversation beside the list while nothing was opened there; null if there is none. */
export const previewed = computed(() => {
  const at = selected.value
  return at !== null && appState.value.realms.has(at.accountId) ? at : null
})

/** The id of the row whose conversation is beside the list, opened or not; null if there is none. */
export const besideId = computed(() => {
  const at = place.value.view === 'chat' ? previewed.value : place.value
  const isBeside = sideBySide.value === 'chat' && at?.view === 'conversation'
  return isBeside ? draftKey(at.accountId, at.conversation) : null
})

/** Whether the row's conversation is open beside the list. */
export function isOpen(id: string): boolean {
  return besideId.peek() === id && place.peek().view === 'conversation'
}

/** A row of a list of the chat: a conversation or, with an id, one of its messages. */
export type SelectedRow = Place & { readonly messageId?: number }

/** Ms. What the keyboard only passes is neither drawn nor read from the server. */
const restMs = 300

/**
 * Previews the selected row beside the list; null: none. Returns a function to call when a key
 * moves the selection: then, a conversation that is open there gives way, too.
 */
export function useSelected(row: SelectedRow | null): () => void {
  const isMoved = useRef(false)
  const own = useRef<ConversationTarget | null | undefined>(undefined)
  const id = row && draftKey(row.accountId, row.conversation)
  const messageId = row?.messageId ?? null
  useLayoutEffect(() => {
    const follow = (): void => {
      const givesWay = isMoved.current && place.peek().view === 'conversation'
      isMoved.current = false
      own.current = row && {
        view: 'conversation',
        accountId: row.accountId,
        conversation: row.conversation,
        messageId,
      }
      selected.value = own.current
      // Another message of the same conversation is shown there, too.
      const isOther = id !== null && (messageId !== null || !isOpen(id))
      if (givesWay && isOther && sideBySide.peek() === 'chat') go(chatPlace.peek())
    }
    const isFirst = own.current === undefined || selected.peek() === null
    if (isFirst && !isMoved.current) return follow()
    const timer = setTimeout(follow, restMs)
    return () => clearTimeout(timer)
  }, [id, messageId])
  useEffect(
    () => () => {
      // The next list may have come before this one goes.
      if (selected.peek() === own.current) selected.value = null
    },
    [],
  )
  return () => {
    isMoved.current = true
  }
}
