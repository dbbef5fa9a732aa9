import type { AccountId } from '#shared/core/account.ts'
import type { CheckDetails, CheckId } from '#shared/core/checks/check.ts'
import { type CheckDraft, draftOf, newCheckDraft } from '#shared/core/checks/check-draft.ts'
import { call } from '../bridge.ts'
import { holdsInput } from '../held-input.ts'
import { appState } from '../window-state.ts'

/** A form as it was left, with what it started from, so that only real changes are ever sent. */
export interface Editing {
  /** Null: a new check. */
  readonly before: CheckDetails | null
  readonly start: CheckDraft
  readonly draft: CheckDraft
}

/** Forms that were left unsaved, for as long as the window lives: Esc loses nothing. */
export const unsaved = new Map<string, Editing>()

holdsInput(() => [...unsaved.values()].some(isChanged))

/** A new check is one form, whichever project it will be made in. */
export function editingKey(accountId: AccountId, checkId: CheckId | null): string {
  return checkId === null ? 'new' : `${accountId}/${checkId}`
}

export function isChanged({ start, draft }: Editing): boolean {
  return JSON.stringify(start) !== JSON.stringify(draft)
}

export function startEditing(before: CheckDetails | null, zone: string): Editing {
  const start = before === null ? { ...newCheckDraft, zone } : withOwnZone(draftOf(before), zone)
  return { before, start, draft: start }
}

/** A simple check has no zone of its own: should it become a scheduled one, the user's is likely. */
function withOwnZone(draft: CheckDraft, zone: string): CheckDraft {
  return draft.kind === 'period' ? { ...draft, zone } : draft
}

/** The zone of this computer; UTC where it has none. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

/** How long an answer's check may take to come with the list that main asks for next, in ms. */
const longestWaitMs = 4_000

/** The id of a check that was just made, once the board has it; null when that takes too long. */
export function idOnBoard(
  accountId: AccountId,
  { name, uuid }: { readonly name: string; readonly uuid: string },
): Promise<CheckId | null> {
  return new Promise((resolve) => {
    let stop = () => {}
    const asked = new Set<CheckId>()
    const done = (id: CheckId | null) => {
      clearTimeout(timer)
      stop()
      resolve(id)
    }
    const timer = setTimeout(() => done(null), longestWaitMs)
    /** Names are not unique, and a board has no uuids. */
    const ask = async (checkId: CheckId): Promise<void> => {
      asked.add(checkId)
      const details = await call.checkDetails({ accountId, checkId })
      if (details.ok && details.value.uuid === uuid) done(checkId)
    }
    const look = () => {
      for (const { id, name: one } of appState.value.boards.get(accountId)?.checks.values() ?? [])
        if (one === name && !asked.has(id)) void ask(id)
    }
    stop = appState.subscribe(look)
  })
}
