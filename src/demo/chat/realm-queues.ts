import type { DemoMessage } from './demo-message.ts'
import { Refusal } from './realm-http.ts'

/** An event without its id, which the queue assigns. */
type DemoEvent = Readonly<Record<string, unknown>> & { readonly type: string }

interface QueueWishes {
  /** Null: every type. */
  readonly types: ReadonlySet<string> | null
  readonly applyMarkdown: boolean
  /** Null: every message. */
  readonly narrow: ((message: DemoMessage) => boolean) | null
  /** Includes channels that the user is not subscribed to. */
  readonly allPublic: boolean
  readonly capabilities: Readonly<Record<string, unknown>>
}

export interface DemoQueue extends QueueWishes {
  readonly id: string
}

/** Calls `run` after `ms`; returns a function that cancels it. */
export type SetTimer = (run: () => void, ms: number) => () => void

interface Waiter {
  readonly end: (events: readonly NumberedEvent[]) => void
  readonly refuse: (refusal: Refusal) => void
}

type NumberedEvent = DemoEvent & { readonly id: number }

interface StoredQueue extends DemoQueue {
  events: { event: NumberedEvent; delivered: boolean }[]
  nextId: number
  newestPruned: number
  /** Epoch ms of the last poll that waited, or of the registration: idle time counts from here. */
  connectedAt: number
  waiter: Waiter | null
}

/** Queues expire ten minutes after the last waiting poll, unless one waits (real server, 10.0). */
const idleMs = 600_000

interface PollInput {
  readonly id: string
  readonly lastEventId: number
  readonly dontBlock: boolean
  readonly signal: AbortSignal
}

interface QueuesParts {
  readonly now: () => number
  readonly random: () => number
  readonly setTimer: SetTimer
  readonly name: string
}

export class Queues {
  readonly #parts: QueuesParts
  readonly #queues = new Map<string, StoredQueue>()
  #registered = 0

  constructor(parts: QueuesParts) {
    this.#parts = parts
  }

  register(wishes: QueueWishes): DemoQueue {
    this.#registered += 1
    const queue: StoredQueue = {
      ...wishes,
      id: `${this.#parts.name}:${this.#registered}`,
      events: [],
      nextId: 0,
      newestPruned: -1,
      connectedAt: this.#parts.now(),
      waiter: null,
    }
    this.#queues.set(queue.id, queue)
    return queue
  }

  /** A second poll on the same queue ends the first. */
  poll({ id, lastEventId, dontBlock, signal }: PollInput) {
    const queue = this.#find(id)
    prune(queue, lastEventId)
    queue.waiter?.end(deliver(queue))
    if (queue.events.length > 0 || dontBlock) return Promise.resolve(deliver(queue))
    queue.connectedAt = this.#parts.now()
    return this.#wait(queue, signal)
  }

  /** Adds the event that `build` returns to each queue registered for its type. */
  push(build: (queue: DemoQueue) => DemoEvent | null): void {
    for (const queue of this.#queues.values()) {
      const event = build(queue)
      if (event && (queue.types?.has(event.type) ?? true)) append(queue, event)
    }
  }

  /** Adds the same event to each queue registered for its type. */
  send(event: DemoEvent) {
    return this.push(() => event)
  }

  sweep(): void {
    for (const queue of this.#queues.values()) {
      const idle = queue.waiter === null && this.#parts.now() - queue.connectedAt > idleMs
      if (idle) this.#queues.delete(queue.id)
    }
  }

  remove(id: string) {
    const queue = this.#find(id)
    this.#queues.delete(id)
    queue.waiter?.end([])
  }

  /** Drops all queues, as after a crash; waiting polls fail at once. */
  drop() {
    for (const queue of this.#queues.values()) queue.waiter?.refuse(badQueue(queue.id))
    this.#queues.clear()
  }

  count() {
    return this.#queues.size
  }

  waiting() {
    return [...this.#queues.values()].filter((queue) => queue.waiter !== null).length
  }

  #find(id: string): StoredQueue {
    this.sweep()
    const queue = this.#queues.get(id)
    if (!queue) throw badQueue(id)
    return queue
  }

  #wait(queue: StoredQueue, signal: AbortSignal): Promise<readonly NumberedEvent[]> {
    return new Promise((resolve, reject) => {
      // Real servers spread heartbeats over 45 to 55 s, and send them only while a poll waits.
      const stopTimer = this.#parts.setTimer(
        () => append(queue, { type: 'heartbeat' }),
        45_000 + Math.floor(this.#parts.random() * 10_000),
      )
      const leave = () => {
        stopTimer()
        signal.removeEventListener('abort', onAbort)
        if (queue.waiter === waiter) queue.waiter = null
      }
      const onAbort = () => {
        leave()
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      }
      const leaving =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          leave()
          settle(value)
        }
      const waiter: Waiter = { end: leaving(resolve), refuse: leaving(reject) }
      queue.waiter = waiter
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
    })
  }
}

function badQueue(id: string): Refusal {
  return new Refusal(`Bad event queue ID: ${id}`, {
    code: 'BAD_EVENT_QUEUE_ID',
    extra: { queue_id: id },
  })
}

/** Drops events up to `lastEventId`, which must be the id of an event that was in the queue. */
function prune(queue: StoredQueue, lastEventId: number): void {
  if (lastEventId < queue.newestPruned)
    throw new Refusal(`An event newer than ${lastEventId} has already been pruned!`)
  const pruned = queue.events.filter(({ event }) => event.id <= lastEventId)
  queue.newestPruned = pruned.at(-1)?.event.id ?? queue.newestPruned
  queue.events = queue.events.slice(pruned.length)
  if (queue.newestPruned !== lastEventId)
    throw new Refusal(`Event ${lastEventId} was not in this queue`)
}

function deliver(queue: StoredQueue): readonly NumberedEvent[] {
  for (const queued of queue.events) queued.delivered = true
  return queue.events.map(({ event }) => event)
}

function append(queue: StoredQueue, event: DemoEvent): void {
  const merged = takeMergeable(queue, event)
  const id = queue.nextId
  queue.nextId += 1
  queue.events.push({ event: { ...merged, id }, delivered: false })
  queue.waiter?.end(deliver(queue))
}

/**
 * Pending changes of a flag are merged under the newest id, whatever came between, as on the real
 * server (10.0): so ids have gaps, and a flag that was set and cleared may seem cleared and set.
 */
function takeMergeable(queue: StoredQueue, event: DemoEvent): DemoEvent {
  if (!isMergeable(event)) return event
  const at = queue.events.findIndex(
    (queued) =>
      !queued.delivered &&
      isMergeable(queued.event) &&
      queued.event['op'] === event['op'] &&
      queued.event['flag'] === event['flag'],
  )
  const [older] = at === -1 ? [] : queue.events.splice(at, 1)
  if (older === undefined) return event
  return { ...event, messages: [...listIn(older.event, 'messages'), ...listIn(event, 'messages')] }
}

/** Marking as unread has details that can't be merged, so it keeps its order. */
function isMergeable({ type, all, op, flag }: DemoEvent): boolean {
  return type === 'update_message_flags' && all !== true && !(op === 'remove' && flag === 'read')
}

function listIn(event: DemoEvent, name: string): readonly unknown[] {
  const value = event[name]
  return Array.isArray(value) ? value : []
}
