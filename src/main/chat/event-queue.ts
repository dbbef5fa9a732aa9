import {
  type ChatEvent,
  isFlagInDoubt,
  type RealmSnapshot,
} from '../../shared/core/chat/chat-event.ts'
import { type Failure, malformed, RequestFailed } from '../../shared/core/failure.ts'
import type { Clock } from '../base/ports.ts'
import { networkCapMs, retryDelayMs } from '../http/retry-delay.ts'
import { createWaker, isAborted, type Waker, wait, waitAfter } from '../http/wait.ts'
import { newEvents, readYielding, sortedMessages } from './event-batch.ts'

export type Registration = RealmSnapshot & {
  readonly queueId: string
  readonly lastEventId: number
}

export interface EventQueueOptions {
  readonly register: (signal: AbortSignal) => Promise<Registration>
  /** Returns wire events; `timeoutMs` covers the whole reply. */
  readonly getEvents: (
    poll: { queueId: string; lastEventId: number; dontBlock: boolean; timeoutMs: number },
    signal: AbortSignal,
  ) => Promise<readonly unknown[]>
  readonly deleteQueue: (queueId: string, signal: AbortSignal) => Promise<void>
  readonly eventId: (wire: unknown) => number | null
  readonly readEvent: (wire: unknown) => readonly ChatEvent[]
  /** The new state of the realm: replaces what is known. */
  readonly onSnapshot: (snapshot: RealmSnapshot, queueId: string) => void
  /** Fetches what arrived while there was no queue. Later events wait in the new one meanwhile. */
  readonly catchUp: (snapshot: RealmSnapshot, signal: AbortSignal) => Promise<void>
  /** Applies a batch. If it throws, the queue is dropped and everything is read again. */
  readonly onEvents: (events: readonly ChatEvent[]) => void | Promise<void>
  /** The id of the server's newest message; null if it can't be told now. */
  readonly newestId: (signal: AbortSignal) => Promise<number | null>
  /** Up to which id messages have been applied or caught up with. */
  readonly notifiedUpTo: () => number
  /** After each good answer without events to apply, such as a heartbeat. */
  readonly onAlive: () => void
  readonly onFailure: (failure: Failure) => void
  /** Anything but a failed request, such as an event that can't be applied. Rebuilds the state. */
  readonly onBug: (error: unknown) => void
  readonly clock: Clock
  /** After sleep or a change of network: restarts the open poll, whose connection may be dead. */
  readonly waker: Waker
  readonly signal: AbortSignal
}

const farewellMs = 1_000
/** For a poll that the server answers at once, when nothing has failed before. */
const promptTimeoutMs = 30_000
/** A queue that lived this long proves that registering works. */
const provenAfterMs = 60_000
/** Spread over a while: after a restart with another version, all clients register again. */
const renewal = { firstMs: 5_000, spreadMs: 55_000 }
/** Without a queue nothing is read: one that is not replaced by then is a failure, too. */
const lossGraceMs = 5_000
/** A queue that brings no message for this long is compared with the server's newest message. */
const compareAfterMs = 5 * 60_000
/** How long after its message an event may come. */
const eventDelayMs = 60_000
/** An empty reply that comes faster than this is not from a long poll. */
const instantMs = 1_000

/**
 * Keeps a realm's event queue: registers, catches up, and polls forever.
 *
 *   register ──► catch up ──► poll ◄──┐ events applied, each answer before the next
 *      ▲            │           │─────┘
 *      │            │           ├── woken, timed out, network, 5xx, 429 ──► back off, poll at once
 *      └────────────┴───────────┴── queue lost or behind, unreadable answer, events not applicable
 *                                   or in doubt
 *
 * Registering comes before fetching, so that no message is missed between the two; one that comes
 * both ways is recognised by its id.
 */
