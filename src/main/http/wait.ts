import type { Failure } from '../../shared/core/failure.ts'
import type { Clock } from '../base/ports.ts'

export type Waker = ReturnType<typeof createWaker>

/** Ends waits and long polls early: after sleep, a network change, or a refresh by the user. */
export function createWaker() {
  const listeners = new Set<() => void>()
  return {
    wake() {
      // A copy: a woken loop starts its next wait at once, which this wake must not end.
      for (const listener of [...listeners]) listener()
    },
    /** Calls `listener` at each wake, until the returned function is called. */
    onWake(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/**
 * Whether a signal has aborted by now. A function, because after one check of `aborted` the
 * compiler assumes that it stays unchanged, even across an await.
 */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

/** Node fires a longer timer immediately. No wait of ours is meant to be that long. */
export const longestTimerMs = 2 ** 31 - 1

/**
 * Waits `ms`, or until a wake or an abort, and returns which it was. Never rejects: a loop ends by
 * checking its signal and not through an exception. Uses `setTimeout` and not
 * `node:timers/promises`, which test clocks do not control.
 */
export function wait(
  ms: number,
  signal: AbortSignal,
  waker?: Waker,
): Promise<'over' | 'woken' | 'aborted'> {
  if (signal.aborted) return Promise.resolve('aborted')
  return new Promise((resolve) => {
    const end = (how: 'over' | 'woken' | 'aborted') => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      stopWaking?.()
      resolve(how)
    }
    const onAbort = () => end('aborted')
    const timer = setTimeout(() => end('over'), Math.min(Math.max(0, ms), longestTimerMs))
    signal.addEventListener('abort', onAbort)
    const stopWaking = waker?.onWake(() => end('woken'))
  })
}

/** Runs `work` with a signal that aborts with `signal` or after `ms`. */
export async function withinTime<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ms)
  return work(AbortSignal.any([signal, late.signal])).finally(() => clearTimeout(timer))
}

/**
 * Waits `ms` after an attempt that ended with `failure` (null: with none, or a bug). A wake ends
 * the wait; after a 429 only if the time is up by a clock that, unlike timers, continues through
 * sleep.
 */
export async function waitAfter(
  failure: Failure | null,
  ms: number,
  { signal, waker, clock }: { signal: AbortSignal; waker: Waker; clock: Pick<Clock, 'monotonic'> },
): Promise<'over' | 'woken'> {
  const until = clock.monotonic() + ms
  // Skips a wait of 0 ms: even such a timer takes a millisecond.
  for (let left = ms; left > 0; left = until - clock.monotonic()) {
    const how = await wait(left, signal, waker)
    if (how !== 'woken') return 'over'
    if (failure?.kind !== 'rateLimited') return 'woken'
  }
  return 'over'
}

/** Wakes each at a random moment of its own share of `spanMs`; a single one at once. */
export async function wakeStaggered(
  wakers: readonly Waker[],
  spanMs: number,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  const share = wakers.length === 1 ? 0 : spanMs / wakers.length
  const turns = wakers.map(async (waker, at) => {
    const turn = await wait(Math.floor((at + random()) * share), signal)
    if (turn === 'over') waker.wake()
  })
  await Promise.all(turns)
}

/** How long work may run before it yields: far below the 200 ms for which nothing may block. */
const turnMs = 10
/** What follows may begin in the same turn if less than this of it was used. */
const quickMs = 2

export type Yielding = ReturnType<typeof createYielding>

/** Splits long work into turns, so that other work can run in between. */
export function createYielding(signal: AbortSignal) {
  let began = performance.now()
  const hasRun = (ms: number): boolean => performance.now() - began >= ms
  const next = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    began = performance.now()
    signal.throwIfAborted()
  }
  return {
    /** Whether this turn is over; to be checked before each piece of work. */
    isOver: () => hasRun(turnMs),
    /** Resolves in the next turn; rejects when aborted. */
    next,
    /** To be awaited after the last piece: what follows may be long too. Rejects when aborted. */
    async end() {
      if (hasRun(quickMs)) await next()
      signal.throwIfAborted()
    },
  }
}

/** Runs a generator's steps, yielding to other work in between and to what follows. */
export async function runYielding<T>(steps: Generator<undefined, T>): Promise<T> {
  const yielding = createYielding(new AbortController().signal)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) {
      await yielding.end()
      return value
    }
    if (yielding.isOver()) await yielding.next()
  }
}
