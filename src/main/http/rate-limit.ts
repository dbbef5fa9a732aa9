/** `interactive`: someone waits for the answer. `background`: what the program fetches by itself. */
export type Priority = 'interactive' | 'background'

/** What all calls of one key share. */
export interface Budget {
  /** Resolves when a request may be sent. Rejects with the signal's reason when that aborts first. */
  take(priority: Priority, signal?: AbortSignal): Promise<void>
}

export interface BudgetOptions {
  /** 60 of the 100 a minute that the Monitoring API allows: other programs may use the same key. */
  readonly limit?: number
  readonly windowMs?: number
  /** Monotonic ms: a wall clock that is set back by a day must not stop all requests for a day. */
  readonly monotonic?: () => number
}

interface Waiter {
  readonly priority: Priority
  readonly grant: () => void
}

/**
 * A sliding window log: remembers when each of the last requests was let through. A token bucket
 * would let twice its rate through in the worst minute; this never lets more than `limit` through
 * in any window. Background calls leave a quarter free, so that a click does not wait for them.
 */
export function createBudget(options: BudgetOptions = {}): Budget {
  const { limit = 60, windowMs = 60_000, monotonic = () => performance.now() } = options
  const backgroundLimit = Math.max(1, Math.floor(limit * 0.75))
  let granted: number[] = []
  let waiting: Waiter[] = []
  let timer: ReturnType<typeof setTimeout> | null = null

  /** When the next request of this priority may go: the window is closed at both ends, hence +1. */
  const freeAt = (priority: Priority): number => {
    const most = priority === 'interactive' ? limit : backgroundLimit
    const inTheWay = granted[granted.length - most]
    return inTheWay === undefined ? 0 : inTheWay + windowMs + 1
  }
  const next = () =>
    waiting.find((waiter) => waiter.priority === 'interactive') ?? waiting[0] ?? null

  const grantAll = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const now = monotonic()
    granted = granted.filter((at) => now - at <= windowMs)
    for (let waiter = next(); waiter !== null; waiter = next()) {
      const at = freeAt(waiter.priority)
      if (at > now) {
        timer = setTimeout(grantAll, Math.ceil(at - now))
        return
      }
      granted.push(now)
      waiter.grant()
    }
  }

  return {
    take(priority, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting = waiting.filter((other) => other !== waiter)
          signal?.removeEventListener('abort', onAbort)
        }
        const onAbort = () => {
          leave()
          reject(signal?.reason)
          grantAll()
        }
        const waiter: Waiter = {
          priority,
          grant: () => {
            leave()
            resolve()
          },
        }
        signal?.addEventListener('abort', onAbort)
        waiting.push(waiter)
        grantAll()
      })
    },
  }
}
