import type { ChatEvent, RealmSnapshot } from '../../shared/core/chat/chat-event.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import { networkCapMs, retryDelayMs } from '../http/retry-delay.ts'
import { throwLater } from '../http/throw-later.ts'
import { createWaker, isAborted, type Waker, wait } from '../http/wait.ts'
import type { Clock } from '../ports.ts'
import { newEvents, readInTurns, sortedMessages } from './event-batch.ts'
import { isQueueGone, losesQueue } from './queue-loss.ts'
import { askAhead, nextPoll, type Queue } from './queue-poll.ts'

export type Registration = RealmSnapshot & {
  readonly queueId: string
  readonly lastEventId: number
}

export interface EventQueueOptions {
  readonly register: (signal: AbortSignal) => Promise<Registration>
  /** Wire events; `timeoutMs` covers the whole answer. */
  readonly getEvents: (
    poll: { queueId: string; lastEventId: number; dontBlock: boolean; timeoutMs: number },
    signal: AbortSignal,
  ) => Promise<readonly unknown[]>
  readonly deleteQueue: (queueId: string, signal: AbortSignal) => Promise<void>
  readonly eventId: (wire: unknown) => number | null
  readonly readEvent: (wire: unknown) => readonly ChatEvent[]
  /** The new state of the realm: replaces what is known. */
  readonly onSnapshot: (snapshot: RealmSnapshot, queueId: string) => void
  /** Fetches what came while nobody listened. What comes meanwhile waits in the queue. */
  readonly catchUp: (snapshot: RealmSnapshot, signal: AbortSignal) => Promise<void>
  /** Applies a batch. Where it throws, the queue is given up and all is read anew. */
  readonly onEvents: (events: readonly ChatEvent[]) => void | Promise<void>
  /** After each good answer that brought no events to apply, a heartbeat's as well. */
  readonly onAlive: () => void
  readonly onFailure: (failure: Failure) => void
  /** Something thrown that is no failure: applying an event went wrong. The state is built anew. */
  readonly onBug?: (error: unknown) => void
  readonly clock: Clock
  /** Sleep is over or the network changed: the open poll, perhaps on a dead connection, is begun anew. */
  readonly waker: Waker
  readonly signal: AbortSignal
}

export interface EventFollower {
  /** Ends a back-off, or begins the open poll anew with an answer at once. */
  pollNow(): void
  /** Resolves when the loop was aborted and its queue deleted, a second later at most. */
  readonly done: Promise<void>
}

const farewellMs = 1_000
/** A queue that lived so long proves that registering is not what goes wrong. */
const provenAfterMs = 60_000
/** After a restart with another version all clients want to register anew. */
const renewal = { firstMs: 5_000, spreadMs: 55_000 }
/** An answer faster than this with nothing in it is no long poll. */
const instantMs = 1_000

interface Loop {
  readonly options: EventQueueOptions
  readonly waits: Waker
  queue: Queue | null
  /** Ends what is in flight; what comes then has another. */
  abort: AbortController
  /** The one of `abort` or of the loop itself. */
  signal: AbortSignal
  wasWoken: boolean
  /** The server dropped these events, or does so at the next poll. */
  isApplying: boolean
  dontBlock: boolean
  /** In a row. */
  failures: number
  failingSince: number
  /** Queues in a row that were lost before they proved themselves. */
  losses: number
  /** Monotonic ms of the first of them. */
  losingSince: number
  /** Polls in a row that answered at once and said nothing. */
  emptyAnswers: number
}

/**
 * Keeps a realm's event queue: registers, catches up, and polls for ever.
 *
 *   register ──► catch up ──► poll ◄──┐ events applied, each answer before the next
 *      ▲            │           │─────┘
 *      │            │           ├── woken, timed out, network, 5xx, 429 ──► back off, poll at once
 *      └────────────┴───────────┴── queue lost, unreadable answer, events not applicable
 *
 * Registering comes before fetching, so that no message falls between the two; one that is seen
 * both ways is known by its id.
 */
export function followEvents(options: EventQueueOptions): EventFollower {
  const loop: Loop = {
    options,
    waits: createWaker(),
    queue: null,
    ...abortable(options.signal),
    wasWoken: false,
    isApplying: false,
    dontBlock: false,
    failures: 0,
    failingSince: 0,
    losses: 0,
    losingSince: 0,
    emptyAnswers: 0,
  }
  const pollNow = () => {
    loop.wasWoken = true
    // What failed before a wake says nothing of the network after it.
    loop.failures = 0
    loop.abort.abort()
    loop.waits.wake()
  }
  const stopListening = options.waker.onWake(pollNow)
  const done = run(loop).finally(stopListening)
  return { pollNow, done }
}

