import type { AccountId } from '../account.ts'
import type { ConversationKey } from '../chat/conversation.ts'
import type { CheckId, CheckStatus, Schedule } from '../checks/check.ts'
import type { Target } from '../target.ts'

/** What rules choose by. `missed`: down and up again while nobody looked. `trouble` is Belfry's own: a key that was rejected, a reply that did not get through. */
export const eventKinds = [
  'down',
  'late',
  'recovered',
  'missed',
  'direct',
  'mention',
  'alertWord',
  'message',
  'trouble',
] as const
export type EventKind = (typeof eventKinds)[number]

/**
 * Something that may be worth a word, with all that deciding and telling need: an event that is kept
 * can be decided anew a week later and gives the same.
 */
interface EventBase {
  /** The same thing seen twice has the same id: check, status and time, or message. */
  readonly id: string
  /** Epoch ms, our clock. */
  readonly at: number
  readonly accountId: AccountId
  /** As in `Notice.subject`. */
  readonly subject: string
  readonly title: string
  readonly target: Target
}

/** What the words of a change are made of: of thousands at once few are ever read. */
export interface CheckFacts {
  /** Epoch ms, the server's clock, as all times here: when it changed; of a recovery, when it went down. */
  readonly since: number | null
  readonly lastPingAt: number | null
  readonly wasPinged: boolean
  readonly schedule: Schedule
  /** The moment of the event. */
  readonly serverNow: number
}

export interface CheckEvent extends EventBase {
  readonly of: 'check'
  readonly kind: 'down' | 'late' | 'recovered' | 'missed'
  /** The words themselves where they are few, and in events that older versions kept. */
  readonly body: string | CheckFacts
  readonly checkId: CheckId
  readonly name: string
  /** The account's label. */
  readonly project: string
  readonly tags: readonly string[]
  readonly from: CheckStatus
  /** No change: it was quiet about the check, that is over, and the check is still down. */
  readonly isReminder?: true
}

/** What a bot's message says of the one check that it surely means. */
export interface CheckNews {
  /** The accounts that read this check: several where one project is here through several keys. */
  readonly accountIds: readonly AccountId[]
  readonly checkId: CheckId
  readonly state: 'down' | 'up'
}

export interface MessageEvent extends EventBase {
  readonly of: 'message'
  readonly kind: 'direct' | 'mention' | 'alertWord' | 'message'
  readonly body: string
  readonly messageId: number
  readonly key: ConversationKey
  /** Null for a direct message. */
  readonly channelId: number | null
  readonly topic: string | null
  readonly senderId: number
  readonly senderName: string
  readonly isBot: boolean
  readonly text: string
  /** Absent where it is no bot's, speaks to the user, or may mean another check as well. */
  readonly news?: CheckNews
  /** What the user's settings in the chat itself ask for. */
  readonly chat: { readonly notify: boolean; readonly sound: boolean }
}

interface TroubleEvent extends EventBase {
  readonly of: 'trouble'
  readonly kind: 'trouble'
  readonly body: string
}

export type AttentionEvent = CheckEvent | MessageEvent | TroubleEvent

/** What a check's notices, and its entries in the history, are filed under. */
export function checkSubject(accountId: AccountId, checkId: CheckId): string {
  return `${accountId}/check/${checkId}`
}
