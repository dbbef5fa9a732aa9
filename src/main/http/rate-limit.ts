/**
 * `act`: changes something, or has waited too long. `interactive`: someone is waiting for the reply.
 * `background`: fetched unasked. `glance`: of what is only selected in a list, which may never delay
 * what is watched. `poll`: long-polls an event queue.
 */
export type Priority = 'act' | 'interactive' | 'background' | 'glance' | 'poll'

/** The rate limit that all calls with one key share. */
export interface Budget {
  /** Resolves when a request may be sent. Rejects with the signal's reason if it aborts first. */
  take(priority: Priority, signal?: AbortSignal): Promise<void>
  /** Ms until the next request of this priority, or so many, may be sent, if no other is waiting. */
  waitMs(priority: Priority, count?: number): number
  /** How many requests may be sent now, polls excluded. */
  left(): number
}

export interface BudgetOptions {
  /** Default: 60 of the 100 a minute that the Monitoring API allows: others may use the key. */
  readonly limit?: number | (() => number)
  readonly windowMs?: number
  /** Monotonic ms: setting the wall clock back a day must not stop all requests for a day. */
  readonly monotonic?: () => number
  /** Monotonic ms before which nothing may be sent. */
  readonly notBefore?: () => number
  readonly shares?: Shares
}

/**
 * The part of all requests of a minute from which on those of a priority wait, and the part that they may
 * be themselves; 1 unless given.
 */
type Shares = Partial<Record<Priority, { readonly all?: number; readonly own?: number }>>

interface Waiter extends PromiseWithResolvers<void> {
  readonly priority: Priority
}

/** Decides when requests may be sent. */
interface Throttle {
  /** When so many of this priority may be sent, in monotonic ms. */
  freeAt(priority: Priority, count?: number): number
  spend(now: number, priority: Priority): void
}

/**
 * Background calls leave a quarter free so that a click need not wait, and reads leave a tenth for changes. At
 * most half are glances: however many checks are gone through, those that are watched are read in time.
 */
const usualShares: Shares = {
  interactive: { all: 0.9 },
  background: { all: 0.75 },
  glance: { all: 0.9, own: 0.5 },
}

/** Polls have their own limit, at most 30 a minute, so that nothing else can delay them. */
const polls = { atOnce: 7, aWindow: 23 }

export function createBudget(options: BudgetOptions = {}): Budget {
  const { limit = 60, windowMs = 60_000, monotonic = () => performance.now() } = options
  const { notBefore = () => 0, shares = usualShares } = options
  const window = slidingWindow(typeof limit === 'number' ? () => limit : limit, windowMs, shares)
  const freeAt: Throttle['freeAt'] = (...asked) => Math.max(notBefore(), window.freeAt(...asked))
  const others = createQueue({ ...window, freeAt }, monotonic)
  const polling = createQueue(pollThrottle(windowMs / polls.aWindow), monotonic)
  return {
    take: (priority, signal) => (priority === 'poll' ? polling : others).take(priority, signal),
    waitMs: (priority, count) => (priority === 'poll' ? polling : others).waitMs(priority, count),
    left: () => window.left(monotonic()),
  }
}

/**
 * Remembers when each of the last requests was let through. A token bucket would let twice its rate
 * through in the worst minute; this never lets more than `limit` through in any window.
 */
function slidingWindow(
  limit: () => number,
  windowMs: number,
  shares: Shares,
): Throttle & { left(now: number): number } {
  let granted: { readonly at: number; readonly priority: Priority }[] = []
  /** The window is closed at both ends, hence +1. */
  const free = (before: typeof granted, share: number, count: number): number => {
    const inTheWay = before[before.length + count - 1 - Math.ceil(limit() * share)]
    return inTheWay === undefined ? 0 : inTheWay.at + windowMs + 1
  }
  const recent = (now: number) => granted.filter(({ at }) => now - at <= windowMs)
  return {
    freeAt(priority, count = 1) {
      const { all = 1, own = 1 } = shares[priority] ?? {}
      const alike = granted.filter((one) => one.priority === priority)
      return Math.max(free(granted, all, count), free(alike, own, count))
    },
    spend(now, priority) {
      granted = [...recent(now), { at: now, priority }]
    },
    left: (now) => Math.max(0, limit() - recent(now).length),
  }
}

/**
 * Allows a few polls at once, then one every `gapMs`: a busy chat fills its queue meanwhile, and
 * one poll fetches many events. A sliding window would allow many, then none for most of a minute.
 */
function pollThrottle(gapMs: number): Throttle {
  let paidUntil = Number.NEGATIVE_INFINITY
  return {
    freeAt: () => paidUntil - (polls.atOnce - 1) * gapMs,
    spend(now) {
      paidUntil = Math.max(paidUntil, now) + gapMs
    },
  }
}

function createQueue(throttle: Throttle, monotonic: () => number): Omit<Budget, 'left'> {
  let waiting: Waiter[] = []
  let timer: ReturnType<typeof setTimeout> | null = null

  /**
   * Those whose turn it is, the first before the others. The newest interactive request, or glance, is for
   * the page on screen; those of pages left can wait.
   */
  const next = (): readonly Waiter[] =>
    [
      waiting.find(({ priority }) => priority === 'act'),
      waiting.findLast(({ priority }) => priority === 'interactive'),
      waiting.find(({ priority }) => priority === 'background' || priority === 'poll'),
      waiting.findLast(({ priority }) => priority === 'glance'),
    ].filter((waiter) => waiter !== undefined)

  const drop = (waiter: Waiter) => {
    waiting = waiting.filter((other) => other !== waiter)
  }
  const grantAll = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const now = monotonic()
    for (let waiters = next(); waiters.length > 0; waiters = next()) {
      const waiter = waiters.find(({ priority }) => throttle.freeAt(priority) <= now)
      if (waiter === undefined) {
        const at = Math.min(...waiters.map(({ priority }) => throttle.freeAt(priority)))
        timer = setTimeout(grantAll, Math.ceil(at - now))
        return
      }
      throttle.spend(now, waiter.priority)
      drop(waiter)
      waiter.resolve()
    }
  }

  return {
    waitMs: (priority, count) =>
      Math.max(0, Math.ceil(throttle.freeAt(priority, count) - monotonic())),
    async take(priority, signal) {
      signal?.throwIfAborted()
      const waiter: Waiter = { priority, ...Promise.withResolvers<void>() }
      const onAbort = () => {
        drop(waiter)
        waiter.reject(signal?.reason)
        grantAll()
      }
      signal?.addEventListener('abort', onAbort)
      waiting.push(waiter)
      grantAll()
      await waiter.promise.finally(() => signal?.removeEventListener('abort', onAbort))
    },
  }
}
