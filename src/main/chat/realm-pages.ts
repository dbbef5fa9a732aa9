import { messageOperations } from '../../shared/api/chat/message-operations.ts'
import { readMessage } from '../../shared/api/chat/read-message.ts'
import type { ChatEvent } from '../../shared/core/chat/chat-event.ts'
import type { Conversation } from '../../shared/core/chat/conversation.ts'
import type { Message } from '../../shared/core/chat/message.ts'
import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import { isFields } from '../../shared/core/schemas.ts'
import type { Client } from '../http/client.ts'
import type { Priority } from '../http/rate-limit.ts'
import { createYielding } from '../http/wait.ts'
import { messageText } from './message-text.ts'

/** Some messages before and after an anchor, or those with these ids. */
type Page =
  | {
      readonly anchor: number | 'newest'
      readonly num_before: number
      readonly num_after: number
      readonly include_anchor?: boolean
      readonly narrow?: ReturnType<typeof narrowOf>
    }
  | { readonly message_ids: number[] }

/** The newest messages, or those before one. */
export function pageBefore(before: number | null, count: number) {
  const from = before === null ? {} : { include_anchor: false }
  return { anchor: before ?? 'newest', num_before: count, num_after: 0, ...from } as const
}

export interface FetchedPage {
  readonly messages: readonly Message[]
  readonly foundNewest: boolean
  readonly foundOldest: boolean
}

/** A page, and the events that were applied while it was fetched. */
export interface BracketedPage extends FetchedPage {
  readonly since: readonly ChatEvent[]
}

/** A page that is being fetched. */
interface Flight {
  readonly events: ChatEvent[]
  isOutdated: boolean
}

export type RealmPages = ReturnType<typeof createRealmPages>

/** Fetches messages, and records the events that may change them meanwhile. */
export function createRealmPages(parts: {
  client: Client
  /** The user's own id; -1 if it is not known yet. */
  me: () => number
  signal: AbortSignal
}) {
  const { client, signal } = parts
  const flights = new Set<Flight>()

  /** Rejects with `RequestFailed`. */
  async function getMessages(
    page: Page,
    pageSignal: AbortSignal,
    priority: Priority = 'background',
  ): Promise<FetchedPage> {
    const options = { signal: pageSignal, priority }
    const reply = await client.call(messageOperations.getMessages, page, options)
    const yielding = createYielding(pageSignal)
    const context = { me: parts.me(), toText: messageText }
    const messages: Message[] = []
    for (const item of reply.messages) {
      if (yielding.isOver()) await yielding.next()
      const message = readMessage(withMarks(item), context)
      if (message !== null) messages.push(message)
    }
    return {
      messages,
      foundNewest: reply.found_newest ?? false,
      foundOldest: reply.found_oldest ?? false,
    }
  }

  async function bracketed(
    page: Page,
    pageSignal = signal,
    priority?: Priority,
  ): Promise<BracketedPage> {
    const flight: Flight = { events: [], isOutdated: false }
    flights.add(flight)
    try {
      const fetched = await getMessages(page, pageSignal, priority)
      // From before a gap in the events: it may be stale.
      return flight.isOutdated
        ? await bracketed(page, pageSignal, priority)
        : { ...fetched, since: flight.events }
    } finally {
      flights.delete(flight)
    }
  }

  return {
    getMessages,
    bracketed,
    /**
     * A message wherever it is, for somebody who waits; null if the user can't see it. `message_ids`
     * leaves out those from before a subscription. Rejects with `RequestFailed`.
     */
    async getMessage(id: number): Promise<Message | null> {
      const options = { signal, priority: 'interactive' } as const
      const reply = await client
        .call(messageOperations.getMessage, { message_id: id }, options)
        .catch(unlessNone)
      return reply && readMessage(reply.message, { me: parts.me(), toText: messageText })
    },
    /** Takes events that were just applied. */
    noteEvents(events: readonly ChatEvent[]) {
      for (const flight of flights) flight.events.push(...events)
    },
    /** After a gap in the events: pages in flight are fetched again. */
    outdate() {
      for (const flight of flights) flight.isOutdated = true
    },
  }
}

function unlessNone(error: unknown): null {
  if (error instanceof RequestFailed && error.failure.kind === 'refused') return null
  throw error
}

/** Uses the content in which the service marked the search hits, if there is any. */
function withMarks(item: unknown): unknown {
  return isFields(item) && typeof item['match_content'] === 'string'
    ? { ...item, content: item['match_content'] }
    : item
}

/** A message's destination, as parameters of the API. */
export function placeParams(conversation: Conversation) {
  return conversation.kind === 'topic'
    ? { type: 'stream' as const, to: conversation.channelId, topic: conversation.topic }
    : { type: 'private' as const, to: [...conversation.userIds] }
}

/** The parameters of "Send a message". */
export function sendParams(message: OutboxMessage, queueId: string | null) {
  const { conversation, text, localId } = message
  const place = placeParams(conversation)
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

/**
 * The user's own messages in a conversation (null: in all); for a topic in its channel, as topics get
 * renamed.
 */
export function ownNarrowOf(conversation: Conversation | null, me: number): Narrow {
  const sender = { operator: 'sender', operand: me }
  if (conversation === null) return [sender]
  return conversation.kind === 'topic'
    ? [{ operator: 'channel', operand: conversation.channelId }, sender]
    : [...narrowOf(conversation), sender]
}

/** Whether it failed because the reaction is already as requested. */
export function isDoneAlready(error: unknown): boolean {
  return (
    error instanceof RequestFailed &&
    error.failure.kind === 'refused' &&
    (error.failure.code === 'REACTION_ALREADY_EXISTS' ||
      error.failure.code === 'REACTION_DOES_NOT_EXIST')
  )
}
