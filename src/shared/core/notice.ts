import type { AccountId } from './account.ts'
import type { Target } from './target.ts'

export type NoticeKind = 'down' | 'recovered' | 'mention' | 'direct' | 'message' | 'account'

/** Our decision to tell. The desktop turns it into a notification; the app keeps it in a list. */
export interface Notice {
  /** Unique for ever: account, subject and time. */
  readonly id: string
  readonly kind: NoticeKind
  readonly accountId: AccountId
  /** A notification with the same subject is replaced, not joined, by the newer one. */
  readonly subject: string
  readonly title: string
  readonly body: string
  readonly at: number
  readonly target: Target
  /** The conversation in `target` can be answered from the notification itself. */
  readonly canReply: boolean
  readonly sound: boolean
}

/** More flips or conversations than this in one update are told in one notice: people read one, not forty. */
export const foldAbove = 3
/** Names that a folded notice spells out. */
export const namesInFold = 4

/** The facts of a notice's body, those that there are. */
export function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' · ')
}
