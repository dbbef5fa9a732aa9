import type { AccountId } from '../account.ts'
import type { Failure } from '../failure.ts'
import type { Conversation } from './conversation.ts'

/**
 * A message on its way.
 *
 *   queued ──► sending ──► (gone: its event came, or the answer and no event will)
 *     ▲           │
 *     │           ├──► queued        surely not processed: tried again with back-off
 *     │           ├──► rejected      surely refused: text back to the composer
 *     │           └──► unconfirmed   unknown: never resent by the program
 *     │                    │
 *     └── the user: send again ◄────┘──► (gone: event, history, or the user discards)
 *
 * A message event with our `localId` beats everything that comes later, a failed answer included.
 */
export interface OutboxMessage {
  readonly localId: string
  readonly accountId: AccountId
  readonly conversation: Conversation
  readonly text: string
  readonly queuedAt: number
  readonly state: 'queued' | 'sending' | 'sent' | 'rejected' | 'unconfirmed'
  /** The id the answer gave, while its event is awaited. */
  readonly messageId: number | null
  readonly attempts: number
  /**
   * The newest message known when this one was queued, and of the whole realm when it was being sent:
   * a server counts upwards, so that only later ones can be it.
   */
  readonly afterMessageId: number
  /** Own messages of this conversation that are known to be other ones: the same text twice is two. */
  readonly notMessageIds?: readonly number[]
  readonly failure: Failure | null
  /** Typed into a notification: nobody is looking at the conversation when it goes wrong. */
  readonly fromNotification: boolean
}
