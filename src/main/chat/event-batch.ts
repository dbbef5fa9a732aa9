import type { ChatEvent } from '../../shared/core/chat/chat-event.ts'
import { createYielding } from '../http/wait.ts'

/** New events, ascending, each once; also unknown ones, as their ids have to be acknowledged. */
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

/** In turns: an event may have half a megabyte, and a reply a hundred of them. Rejects on abort. */
export async function readYielding(
  fresh: ReturnType<typeof newEvents>,
  {
    readEvent,
    signal,
  }: {
    readonly readEvent: (wire: unknown) => readonly ChatEvent[]
    readonly signal: AbortSignal
  },
): Promise<readonly ChatEvent[]> {
  const yielding = createYielding(signal)
  const events: ChatEvent[] = []
  for (const { event } of fresh) {
    if (yielding.isOver()) await yielding.next()
    events.push(...readEvent(event))
  }
  // Applying them takes as long again.
  await yielding.end()
  return events
}

/**
 * Sorts consecutive messages by id: servers send them in commit order, which is not always the
 * order of ids. Only within such a run, because a message must not move before the event that
 * subscribed to its channel, nor after the one that marked it as read.
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
