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
  readonly heardUpTo: () => number
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
/** A queue that brings no message for this long is held against the server's newest message. */
const compareAfterMs = 5 * 60_000
/** How long after its message an event may come. */
const eventDelayMs = 60_000
/** An empty reply that comes faster than this is not from a long poll. */
const instantMs = 1_000

interface Loop {
  readonly options: EventQueueOptions
  readonly waits: Waker
  queue: Queue | null
  /** Ends the request in flight; the next one has another. */
  abort: AbortController
  /** Aborts with `abort` or with the whole loop. */
  signal: AbortSignal
  wasWoken: boolean
  /** While events are applied: the next poll acknowledges them even if that fails. */
  isApplying: boolean
  dontBlock: boolean
  /** A poll is open, which the server answers once it has news. */
  isWaiting: boolean
  /** In a row. */
  failures: number
  failingSince: number
  /** Queues in a row that were lost before they proved themselves. */
  losses: number
  /** Monotonic ms of the first of them. */
  losingSince: number
  /** Polls in a row that were answered at once without events. */
  emptyAnswers: number
  /** The newest message for which a queue was replaced, as it had not brought it. */
  missedUpTo: number
}

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
export function followEvents(options: EventQueueOptions) {
  const loop: Loop = {
    options,
    waits: createWaker(),
    queue: null,
    ...abortable(options.signal),
    wasWoken: false,
    isApplying: false,
    dontBlock: false,
    isWaiting: false,
    failures: 0,
    failingSince: 0,
    losses: 0,
    losingSince: 0,
    emptyAnswers: 0,
    missedUpTo: 0,
  }
  /** Ends a back-off, or restarts the open poll as one that is answered at once. */
  const pollNow = () => {
    loop.wasWoken = true
    // Failures before a wake say nothing about the network after it.
    loop.failures = 0
    loop.abort.abort()
    loop.waits.wake()
  }
  const stopListening = options.waker.onWake(pollNow)
  const done = run(loop).finally(stopListening)
  return {
    pollNow,
    /** An event is overdue: restarts a poll that waits for news, whose connection may be dead. */
    pollOverdue: () => {
      if (loop.isWaiting) pollNow()
    },
    /** Resolves when the loop has been aborted and its queue deleted, at most a second later. */
    done,
  }
}

async function run(loop: Loop): Promise<void> {
  const { signal } = loop.options
  while (!signal.aborted) {
    // After a wake, or when a queue was dropped.
    if (loop.abort.signal.aborted) Object.assign(loop, abortable(signal))
    loop.wasWoken = false
    loop.isApplying = false
    try {
      await step(loop, loop.signal)
    } catch (error) {
      if (isAborted(signal)) break
      // A wake aborts requests, whose errors don't count; an error while applying events does.
      if (isApplying(loop) || !isWoken(loop)) await recover(loop, error)
    }
    if (isWoken(loop)) loop.dontBlock = true
  }
  // The loop's own signal has aborted, so this request uses another.
  await dropQueue(loop)
}

function abortable(signal: AbortSignal): Pick<Loop, 'abort' | 'signal'> {
  const abort = new AbortController()
  return { abort, signal: AbortSignal.any([signal, abort.signal]) }
}

/** Functions, because the compiler assumes that the fields still hold what the loop last wrote. */
function isWoken(loop: Loop): boolean {
  return loop.wasWoken
}

function isApplying(loop: Loop): boolean {
  return loop.isApplying
}

/** Makes the next request (register, catch up, or poll) and handles its reply. */
async function step(loop: Loop, signal: AbortSignal): Promise<void> {
  const { options, queue } = loop
  if (queue === null) {
    const { queueId, lastEventId, ...snapshot } = await options.register(signal)
    loop.queue = {
      id: queueId,
      snapshot,
      since: options.clock.monotonic(),
      lastEventId,
      caughtUp: false,
      renewAt: null,
      compareAt: options.clock.monotonic() + compareAfterMs,
      owed: null,
    }
    options.onSnapshot(snapshot, queueId)
    return
  }
  if (!queue.caughtUp) {
    await options.catchUp(queue.snapshot, signal)
    queue.caughtUp = true
    options.onAlive()
    succeeded(loop)
    return
  }
  if (queue.renewAt !== null && options.clock.monotonic() >= queue.renewAt) {
    await dropQueue(loop)
    return
  }
  await poll(loop, queue, signal)
}

async function poll(loop: Loop, queue: Queue, signal: AbortSignal): Promise<void> {
  const { options, dontBlock } = loop
  const { clock } = options
  const { id: queueId, lastEventId, snapshot } = queue
  const longestMs = snapshot.longpollTimeoutMs + pollSlackMs
  // Longer after each failure: a large backlog takes its time on a slow line.
  const promptMs = promptTimeoutMs * (1 + loop.failures)
  const timeoutMs = dontBlock ? Math.min(promptMs, longestMs) : longestMs
  const startedAt = clock.monotonic()
  loop.isWaiting = !dontBlock
  const wire = await options
    .getEvents({ queueId, lastEventId, dontBlock, timeoutMs }, signal)
    .finally(() => {
      loop.isWaiting = false
    })
  if (clock.monotonic() - startedAt > timeoutMs) {
    // From before a sleep: it says nothing about now, and its events come again.
    loop.dontBlock = true
    return
  }
  if (wire.length > 0 && wire.every((event) => options.eventId(event) === null)) {
    // Events without ids can't be acknowledged and would come back forever.
    throw malformed('shape', 'events.0.id')
  }
  const fresh = newEvents(wire, lastEventId, options.eventId)
  // Events that were acknowledged don't come back: their ids began anew.
  if (wire.length > 0 && fresh.length === 0) throw malformed('shape', 'events.0.id')
  queue.lastEventId = fresh.at(-1)?.id ?? lastEventId
  succeeded(loop)
  loop.isApplying = true
  const events = sortedMessages(await readYielding(fresh, options))
  if (events.length === 0) options.onAlive()
  else await options.onEvents(events)
  loop.isApplying = false
  if (clock.monotonic() - queue.since >= provenAfterMs) loop.losses = 0
  if (isFlagInDoubt(events)) return dropQueue(loop)
  planRenewal(queue, events, clock)
  if (isBehind(loop, queue, events)) return dropQueue(loop)
  const isEmpty = fresh.length === 0 && !dontBlock && clock.monotonic() - startedAt < instantMs
  loop.emptyAnswers = isEmpty ? loop.emptyAnswers + 1 : 0
  if (isEmpty) {
    // Another poller on this queue, or a proxy that cuts long answers short: never spin.
    await wait(Math.min(500 * 2 ** loop.emptyAnswers, 10_000), signal, loop.waits)
  }
}

