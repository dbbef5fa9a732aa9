import type { Check } from '../../shared/core/checks/check.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import type { Clock } from '../base/ports.ts'
import { networkCapMs, retryDelayMs } from '../http/retry-delay.ts'
import { createWaker, isAborted, type Waker, waitAfter } from '../http/wait.ts'
import type { SinceFinder } from './down-details.ts'

/** One complete answer to "list checks". */
export interface ListedChecks {
  readonly checks: readonly Check[]
  readonly unreadable: number
}

export interface CheckPollerOptions {
  readonly list: (signal: AbortSignal) => Promise<ListedChecks>
  /** Whether all is as in the last list, which then need not be read; asked only when a poll is due. */
  readonly isUnchanged?: (signal: AbortSignal) => Promise<boolean>
  /** Called with the time of the answer that said so, epoch ms. */
  readonly onUnchanged?: (answeredAt: number) => void
  /**
   * Called when a list has been taken in, which came at `answeredAt` (monotonic ms). What it throws
   * has to be waited out like a failure to read the list.
   */
  readonly onTaken?: (
    listed: ListedChecks,
    answeredAt: number,
    signal: AbortSignal,
  ) => Promise<void>
  readonly finder: SinceFinder
  /**
   * Called after each reply, which came at `answeredAt` (epoch ms). Checks that are down have
   * `since` if a flip or the reply shows it. The very first reply is passed twice if flips add
   * something: there is no news in it that should wait for them. `isOutdated`: something has been
   * changed on the server since, so the reply is not to be believed.
   */
  readonly onChecks: (
    listed: ListedChecks,
    answeredAt: number,
    isOutdated: () => boolean,
  ) => void | Promise<void>
  readonly onFailure: (failure: Failure) => void
  /** Epoch ms of the next poll; null while one is in flight. */
  readonly onNext: (nextAt: number | null) => void
  /** Ms between polls while all goes well; read after each. */
  readonly interval: () => number
  /** Whether other projects are polled, too. */
  readonly hasOthers?: () => boolean
  readonly clock: Clock
  /** After sleep or a network change: a poll in flight is aborted for a new one. */
  readonly waker: Waker
  readonly signal: AbortSignal
}

