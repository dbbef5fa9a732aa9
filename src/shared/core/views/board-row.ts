import type { AccountId } from '../account.ts'
import type { Silence } from '../attention/silence.ts'
import type { Check, StatusCounts } from '../checks/check.ts'

/** The head of a project's or tag's checks. */
export interface GroupRow {
  readonly kind: 'group'
  readonly key: string
  readonly title: string
  /** The project it stands for; null for a tag. */
  readonly accountId: AccountId | null
  /** The tag it stands for; null for a project, and for the checks without a tag. */
  readonly tag: string | null
  readonly counts: StatusCounts
  /** Checks of the project that can't be read, so that nothing counts them. */
  readonly unreadable: number
  readonly open: boolean
  readonly stale: boolean
  /** Something in it is in trouble, and all of that is quiet. */
  readonly isQuiet: boolean
}

export interface CheckRow {
  readonly kind: 'check'
  /** Unique in the list, since a check stands under each of its tags. */
  readonly key: string
  readonly accountId: AccountId
  readonly check: Check
  readonly stale: boolean
  /** What keeps it quiet; null: nothing does. */
  readonly silence: Silence | null
  /** The check's tags, without the one that the group head says. */
  readonly tags: readonly string[]
  /** The project's label where no group head says it. */
  readonly project: string | null
}

/** Something to know of a project that is not a check. */
export interface NoteRow {
  readonly kind: 'note'
  readonly key: string
  readonly accountId: AccountId
  readonly project: string
  readonly note: ProjectNote
}

export type ProjectNote =
  | { readonly is: 'reading' }
  | { readonly is: 'empty' }
  | { readonly is: 'failed' }
  | { readonly is: 'key'; readonly key: 'missing' | 'locked' | 'rejected' }
  | { readonly is: 'unreadable'; readonly count: number }

export type BoardRow = GroupRow | CheckRow | NoteRow
