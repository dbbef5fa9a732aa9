import type { Failure } from '../../shared/core/failure.ts'

/** A refused key seldom comes back to life, and a server that is put right should not wait for a restart. */
const refusedMs = 15 * 60_000

/** A server that asks for more is asked again after this: what it watches over would be unseen for too long. */
export const longestAskedMs = 5 * 60_000

const firstMinuteCapMs = 10_000
const laterCapMs = 25_000

/** Back-off stays short in the first minute: most breaks are a server's restart, or a network just woken. */
export function networkCapMs(failingForMs: number): number {
  return failingForMs < 60_000 ? firstMinuteCapMs : laterCapMs
}

/**
 * How long a loop waits after the `failures`-th failure in a row (null: a bug of ours, which may well be
 * gone with the answer that met it). The first three attempts after a failure come within 7 s, whatever
 * failed: nonsense too is mostly something else that answers for a while.
 *
 * A 429 without a time waits 10, 20, 25 s, up to a fifth less: never close to zero as with full jitter,
 * as the server just said that it is too much.
 */
export function retryDelayMs(
  failure: Failure | null,
  failures: number,
  random: number,
  capMs = laterCapMs,
): number {
  if (failure?.kind === 'badKey') return refusedMs + Math.round(5_000 * random)
  // Half of it by chance: with all of it, the luckiest draws would be a storm of a minute's requests.
  if (failure?.kind !== 'rateLimited') {
    // A request that ran into its deadline has waited long enough by itself.
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
 * 1, 2, 4, 8, … s up to `capMs`. Full jitter (a random share of the bound, not around it) because
 * many clients lose the same server at the same moment, and must not return at the same moment.
 * `random` is in [0, 1).
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
