import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useId, useMemo } from 'preact/hooks'
import type { Place } from '#shared/core/chat/places.ts'
import { type Completion, completionsAt } from '#shared/core/views/completion.ts'
import { stepInList } from '../parts/page-actions.ts'
import { useRun } from '../run.ts'
import { appState } from '../window-state.ts'
import { allEmoji, type NamedEmoji } from './emoji-character.ts'

/**
 * Completes people, groups, channels, topics, emoji, checks and commands in a text as it is typed.
 * `onKey` returns true if the list handled the key; `attributes` go on the field, `list` beside it.
 */
export function useCompletion(
  { accountId, conversation }: Place,
  text: string,
  input: RefObject<HTMLTextAreaElement | null>,
  edit: (text: string) => void,
) {
  const id = useId()
  /** Where the cursor was after the last input; null while nothing is to be completed. */
  const cursor = useSignal<number | null>(null)
  const at = useSignal(0)
  const realm = appState.value.realms.get(accountId)
  useEffect(() => {
    if (realm === undefined) return
    const facts = { state: appState.peek(), realm, conversation, emoji: noEmoji }
    // Warms the cache: the first key would wait for twenty thousand names to be folded and counted.
    const soon = requestIdleCallback(() => void completionsAt('@', 1, facts))
    return () => cancelIdleCallback(soon)
  }, [realm?.users])
  const wantsEmoji = cursor.value !== null && /:[a-z0-9_+-]/.test(text)
  const asked = useRun(wantsEmoji ? accountId : null, () => allEmoji(accountId))
  const emoji = asked.value ?? noEmoji
  const found = useMemo(
    () =>
      cursor.value === null || realm === undefined
        ? null
        : completionsAt(text, cursor.value, {
            state: appState.peek(),
            realm,
            conversation,
            emoji,
          }),
    [text, cursor.value, realm?.users, realm?.groups, emoji],
  )
  const items = found?.items ?? []
  const take = ({ text: insert }: Completion): void => {
    const field = input.current
    if (found === null || field === null) return
    const end = cursor.peek() ?? field.selectionEnd
    // Moves the cursor as well, so that a letter typed before the next render comes after it.
    field.setRangeText(insert, found.from, end, 'end')
    edit(field.value)
    cursor.value = null
    field.focus()
  }
  const onKey = (key: KeyboardEvent): boolean => {
    const chosen = items[at.peek()]
    if (chosen === undefined) return false
    const to = key.key.startsWith('Arrow') ? stepInList(key.key, at.peek(), items.length) : null
    if (key.key === 'Escape') cursor.value = null
    else if ((key.key === 'Enter' && !key.shiftKey) || key.key === 'Tab') take(chosen)
    else if (to !== null) at.value = to
    else return false
    key.preventDefault()
    key.stopPropagation()
    return true
  }
  const onTyped = (field: HTMLTextAreaElement): void => {
    cursor.value = field.selectionStart === field.selectionEnd ? field.selectionStart : null
    at.value = 0
  }
  const attributes = {
    'aria-autocomplete': 'list',
    'aria-controls': `${id}-list`,
    ...(items.length > 0 ? { 'aria-activedescendant': `${id}-${at.value}` } : {}),
  } as const
  const list = (
    <div id={`${id}-list`} class="completions" role="listbox" aria-label="Completions">
      {items.map((item, position) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field takes the active one.
        <div
          key={item.text}
          ref={
            position === at.value ? (option) => option?.scrollIntoView({ block: 'nearest' }) : null
          }
          id={`${id}-${position}`}
          class="completion"
          role="option"
          aria-selected={position === at.value}
          onClick={() => take(item)}
          onMouseDown={(press) => press.preventDefault()}
        >
          <span dir="auto">{item.label}</span>
          <span class="quiet">{item.hint}</span>
        </div>
      ))}
    </div>
  )
  const close = (): void => {
    cursor.value = null
  }
  return { onKey, onTyped, close, attributes, list }
}

const noEmoji: readonly NamedEmoji[] = []
