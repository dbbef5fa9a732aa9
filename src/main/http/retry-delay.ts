import type { Failure } from '../../shared/core/failure.ts'

/** A refused key rarely works again; but if it does, it should not take a restart to notice. */
const refusedMs = 15 * 60_000

/** Caps the wait that a server may ask for: longer, and an outage could go unseen for too long. */
export const longestAskedMs = 5 * 60_000

const firstMinuteCapMs = 10_000
const laterCapMs = 25_000

/** Short in the first minute: most failures are a server's restart, or a network waking up. */
export function networkCapMs(failingForMs: number): number {
  return failingForMs < 60_000 ? firstMinuteCapMs : laterCapMs
}

/**
 * How long a loop waits after the `failures`-th failure in a row. A null failure is a bug of ours,
 * which the next reply may not trigger. The first three retries come within 7 s, even after a
 * malformed reply: it mostly comes from something else that answers for a while.
 *
 * A 429 without a time waits 10, 20, 25 s, minus up to a fifth: never close to zero as with full
 * jitter, as the server has just said that it gets too many requests.
 */
export function retryDelayMs(
  failure: Failure | null,
  failures: number,
  random: number,
  capMs = laterCapMs,
): number {
  if (failure?.kind === 'badKey') return refusedMs + Math.round(5_000 * random)
  // Only half of it is random: with full jitter, chance could spend a minute's requests at once.
  if (failure?.kind !== 'rateLimited') {
    // A request that timed out has already waited long enough.
    const isTimeout = failure?.kind === 'network' && failure.reason === 'timeout'
    return backoffMs(isTimeout ? 1 : failures, 0.5 + 0.5 * random, capMs)
  }
  if (failure.retryAfterMs !== null)
    return Math.min(failure.retryAfterMs, longestAskedMs) + Math.round(500 * random)
  const bound = Math.min(capMs, 10_000 * 2 ** Math.max(0, failures - 1))
  return Math.round(bound * (0.8 + 0.2 * random))
}

/**
 * How long to wait after the `failures`-th failure in a row: full jitter over an exponential bound,
 * by default 1, 2, 4, 8, … s up to `capMs`. Full jitter (a random share of the bound, not around
 * it) because many clients lose a server at the same moment and must not all return at the same
 * moment. `random` is in [0, 1).
 */
export function backoffMs(
  failures: number,
  random: number,
  capMs: number,
  firstMs = 1_000,
): number {
  const bound = Math.min(capMs, firstMs * 2 ** Math.max(0, failures - 1))
  return Math.round(bound * random)
}
