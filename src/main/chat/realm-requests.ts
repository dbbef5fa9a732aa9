import type { Conversation } from '../../shared/core/chat/conversation.ts'
import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import { RequestFailed } from '../../shared/core/failure.ts'

/** What "Send a message" is called with. */
export function sendParams(message: OutboxMessage, queueId: string | null) {
  const { conversation, text, localId } = message
  const place =
    conversation.kind === 'topic'
      ? { type: 'stream' as const, to: conversation.channelId, topic: conversation.topic }
      : { type: 'private' as const, to: [...conversation.userIds] }
  // Both or none: the chat API requires `local_id` with `queue_id`.
  const echo = queueId === null ? {} : { queue_id: queueId, local_id: localId }
  return { ...place, content: text, read_by_sender: true, ...echo }
}

type Narrow = { operator: string; operand: string | number | number[] }[]

/** Ids in place of names: a channel may be called "123" (chat API, "Get messages", narrow). */
export function narrowOf(conversation: Conversation): Narrow {
  return conversation.kind === 'topic'
    ? [
        { operator: 'channel', operand: conversation.channelId },
        { operator: 'topic', operand: conversation.topic },
      ]
    : [{ operator: 'dm', operand: [...conversation.userIds] }]
}

/** One's own messages of a conversation; of a topic those of its whole channel, since topics are renamed. */
export function ownNarrowOf(conversation: Conversation, me: number): Narrow {
  const sender = { operator: 'sender', operand: me }
  return conversation.kind === 'topic'
    ? [{ operator: 'channel', operand: conversation.channelId }, sender]
    : [...narrowOf(conversation), sender]
}

/** The state that was asked for is there already, which is what was wanted. */
export function isDoneAlready(error: unknown): boolean {
  return (
    error instanceof RequestFailed &&
    error.failure.kind === 'refused' &&
    (error.failure.code === 'REACTION_ALREADY_EXISTS' ||
      error.failure.code === 'REACTION_DOES_NOT_EXIST')
  )
}
