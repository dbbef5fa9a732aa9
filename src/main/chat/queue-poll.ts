import type { EventQueueOptions, Registration } from './event-queue.ts'

/** The server answers a poll with a heartbeat after some 50 s; this is for an answer on its way. */
const pollSlackMs = 10_000
/**
 * From so many events in an answer on the next one is asked for before they are applied, so that it
 * comes meanwhile. Fewer are applied sooner than a request is on its way.
 */
const manyEvents = 10

/** A request for events on its way. */
interface Poll {
  /** Monotonic ms. */
  readonly startedAt: number
  readonly dontBlock: boolean
  readonly answer: Promise<readonly unknown[]>
}

/** An event queue that the server keeps for us. */
export interface Queue {
  readonly id: string
  readonly snapshot: Registration
  readonly since: number
  /** All up to this are applied, or being applied. */
  lastEventId: number
  /** Asked for while the last answer was still to be applied; never more than this one. */
  ahead: Poll | null
  caughtUp: boolean
  /** Monotonic ms: when to register anew at leisure; null: not planned. */
  renewAt: number | null
}

/** What a poll is made by. */
interface Asking {
  readonly options: Pick<EventQueueOptions, 'getEvents' | 'clock'>
  readonly dontBlock: boolean
  readonly signal: AbortSignal
}

/** The poll that is on its way already, else one that begins now. */
export function nextPoll(asking: Asking, queue: Queue): Poll {
  const poll = queue.ahead ?? ask(asking, queue)
  queue.ahead = null
  return poll
}

function ask({ options, dontBlock, signal }: Asking, queue: Queue): Poll {
  const { id: queueId, lastEventId, snapshot } = queue
  const timeoutMs = snapshot.longpollTimeoutMs + pollSlackMs
  const answer = options.getEvents({ queueId, lastEventId, dontBlock, timeoutMs }, signal)
  return { startedAt: options.clock.monotonic(), dontBlock, answer }
}

/**
 * Begins the next poll while the events of this answer are still to be applied, where they are many.
 * The server drops these then, and nobody would ask for them again: what throws while they are
 * applied, and a crash too, lead to a new queue, a new snapshot, and all messages not told of.
 */
export async function askAhead(asking: Asking, queue: Queue, unapplied: number): Promise<void> {
  if (unapplied < manyEvents) return
  queue.ahead = ask(asking, queue)
  // Whether it failed, the next step looks.
  queue.ahead.answer.catch(() => undefined)
  // It leaves in the course of this turn.
  await new Promise((resolve) => setImmediate(resolve))
}
