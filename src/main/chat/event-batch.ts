import type { ChatEvent } from '../../shared/core/chat/chat-event.ts'
import { createTurns } from '../http/turns.ts'
import type { EventQueueOptions } from './event-queue.ts'

/**
 * The events of an answer that were not handled yet, ascending, each once. Those of unknown type and
 * heartbeats are among them, since their ids have to be acknowledged too. Ids may have gaps.
 */
export function newEvents(
  wire: readonly unknown[],
  lastEventId: number,
  eventId: (wire: unknown) => number | null,
): readonly { readonly id: number; readonly event: unknown }[] {
  const byId = new Map<number, unknown>()
  for (const event of wire) {
    const id = eventId(event)
    if (id !== null && id > lastEventId && !byId.has(id)) byId.set(id, event)
  }
  return [...byId].map(([id, event]) => ({ id, event })).sort((one, other) => one.id - other.id)
}

/** One event may hold half a megabyte, and an answer a hundred of them. Ends early only by the signal. */
export async function readInTurns(
  fresh: ReturnType<typeof newEvents>,
  { readEvent, signal }: Pick<EventQueueOptions, 'readEvent' | 'signal'>,
): Promise<readonly ChatEvent[]> {
  const turns = createTurns(signal)
  const events: ChatEvent[] = []
  for (const { event } of fresh) {
    if (turns.isOver()) await turns.next()
    events.push(...readEvent(event))
  }
  return events
}

/**
 * Messages that follow each other, by message id: servers send them in the order of commits, which
 * is not always the order of ids. Only within such a run, since a message must not pass the event
 * that subscribed to its channel, nor stay behind the one that marked it as read.
 */
export function sortedMessages(events: readonly ChatEvent[]): readonly ChatEvent[] {
  const sorted: ChatEvent[] = []
  let run: Extract<ChatEvent, { type: 'message' }>[] = []
  const endRun = () => {
    sorted.push(...run.sort((one, other) => one.message.id - other.message.id))
    run = []
  }
  for (const event of events) {
    if (event.type === 'message') run.push(event)
    else {
      endRun()
      sorted.push(event)
    }
  }
  endRun()
  return sorted
}
