import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import { type Immutable, timeSchema } from '../schemas.ts'

/** A user's status, shown to others beside the name. */
export interface OwnStatus {
  readonly text: string
  /** `type`: absent for a Unicode emoji. */
  readonly emoji: { readonly name: string; readonly code: string; readonly type?: string } | null
}

export const noStatus: OwnStatus = { text: '', emoji: null }

/** In code points; the server refuses longer ones. */
export const statusLimit = 60

export function hasStatus({ text, emoji }: OwnStatus): boolean {
  return text !== '' || emoji !== null
}

/** A status that Belfry clears at a set time, since the service has no expiry. */
export const statusEndSchema = v.object({
  text: v.string(),
  emoji: v.nullable(v.string()),
  /** Epoch ms. */
  until: timeSchema,
})
export type StatusEnd = Immutable<v.InferOutput<typeof statusEndSchema>>

/** The ends of the user's statuses as a part of the app's state. */
export interface StatusEndsSlice {
  readonly statusEnds: ReadonlyMap<AccountId, StatusEnd>
}