/** Polls a project's checks: at once, then each interval less up to a tenth. Never two at once. */
export class CheckPoller {
  readonly #options: CheckPollerOptions
  readonly #waits = createWaker()
  /** What code outside the loop changes while a poll is in flight. */
  readonly #flight = {
    abort: null as AbortController | null,
    isAskedAgain: false,
    isOutdated: false,
    /** Only the counts are asked for. */
    isCounting: false,
    /** A wake resets the back-off: failures before it say nothing about the network after it. */
    wasWoken: false,
  }
  #isFirst = true
  /** The last wait was not cut short, as by a wake, which all projects share. */
  #isOnTime = false
  #failures = 0
  #failingSince = 0
  /** Monotonic ms of the last good answer. */
  #answeredAt = 0
  /** Resolves when the signal has ended the loop. Rejects on a bug. */
  readonly done: Promise<void>

  constructor(options: CheckPollerOptions) {
    this.#options = options
    const stopListening = options.waker.onWake(() => {
      this.#flight.abort?.abort()
      this.#flight.isAskedAgain = true
      this.#flight.wasWoken = true
      this.#waits.wake()
    })
    this.done = this.#loop().finally(stopListening)
  }

  /** Polls at once, or again after the list in flight. Still waits out a 429. */
  pollNow() {
    this.#flight.isAskedAgain = true
    if (this.#flight.isCounting) this.#flight.abort?.abort()
    this.#waits.wake()
  }

  /** After a change on the server: aborts the poll in flight, which may be older, and polls. */
  restart() {
    this.#flight.isOutdated = true
    this.#flight.abort?.abort()
    this.#waits.wake()
  }

  async #tried<T>(
    work: (signal: AbortSignal) => Promise<T>,
    flightSignal: AbortSignal,
  ): Promise<T | Failure | 'aborted'> {
    try {
      const done = await work(flightSignal)
      return flightSignal.aborted ? 'aborted' : done
    } catch (error) {
      if (flightSignal.aborted) return 'aborted'
      if (error instanceof RequestFailed) return error.failure
      throw error
    }
  }

  async #counting<T>(
    work: (signal: AbortSignal) => Promise<T>,
    flightSignal: AbortSignal,
  ): Promise<T | Failure | 'aborted'> {
    this.#flight.isCounting = true
    const done = await this.#tried(work, flightSignal)
    this.#flight.isCounting = false
    return done
  }

  /** `mayAsk`: a poll is due, and nothing happened that asks for the list. */
  async #poll(flightSignal: AbortSignal, mayAsk: boolean): Promise<'read' | 'aborted' | Failure> {
    const { clock, isUnchanged, onFailure, onUnchanged } = this.#options
    const isSpared =
      mayAsk && isUnchanged !== undefined && (await this.#counting(isUnchanged, flightSignal))
    if (isSpared === true) {
      this.#answeredAt = clock.monotonic()
      onUnchanged?.(clock.now())
      return 'read'
    }
    const list = isSpared || (await this.#tried(this.#options.list, flightSignal))
    if (list === 'aborted') return list
    if (!('kind' in list)) return this.#take(list, flightSignal)
    onFailure(list)
    return list
  }

  async #take(
    list: ListedChecks,
    flightSignal: AbortSignal,
  ): Promise<'read' | 'aborted' | Failure> {
    const { clock, finder, onFailure, onTaken, signal } = this.#options
    const at = clock.now()
    this.#answeredAt = clock.monotonic()
    const isOutdated = (): boolean => this.#flight.isOutdated
    const take = (): void | Promise<void> =>
      this.#options.onChecks({ ...list, checks: finder.known(list.checks) }, at, isOutdated)
    if (this.#isFirst) await take()
    const found = await finder.find(list.checks, flightSignal)
    if (isOutdated()) return 'aborted'
    // A wake aborts the search for flips but keeps the checks that were read; the end drops both.
    if ((!this.#isFirst || found > 0) && !signal.aborted) {
      await take()
      if (isOutdated()) return 'aborted'
    }
    this.#isFirst = false
    if (onTaken !== undefined && !flightSignal.aborted && !this.#flight.isAskedAgain) {
      const counting = (given: AbortSignal) => onTaken(list, this.#answeredAt, given)
      const failure = await this.#counting(counting, flightSignal)
      if (typeof failure === 'object') {
        onFailure(failure)
        return failure
      }
    }
    return isOutdated() ? 'aborted' : 'read'
  }

  /** How long to wait after a poll, by the number and duration of failures in a row. */
  #pauseAfter(outcome: 'read' | Failure): number {
    const { interval, hasOthers, clock } = this.#options
    const { wasWoken } = this.#flight
    this.#flight.wasWoken = false
    if (outcome === 'read') {
      this.#failures = 0
      // Counted from the reply, as flips may have been read since. The jitter only shortens it; after
      // a read of all projects at once, as at the start, it spreads them over the interval.
      const least = this.#isOnTime || hasOthers?.() !== true ? 0.9 : 0.5
      const shareMs = interval() * (least + (1 - least) * clock.random())
      const passedMs = clock.monotonic() - this.#answeredAt
      return Math.round(Math.max(interval() / 2, shareMs - passedMs))
    }
    if (this.#failures === 0 || wasWoken) {
      this.#failures = 0
      this.#failingSince = clock.monotonic()
    }
    this.#failures += 1
    const capMs = networkCapMs(clock.monotonic() - this.#failingSince)
    return retryDelayMs(outcome, this.#failures, clock.random(), capMs)
  }

  async #loop(): Promise<void> {
    const { signal, clock } = this.#options
    let mayAsk = false
    while (!signal.aborted) {
      const abort = new AbortController()
      Object.assign(this.#flight, { abort, isAskedAgain: false, isOutdated: false })
      this.#options.onNext(null)
      const outcome = await this.#poll(AbortSignal.any([signal, abort.signal]), mayAsk)
      mayAsk = false
      this.#flight.abort = null
      if (isAborted(signal)) return
      if (outcome === 'aborted') continue
      const delay = this.#pauseAfter(outcome)
      if (outcome === 'read' && this.#flight.isAskedAgain) continue
      this.#options.onNext(clock.now() + delay)
      const failure = outcome === 'read' ? null : outcome
      const how = await waitAfter(failure, delay, { signal, waker: this.#waits, clock })
      this.#isOnTime = how === 'over'
      mayAsk = failure === null && this.#isOnTime
    }
  }
}