async function run(loop: Loop): Promise<void> {
  const { signal } = loop.options
  while (!signal.aborted) {
    if (loop.abort.signal.aborted) beginAnew(loop)
    loop.wasWoken = false
    loop.isApplying = false
    try {
      await step(loop, loop.signal)
    } catch (error) {
      if (isAborted(signal)) break
      // A request that a wake ended says nothing, what threw while events were applied does.
      if (isApplying(loop) || !isWoken(loop)) await recover(loop, error)
    }
    if (isWoken(loop)) loop.dontBlock = true
  }
  // The loop's own signal has aborted; saying goodbye has another.
  await dropQueue(loop)
}

/** After a wake, or when a queue was given up. */
function beginAnew(loop: Loop): void {
  Object.assign(loop, abortable(loop.options.signal))
  if (loop.queue !== null) loop.queue.ahead = null
}

function abortable(signal: AbortSignal): Pick<Loop, 'abort' | 'signal'> {
  const abort = new AbortController()
  return { abort, signal: AbortSignal.any([signal, abort.signal]) }
}

/** Through functions, since the compiler takes the fields for what the loop itself last wrote there. */
function isWoken(loop: Loop): boolean {
  return loop.wasWoken
}

function isApplying(loop: Loop): boolean {
  return loop.isApplying
}

/** One request and what follows from it: whatever is the next thing to do. */
async function step(loop: Loop, signal: AbortSignal): Promise<void> {
  const { options, queue } = loop
  if (queue === null) {
    const snapshot = await options.register(signal)
    loop.queue = {
      id: snapshot.queueId,
      snapshot,
      since: options.clock.monotonic(),
      lastEventId: snapshot.lastEventId,
      ahead: null,
      caughtUp: false,
      renewAt: null,
    }
    options.onSnapshot(snapshot, snapshot.queueId)
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
  const { options } = loop
  const { clock } = options
  const { startedAt, dontBlock, answer } = nextPoll(loop, queue)
  const wire = await answer
  if (wire.length > 0 && wire.every((event) => options.eventId(event) === null)) {
    // What has no id can't be acknowledged and would come again for ever.
    throw new RequestFailed({ kind: 'malformed', what: 'shape', where: 'events.0.id' })
  }
  const fresh = newEvents(wire, queue.lastEventId, options.eventId)
  queue.lastEventId = fresh.at(-1)?.id ?? queue.lastEventId
  succeeded(loop)
  await askAhead(loop, queue, fresh.length)
  loop.isApplying = true
  const events = sortedMessages(await readInTurns(fresh, options))
  if (events.length === 0) options.onAlive()
  else await options.onEvents(events)
  loop.isApplying = false
  if (clock.monotonic() - queue.since >= provenAfterMs) loop.losses = 0
  planRenewal(queue, events, clock)
  const isEmpty = fresh.length === 0 && !dontBlock && clock.monotonic() - startedAt < instantMs
  loop.emptyAnswers = isEmpty ? loop.emptyAnswers + 1 : 0
  if (isEmpty) {
    // Another poller on this queue, or a proxy that cuts long answers short: never spin.
    await wait(Math.min(500 * 2 ** loop.emptyAnswers, 10_000), signal, loop.waits)
  }
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
      event.featureLevel !== queue.snapshot.featureLevel,
  )
  if (isOtherVersion) {
    queue.renewAt ??= clock.monotonic() + renewal.firstMs + renewal.spreadMs * clock.random()
  }
}

/** Waits as the failure asks. A lost queue is given up, everything else keeps it. */
async function recover(loop: Loop, error: unknown): Promise<void> {
  const { options, waits } = loop
  const { clock, signal } = options
  const failure = error instanceof RequestFailed ? error.failure : null
  // Half a state is worse than none: what threw while applying events is thrown away as a whole.
  if (failure === null) (options.onBug ?? throwLater)(error)
  else if (isSilence(loop, failure)) {
    loop.failures = 1
    loop.failingSince = clock.monotonic()
    loop.dontBlock = true
    return
  }
  const isLost = loop.queue !== null && (failure === null || losesQueue(failure))
  if (failure !== null && !isQueueGone(failure)) options.onFailure(failure)
  if (isLost) {
    await dropQueue(loop, failure !== null && isQueueGone(failure))
    if (loop.losses === 0) loop.losingSince = clock.monotonic()
    loop.losses += 1
  }
  loop.dontBlock = true
  const delay = isLost ? delayAfterLoss(loop, clock) : delayAfter(loop, failure, clock)
  // Even a timer of 0 ms is a turn of the loop and a millisecond.
  if (delay > 0) await wait(delay, signal, failure?.kind === 'rateLimited' ? undefined : waits)
}

/** A long poll that ran into its deadline: once is no failure, twice in a row is a dead connection. */
function isSilence(loop: Loop, failure: Failure): boolean {
  return (
    failure.kind === 'network' &&
    failure.reason === 'timeout' &&
    failure.reached === 'maybe' &&
    loop.queue?.caughtUp === true &&
    loop.failures === 0
  )
}

/** The first loss is healed at once: after ten minutes of sleep it is the normal case. */
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