export class EventQueue {
  readonly #options: EventQueueOptions
  readonly #waits = createWaker()
  /** Resolves when the loop has been aborted and its queue deleted, at most a second later. */
  readonly done: Promise<void>
  /** Null: not registered, or lost. */
  #queue: Queue | null = null
  /** Ends the request in flight; the next one has another. */
  #abort = new AbortController()
  /** Aborts with `#abort` or with the whole loop. */
  #signal: AbortSignal
  #wasWoken = false
  /** While events are applied: the next poll acknowledges them even if that fails. */
  #isApplying = false
  /** The next poll is to be answered at once, events or not. */
  #dontBlock = false
  /** A poll is open, which the server answers once it has news. */
  #isWaiting = false
  /** Failed requests in a row. */
  #failures = 0
  /** Monotonic ms of the first of them. */
  #failingSince = 0
  /** Queues in a row that were lost before they proved themselves. */
  #losses = 0
  /** Monotonic ms of the first of them. */
  #losingSince = 0
  /** Polls in a row that were answered at once without events. */
  #emptyAnswers = 0
  /** The newest message for which a queue was replaced, as it had not brought it. */
  #missedUpTo = 0

  constructor(options: EventQueueOptions) {
    this.#options = options
    this.#signal = AbortSignal.any([options.signal, this.#abort.signal])
    const stopListening = options.waker.onWake(() => this.pollNow())
    this.done = this.#run().finally(stopListening)
  }

  /** Ends a back-off, or restarts the open poll as one that is answered at once. */
  pollNow(): void {
    this.#wasWoken = true
    // Failures before a wake say nothing about the network after it.
    this.#failures = 0
    this.#abort.abort()
    this.#waits.wake()
  }

