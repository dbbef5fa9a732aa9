import { computed, signal } from '@preact/signals'
import type { AttentionSettings } from '#shared/core/attention/rules.ts'
import type { AttentionTrial } from '#shared/core/attention/trial.ts'
import { holdsInput } from '../held-input.ts'
import { appState } from '../window-state.ts'

/**
 * What was changed on the page and not saved yet; null: nothing. Kept when the page is left, and said
 * so when one comes back: nothing that was typed is lost, and nothing is asked.
 */
const draft = signal<AttentionSettings | null>(null)

/** What the page shows. */
export const edited = computed(() => draft.value ?? appState.value.settings.attention)

export const isChanged = computed(
  () =>
    draft.value !== null &&
    JSON.stringify(draft.value) !== JSON.stringify(appState.value.settings.attention),
)

holdsInput(() => isChanged.peek())

/** What a try of the draft came to; gone with the next change, which it says nothing of. */
export const tried = signal<AttentionTrial | null>(null)

export function edit(change: Partial<AttentionSettings>): void {
  draft.value = { ...edited.value, ...change }
  tried.value = null
}

export function dropDraft(): void {
  draft.value = null
  tried.value = null
}
