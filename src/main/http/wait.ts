import type { Failure } from '../../shared/core/failure.ts'
import type { Clock } from '../ports.ts'

/** Ends waits and long polls at once: after sleep, when the network changed, or when the user refreshes. */
export interface Waker {
  wake(): void
  /** Calls `listener` at each wake until the returned function is called. */
  onWake(listener: () => void): () => void
}

export function createWaker(): Waker {
  const listeners = new Set<() => void>()
  return {
    wake() {
      // A copy: a woken loop starts its next wait at once, which a wake of before must not end.
      for (const listener of [...listeners]) listener()
    },
    onWake(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/**
 * Whether a signal has aborted by now. Through a function, since after one look at `aborted` the
 * compiler takes it for unchanged, whatever was awaited in between.
 */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

/** Node fires a timer beyond 2^31 - 1 ms at once; no wait of ours is meant to be that long. */
export const longestTimerMs = 2 ** 31 - 1

/**
 * Waits `ms`, or until a wake or an abort, and returns which it was. Never rejects, so that a loop
 * ends by looking at its signal and not through an exception. On `setTimeout` and not
 * `node:timers/promises`, which test clocks do not reach.
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

/** Aborts with its signal, and after `ms`; both only until the work is over. */
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
 * Waits after an attempt and what it failed with (null: nothing, or a bug). A wake ends that, but where
 * the server asked for the wait only if it is over by a clock that continues through sleep: timers don't.
 */
export async function waitAfter(
  failure: Failure | null,
  ms: number,
  { signal, waker, clock }: { signal: AbortSignal; waker: Waker; clock: Pick<Clock, 'monotonic'> },
): Promise<void> {
  const until = clock.monotonic() + ms
  // Even a timer of 0 ms costs a millisecond.
  for (let left = ms; left > 0; left = until - clock.monotonic()) {
    const how = await wait(left, signal, waker)
    if (how !== 'woken' || failure?.kind !== 'rateLimited') return
  }
}

/** Wakes one after the other within `spanMs`, each at a random moment of its share; a single one at once. */
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

/** Ms of work before others get a turn: short against the 200 ms that nothing may stall for. */
const turnMs = 10

/** Cuts long work into turns, so that other work is done in between. */
export interface Yielding {
  /** Resolves at once while there is time left in this turn, else in the next one; rejects when aborted. */
  next(): Promise<void>
  /** Whether it is time for the next one; asked for each piece of work. */
  isOver(): boolean
}

export function createYielding(signal: AbortSignal): Yielding {
  let until = performance.now() + turnMs
  const isOver = (): boolean => performance.now() >= until
  return {
    isOver,
    async next() {
      if (isOver()) {
        await new Promise((resolve) => setImmediate(resolve))
        until = performance.now() + turnMs
      }
      signal.throwIfAborted()
    },
  }
}

/** Runs steps one after the other, with turns for other work between them. */
export async function runYielding<T>(steps: Generator<undefined, T>): Promise<T> {
  const yielding = createYielding(new AbortController().signal)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (yielding.isOver()) await yielding.next()
  }
}