  /** An event is overdue: restarts a poll that waits for news, whose connection may be dead. */
  pollOverdue(): void {
    if (this.#isWaiting) this.pollNow()
  }

  async #run(): Promise<void> {
    const { signal } = this.#options
    while (!signal.aborted) {
      this.#prepare()
      try {
        if (this.#queue === null) await this.#register()
        else if (!this.#queue.caughtUp) await this.#catchUp(this.#queue)
        else if (this.#isRenewalDue(this.#queue)) await this.#drop()
        else await this.#poll(this.#queue)
      } catch (error) {
        if (isAborted(signal)) break
        // A wake aborts requests, whose errors don't count; an error while applying events does.
        if (this.#isApplying || !this.#wasWoken) await this.#recover(error)
      }
      if (this.#wasWoken) this.#dontBlock = true
    }
    // The loop's own signal has aborted, so this request uses another.
    await this.#drop()
  }

  async #register(): Promise<void> {
    const { register, onSnapshot, clock } = this.#options
    const { queueId, lastEventId, ...snapshot } = await register(this.#signal)
    const since = clock.monotonic()
    const compareAt = since + compareAfterMs
    const rest = { caughtUp: false, renewAt: null, compareAt, owed: null }
    this.#queue = { id: queueId, snapshot, since, lastEventId, ...rest }
    onSnapshot(snapshot, queueId)
  }

  async #catchUp(queue: Queue): Promise<void> {
    await this.#options.catchUp(queue.snapshot, this.#signal)
    queue.caughtUp = true
    this.#options.onAlive()
    this.#succeeded()
  }

  async #poll(queue: Queue): Promise<void> {
    const { onAlive, onEvents, clock } = this.#options
    const wasBlocking = !this.#dontBlock
    const startedAt = clock.monotonic()
    const wire = await this.#fetchEvents(queue)
    if (wire === null) return
    queue.lastEventId = wire.at(-1)?.id ?? queue.lastEventId
    this.#succeeded()
    this.#isApplying = true
    const events = sortedMessages(await readYielding(wire, this.#options))
    // A message that can't even be asked for is among those that were missed.
    if (events.some((event) => event.type === 'unreadable' && event.id === null))
      throw malformed('shape', 'message.id')
    if (events.length === 0) onAlive()
    else await onEvents(events)
    this.#isApplying = false
    if (clock.monotonic() - queue.since >= provenAfterMs) this.#losses = 0
    planRenewal(queue, events, clock)
    if (isFlagInDoubt(events) || this.#isBehind(queue, events)) return this.#drop()
    const isInstant = wasBlocking && clock.monotonic() - startedAt < instantMs
    this.#emptyAnswers = isInstant && wire.length === 0 ? this.#emptyAnswers + 1 : 0
    // Another poller on this queue, or a proxy that cuts long answers short: never spin.
    if (this.#emptyAnswers > 0)
      await wait(Math.min(500 * 2 ** this.#emptyAnswers, 10_000), this.#signal, this.#waits)
  }

  /** The events after the last one; null: they are to be asked for again, at once. */
  async #fetchEvents({ id: queueId, lastEventId, snapshot }: Queue) {
    const { clock, eventId, getEvents } = this.#options
    const dontBlock = this.#dontBlock
    const longestMs = snapshot.longpollTimeoutMs + pollSlackMs
    // Longer after each failure: a large backlog takes its time on a slow line.
    const promptMs = promptTimeoutMs * (1 + this.#failures)
    const timeoutMs = dontBlock ? Math.min(promptMs, longestMs) : longestMs
    const startedAt = clock.monotonic()
    this.#isWaiting = !dontBlock
    const poll = { queueId, lastEventId, dontBlock, timeoutMs }
    const wire = await getEvents(poll, this.#signal).finally(() => {
      this.#isWaiting = false
    })
    if (clock.monotonic() - startedAt > timeoutMs) {
      // It was sent before a sleep, so it is outdated, and its events come again.
      this.#dontBlock = true
      return null
    }
    const fresh = newEvents(wire, lastEventId, eventId)
    // Events without ids can't be acknowledged and would come back forever. Those that were
    // acknowledged don't come back: their ids began anew.
    if (wire.length > 0 && fresh.length === 0) throw malformed('shape', 'events.0.id')
    return fresh
  }

  /** Before each request. After a wake, or when a queue was dropped, the last signal has aborted. */
  #prepare(): void {
    if (this.#abort.signal.aborted) {
      this.#abort = new AbortController()
      this.#signal = AbortSignal.any([this.#options.signal, this.#abort.signal])
    }
    this.#wasWoken = false
    this.#isApplying = false
  }

  #isRenewalDue({ renewAt }: Queue): boolean {
    return renewAt !== null && this.#options.clock.monotonic() >= renewAt
  }

  /** Whether the queue, though alive, has not brought a message that the server has had for a while. */
  #isBehind(queue: Queue, events: readonly ChatEvent[]): boolean {
    const { clock, newestId, notifiedUpTo, signal, onBug } = this.#options
    const now = clock.monotonic()
    const isAll = notifiedUpTo() >= (queue.owed ?? 0)
    if (isAll && (queue.owed !== null || events.some(({ type }) => type === 'message'))) {
      queue.owed = null
      queue.compareAt = now + compareAfterMs
    }
    if (now < queue.compareAt) return false
    if (!isAll) {
      // Otherwise a message that no registration brings either would have it replaced forever.
      this.#missedUpTo = queue.owed ?? 0
      return true
    }
    queue.compareAt = now + eventDelayMs
    // Not awaited: the next poll must not wait for it.
    newestId(signal).then(
      (newest) => {
        if ((newest ?? 0) > Math.max(notifiedUpTo(), this.#missedUpTo)) queue.owed = newest
        else queue.compareAt = now + compareAfterMs
      },
      (error: unknown) => {
        if (!isAborted(signal)) onBug(error)
      },
    )
    return false
  }

  #succeeded(): void {
    this.#failures = 0
    this.#dontBlock = false
  }

  /** Waits as long as the failure requires, and drops the queue only if it is lost. */
  async #recover(error: unknown): Promise<void> {
    const { clock, signal, onBug, onFailure } = this.#options
    const failure = error instanceof RequestFailed ? error.failure : null
    // A half-applied state is worse than none: after an error while applying events, all is rebuilt.
    if (failure === null) onBug(error)
    else if (this.#isSilence(failure)) {
      this.#failures = 1
      this.#failingSince = clock.monotonic()
      this.#dontBlock = true
      return
    }
    const isLost = this.#queue !== null && (failure === null || losesQueue(failure))
    // Losing the queue once is normal after sleep; losing it repeatedly is a failure like any other.
    if (failure !== null && isQueueGone(failure) && this.#losses === 0)
      this.#reportUnlessReplaced(failure).catch(onBug)
    else if (failure !== null) onFailure(failure)
    if (isLost) {
      await this.#drop(failure !== null && isQueueGone(failure))
      if (this.#losses === 0) this.#losingSince = clock.monotonic()
      this.#losses += 1
    }
    this.#dontBlock = true
    const delay = isLost ? this.#delayAfterLoss() : this.#delayAfter(failure)
    await waitAfter(failure, delay, { signal, waker: this.#waits, clock })
  }

  async #reportUnlessReplaced(failure: Failure): Promise<void> {
    const { signal, onFailure } = this.#options
    if ((await wait(lossGraceMs, signal)) === 'aborted' || this.#queue?.caughtUp === true) return
    // Another failure was reported by itself.
    if (this.#failures === 0 && this.#losses === 1) onFailure(failure)
  }

  /** One long poll that timed out is no failure; two polls in a row mean a dead connection. */
  #isSilence(failure: Failure): boolean {
    return (
      failure.kind === 'network' &&
      failure.reason === 'timeout' &&
      failure.reached === 'maybe' &&
      this.#queue?.caughtUp === true &&
      !this.#dontBlock &&
      this.#failures === 0
    )
  }

  /** After the first loss it registers at once: that is normal after ten minutes of sleep. */
  #delayAfterLoss(): number {
    if (this.#losses <= 1) return 0
    const { clock } = this.#options
    const cap = networkCapMs(clock.monotonic() - this.#losingSince)
    return Math.min(cap, 1_000 * 2 ** (this.#losses - 2)) * (0.5 + 0.5 * clock.random())
  }

  #delayAfter(failure: Failure | null): number {
    const { clock } = this.#options
    if (this.#failures === 0) this.#failingSince = clock.monotonic()
    this.#failures += 1
    const cap = networkCapMs(clock.monotonic() - this.#failingSince)
    return retryDelayMs(failure, this.#failures, clock.random(), cap)
  }

  async #drop(isGone = false): Promise<void> {
    const queue = this.#queue
    this.#queue = null
    this.#abort.abort()
    if (queue === null || isGone) return
    const brief = new AbortController()
    const timer = setTimeout(() => brief.abort(), farewellMs)
    // Only a courtesy to the server, which forgets an idle queue after ten minutes.
    await this.#options.deleteQueue(queue.id, brief.signal).catch(() => {})
    clearTimeout(timer)
  }
}

function planRenewal(queue: Queue, events: readonly ChatEvent[], clock: Clock): void {
  const isOtherVersion = events.some(
    (event) =>
      event.type === 'restarted' &&
      event.featureLevel !== null &&
      event.featureLevel !== queue.snapshot.server.featureLevel,
  )
  if (isOtherVersion) {
    queue.renewAt ??= clock.monotonic() + renewal.firstMs + renewal.spreadMs * clock.random()
  }
}

/** The server dropped the queue, as it does ten minutes after the last poll: normal after sleep. */
function isQueueGone(failure: Failure): boolean {
  return failure.kind === 'refused' && failure.code === 'BAD_EVENT_QUEUE_ID'
}

/** These come from the network or another program, not from the server that has the queue. */
const inTheWay = 'html noSuchPath redirect login unauthorized'.split(' ')

/**
 * Whether the queue has to be dropped. Any refusal of a poll ("already been pruned", "was not in
 * this queue") is final, and a reply that can't be read would come again. A login page or redirect
 * in the way does not affect the queue.
 */
function losesQueue(failure: Failure): boolean {
  switch (failure.kind) {
    case 'refused':
    case 'invalid':
    case 'readOnlyKey':
      return true
    case 'malformed':
      return !inTheWay.includes(failure.what)
    case 'network':
      return failure.reason === 'tooLarge'
    case 'serverFault':
    case 'rateLimited':
    case 'badKey':
      return false
  }
}

/** The server answers a poll with a heartbeat after about 50 s; this allows for a slow network. */
const pollSlackMs = 10_000

/** An event queue that the server keeps for us. */
interface Queue {
  readonly id: string
  readonly snapshot: RealmSnapshot
  readonly since: number
  /** All events up to this one are applied, or being applied. */
  lastEventId: number
  caughtUp: boolean
  /** Monotonic ms: when to register again; null: not planned. */
  renewAt: number | null
  /** Monotonic ms: when to look whether it has brought every message. */
  compareAt: number
  /** The newest message, which it had not brought at the last look; null: it had. */
  owed: number | null
}
