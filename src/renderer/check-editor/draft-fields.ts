import type { CheckDraft, DraftErrors } from '#shared/core/checks/check-draft.ts'

/** What every part of the form is given. */
export interface DraftProps {
  readonly draft: CheckDraft
  readonly errors: DraftErrors
  readonly onChange: (part: Partial<CheckDraft>) => void
}
