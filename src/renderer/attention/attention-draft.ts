import { computed, signal } from '@preact/signals'
import type { AttentionSettings } from '#shared/core/attention/rules.ts'
import type { AttentionTrial } from '#shared/core/attention/trial.ts'
import { KeptDrafts } from '../kept-drafts.ts'
import { appState } from '../window-state.ts'

/** The unsaved settings of the page. */
const drafts = new KeptDrafts<AttentionSettings>(differs)
const key = 'attention'

function differs(draft: AttentionSettings): boolean {
  return JSON.stringify(draft) !== JSON.stringify(appState.value.settings.attention)
}

export const edited = computed(() => drafts.get(key) ?? appState.value.settings.attention)

export const isChanged = computed(() => differs(edited.value))

/** The result of trying the draft; cleared by the next change. */
export const tried = signal<AttentionTrial | null>(null)

export function edit(change: Partial<AttentionSettings>): void {
  drafts.set(key, { ...edited.value, ...change })
  tried.value = null
}

export function dropDraft(): void {
  drafts.drop(key)
  tried.value = null
}
