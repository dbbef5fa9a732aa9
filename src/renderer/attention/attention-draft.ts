import { computed, signal } from '@preact/signals'
import type { AttentionSettings } from '#shared/core/attention/rules.ts'
import type { AttentionTrial } from '#shared/core/attention/trial.ts'
import { holdsInput } from '../held-input.ts'
import { appState } from '../window-state.ts'

/** The unsaved settings of the page, or null. Kept when the page is left. */
const draft = signal<AttentionSettings | null>(null)

export const edited = computed(() => draft.value ?? appState.value.settings.attention)

export const isChanged = computed(
  () =>
    draft.value !== null &&
    JSON.stringify(draft.value) !== JSON.stringify(appState.value.settings.attention),
)

holdsInput(() => isChanged.peek())

/** The result of trying the draft; cleared by the next change. */
export const tried = signal<AttentionTrial | null>(null)

export function edit(change: Partial<AttentionSettings>): void {
  draft.value = { ...edited.value, ...change }
  tried.value = null
}

export function dropDraft(): void {
  draft.value = null
  tried.value = null
}
