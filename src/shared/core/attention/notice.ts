import type { AccountId } from '../account.ts'
import type { Target } from '../target.ts'
import type { EventKind } from './event.ts'

export type NoticeKind = EventKind | 'digest'

/** What became of an event: popped up; only on the icon and in the list; part of another notice; nothing. */
export type Outcome = 'shown' | 'tray' | 'folded' | 'silent'

/** One line of a notice that stands for many. */
export interface NoticeLine {
  readonly text: string
  readonly at: number
  readonly target: Target
}

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
  readonly sound: boolean
  readonly outcome: Outcome
  /** Why so: each step of the decision. */
  readonly reasons: readonly Reason[]
  readonly lines: readonly NoticeLine[]
}

export const chatKinds: ReadonlySet<NoticeKind> = new Set([
  'direct',
  'mention',
  'alertWord',
  'message',
])

/** Whether it tells of messages of one conversation. */
export function isOfMessages({ kind }: Pick<Notice, 'kind'>): boolean {
  return chatKinds.has(kind)
}

/** More flips or conversations than this in one update are told in one notice: people read one, not forty. */
export const foldAbove = 3
/** Names that a folded notice spells out. */
export const namesInFold = 4

/** The facts of a notice's body, those that there are. */
export function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' · ')
}

export const reasonSteps = [
  'rule',
  'default',
  'chat',
  'wait',
  'brief',
  'silence',
  'same',
  'quiet',
  'away',
  'flapping',
  'storm',
  'batch',
  'sound',
] as const

/** One step of a decision, in words for its user. */
export interface Reason {
  readonly by: (typeof reasonSteps)[number]
  readonly text: string
}
