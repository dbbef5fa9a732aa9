import type { Check } from '../../shared/core/checks/check.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import { networkCapMs, retryDelayMs } from '../http/retry-delay.ts'
import { createWaker, isAborted, type Waker, wait } from '../http/wait.ts'
import type { Clock } from '../ports.ts'
import { createSinceFinder, type FlipsOf } from './down-since.ts'

/** One complete answer to "list checks". */
export interface ListedChecks {
  readonly checks: readonly Check[]
  readonly unreadable: number
}

export interface CheckPollerOptions {
  readonly list: (signal: AbortSignal) => Promise<ListedChecks>
  readonly flips: FlipsOf
  /**
   * After each answer, which came at `answeredAt` (epoch ms). Checks that are down come with `since` where a flip or the answer told it.
   * The very first answer comes twice if flips told more: there is no news in it to wait with.
   * `isOutdated`: while it was taken in something was changed on the server, and it is not believed.
   */
  readonly onChecks: (
    listed: ListedChecks,
    answeredAt: number,
    isOutdated: () => boolean,
  ) => void | Promise<void>
  readonly onFailure: (failure: Failure) => void
  /** Epoch ms of the next poll; null while one is in flight and when the loop ended. */
  readonly onNext: (nextAt: number | null) => void
  /** Ms between two polls while all goes well, asked after each. */
  readonly interval: () => number
  readonly clock: Clock
  /** Sleep is over or the network changed: a poll in flight is given up for a new one. */
  readonly waker: Waker
  readonly signal: AbortSignal
}

export interface CheckPoller {
  /** Polls at once, or once more after the poll in flight. Waits out a 429 like everyone. */
  pollNow(): void
  /** Something was changed on the server: an answer under way is from before, and is not believed. */
  restart(): void
  /** Resolves when the loop ended by its signal. Rejects on a bug. */
  readonly done: Promise<void>
}

/** Reads a project's checks again and again: at once, then by interval, up to a tenth sooner by chance. Never two polls in flight. */
export function pollChecks(options: CheckPollerOptions): CheckPoller {
  const waits = createWaker()
  const flight: Flight = {
    abort: null,
    askedAgain: false,
    isOutdated: false,
    wasWoken: false,
    answeredAt: 0,
  }
  const stopListening = options.waker.onWake(() => {
    flight.abort?.abort()
    flight.askedAgain = true
    flight.wasWoken = true
    waits.wake()
  })
  const loop = runLoop(options, flight, waits).finally(stopListening)
  return {
    pollNow() {
      flight.askedAgain = true
      waits.wake()
    },
    restart() {
      flight.isOutdated = true
      flight.abort?.abort()
      waits.wake()
    },
    done: loop,
  }
}

/** What the poll in flight can be told from outside the loop. */
interface Flight {
  abort: AbortController | null
  askedAgain: boolean
  isOutdated: boolean
  /** A wake begins the back-off anew: what failed before it says nothing of the network after it. */
  wasWoken: boolean
  /** Monotonic ms of the last good answer. */
  answeredAt: number
}

async function runLoop(options: CheckPollerOptions, flight: Flight, waits: Waker): Promise<void> {
  const { signal, clock } = options
  const poll = createPoll(options)
  const pauseAfter = createPause(options, flight)
  while (!signal.aborted) {
    flight.askedAgain = false
    flight.isOutdated = false
    flight.abort = new AbortController()
    options.onNext(null)
    const outcome = await poll(AbortSignal.any([signal, flight.abort.signal]), flight)
    flight.abort = null
    if (isAborted(signal)) return
    if (outcome === 'aborted') continue
    const delay = pauseAfter(outcome, takeWoken(flight))
    if (outcome === 'read' && isAsked(flight)) continue
    options.onNext(clock.now() + delay)
    const patient = outcome !== 'read' && outcome.kind === 'rateLimited'
    await wait(delay, signal, patient ? undefined : waits)
  }
}

function takeWoken(flight: Flight): boolean {
  const { wasWoken } = flight
  flight.wasWoken = false
  return wasWoken
}

/** How long to wait after each poll. Counts the failures in a row, and for how long. */
function createPause(
  { interval, clock }: CheckPollerOptions,
  flight: Flight,
): (outcome: 'read' | Failure, wasWoken: boolean) => number {
  let failures = 0
  let failingSince = 0
  return (outcome, wasWoken) => {
    if (outcome === 'read') {
      failures = 0
      // From the answer on, whatever was asked after it, and never later than promised.
      const shareMs = interval() * (0.9 + 0.1 * clock.random())
      const passedMs = clock.monotonic() - flight.answeredAt
      return Math.round(Math.max(interval() / 2, shareMs - passedMs))
    }
    if (failures === 0 || wasWoken) {
      failures = 0
      failingSince = clock.monotonic()
    }
    failures += 1
    const capMs = networkCapMs(clock.monotonic() - failingSince)
    return retryDelayMs(outcome, failures, clock.random(), capMs)
  }
}

/** Through a function, since the compiler takes the field for what the loop itself last wrote there. */
function isAsked(flight: Flight): boolean {
  return flight.askedAgain
}

type Outcome = 'read' | 'aborted' | Failure

function createPoll(
  options: CheckPollerOptions,
): (signal: AbortSignal, flight: Flight) => Promise<Outcome> {
  const finder = createSinceFinder(options.flips)
  let first = true

  const list = async (signal: AbortSignal): Promise<ListedChecks | Failure | 'aborted'> => {
    try {
      return await options.list(signal)
    } catch (error) {
      if (signal.aborted) return 'aborted'
      if (error instanceof RequestFailed) return error.failure
      throw error
    }
  }
  return async (signal, flight) => {
    const listed = await list(signal)
    if (signal.aborted) return 'aborted'
    if (listed === 'aborted') return listed
    if ('kind' in listed) {
      options.onFailure(listed)
      return listed
    }
    const answeredAt = options.clock.now()
    flight.answeredAt = options.clock.monotonic()
    const isOutdated = () => flight.isOutdated
    const take = async (): Promise<'taken' | 'outdated'> => {
      const known = { ...listed, checks: finder.known(listed.checks) }
      await options.onChecks(known, answeredAt, isOutdated)
      return isOutdated() ? 'outdated' : 'taken'
    }
    if (first) await take()
    const found = await finder.find(listed.checks, signal)
    if (isOutdated()) return 'aborted'
    // A wake gives up the search for flips, not the checks that were read; the end gives up both.
    if ((!first || found > 0) && !options.signal.aborted && (await take()) === 'outdated')
      return 'aborted'
    first = false
    return 'read'
  }
}
