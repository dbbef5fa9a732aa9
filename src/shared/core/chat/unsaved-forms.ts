import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import type { DraftsSlice } from './drafts.ts'

/** What a form edits. */
export type UnsavedForm = `message/${number}` | `scheduled/${number}` | `snippet/${number | 'new'}`

/** The key in `drafts` of unsaved input in a form. */
export function unsavedKey(accountId: AccountId, form: UnsavedForm): string {
  return `${accountId}/form/${form}`
}

const formKey = /^form\/(message|scheduled|snippet)\/(\d+)$/

/** Unsaved input in a form for an item that the server has, or had. */
export interface KeptForm {
  readonly form: UnsavedForm
  readonly of: 'message' | 'scheduled' | 'snippet'
  readonly id: number
  readonly kept: string
}

export function keptForms(
  { drafts }: Pick<DraftsSlice, 'drafts'>,
  accountId: AccountId,
): readonly KeptForm[] {
  return [...drafts].flatMap(([key, kept]): KeptForm[] => {
    if (!key.startsWith(`${accountId}/`)) return []
    const [, of, digits] = formKey.exec(key.slice(accountId.length + 1)) ?? []
    const id = Number(digits)
    return of === 'message' || of === 'scheduled' || of === 'snippet'
      ? [{ form: `${of}/${id}`, of, id, kept }]
      : []
  })
}

const fieldTexts = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()))

/** The changed fields, by name. */
export function unsavedFields(kept: string): Readonly<Record<string, string>> {
  return v.is(fieldTexts, kept) ? v.parse(fieldTexts, kept) : {}
}