/** Whether the queue, though alive, has not brought a message that the server has had for a while. */
function isBehind(loop: Loop, queue: Queue, events: readonly ChatEvent[]): boolean {
  const { clock, newestId, heardUpTo, signal, onBug } = loop.options
  const now = clock.monotonic()
  const isAll = heardUpTo() >= (queue.owed ?? 0)
  if (isAll && (queue.owed !== null || events.some(({ type }) => type === 'message'))) {
    queue.owed = null
    queue.compareAt = now + compareAfterMs
  }
  if (now < queue.compareAt) return false
  if (!isAll) {
    // Otherwise a message that no registration brings either would have it replaced forever.
    loop.missedUpTo = queue.owed ?? 0
    return true
  }
  queue.compareAt = now + eventDelayMs
  // Not awaited: the next poll must not wait for it.
  newestId(signal).then(
    (newest) => {
      if ((newest ?? 0) > Math.max(heardUpTo(), loop.missedUpTo)) queue.owed = newest
      else queue.compareAt = now + compareAfterMs
    },
    (error: unknown) => {
      if (!isAborted(signal)) onBug(error)
    },
  )
  return false
}

function succeeded(loop: Loop): void {
  loop.failures = 0
  loop.dontBlock = false
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

/** Waits as long as the failure requires, and drops the queue only if it is lost. */
async function recover(loop: Loop, error: unknown): Promise<void> {
  const { options, waits } = loop
  const { clock, signal } = options
  const failure = error instanceof RequestFailed ? error.failure : null
  // A half-applied state is worse than none: after an error while applying events, all is rebuilt.
  if (failure === null) options.onBug(error)
  else if (isSilence(loop, failure)) {
    loop.failures = 1
    loop.failingSince = clock.monotonic()
    loop.dontBlock = true
    return
  }
  const isLost = loop.queue !== null && (failure === null || losesQueue(failure))
  // Losing the queue once is normal after sleep; losing it repeatedly is a failure like any other.
  if (failure !== null && isQueueGone(failure) && loop.losses === 0)
    reportUnlessReplaced(loop, failure).catch(options.onBug)
  else if (failure !== null) options.onFailure(failure)
  if (isLost) {
    await dropQueue(loop, failure !== null && isQueueGone(failure))
    if (loop.losses === 0) loop.losingSince = clock.monotonic()
    loop.losses += 1
  }
  loop.dontBlock = true
  const delay = isLost ? delayAfterLoss(loop, clock) : delayAfter(loop, failure, clock)
  await waitAfter(failure, delay, { signal, waker: waits, clock })
}

async function reportUnlessReplaced(loop: Loop, failure: Failure): Promise<void> {
  const { signal, onFailure } = loop.options
  if ((await wait(lossGraceMs, signal)) === 'aborted' || loop.queue?.caughtUp === true) return
  // Another failure was reported by itself.
  if (loop.failures === 0 && loop.losses === 1) onFailure(failure)
}

/** One long poll that timed out is no failure; two polls in a row mean a dead connection. */
function isSilence(loop: Loop, failure: Failure): boolean {
  return (
    failure.kind === 'network' &&
    failure.reason === 'timeout' &&
    failure.reached === 'maybe' &&
    loop.queue?.caughtUp === true &&
    !loop.dontBlock &&
    loop.failures === 0
  )
}

/** After the first loss it registers at once: that is normal after ten minutes of sleep. */
function delayAfterLoss(loop: Loop, clock: Clock): number {
  if (loop.losses <= 1) return 0
  const cap = networkCapMs(clock.monotonic() - loop.losingSince)
  return Math.min(cap, 1_000 * 2 ** (loop.losses - 2)) * (0.5 + 0.5 * clock.random())
}

function delayAfter(loop: Loop, failure: Failure | null, clock: Clock): number {
  if (loop.failures === 0) loop.failingSince = clock.monotonic()
  loop.failures += 1
  const cap = networkCapMs(clock.monotonic() - loop.failingSince)
  return retryDelayMs(failure, loop.failures, clock.random(), cap)
}

async function dropQueue(loop: Loop, isGone = false): Promise<void> {
  const { queue } = loop
  loop.queue = null
  loop.abort.abort()
  if (queue === null || isGone) return
  const brief = new AbortController()
  const timer = setTimeout(() => brief.abort(), farewellMs)
  // Only a courtesy to the server, which forgets an idle queue after ten minutes.
  await loop.options.deleteQueue(queue.id, brief.signal).catch(() => {})
  clearTimeout(timer)
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
