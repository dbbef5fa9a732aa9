import { backoffMs } from '../../shared/core/backoff.ts'
import type { Failure } from '../../shared/core/failure.ts'

/** Even full jitter's luckiest draw does not make two requests of one. */
const floorMs = 250
const unwantedCapMs = 5 * 60_000

/**
 * How long a loop waits after the `failures`-th failure in a row; null ends it, since a dead key
 * does not come back to life by asking.
 *
 * A 429 without a time waits 10, 20, 40, … s up to 5 min, a fifth more or less: never close to zero
 * as with full jitter, as the server just said that it is too much.
 */
export function retryDelayMs(
  failure: Failure,
  failures: number,
  random: number,
  networkCapMs = 60_000,
): number | null {
  switch (failure.kind) {
    case 'badKey':
      return null
    case 'rateLimited': {
      if (failure.retryAfterMs !== null) return failure.retryAfterMs + Math.round(500 * random)
      const bound = Math.min(unwantedCapMs, 10_000 * 2 ** Math.max(0, failures - 1))
      return Math.min(unwantedCapMs, Math.round(bound * (0.8 + 0.4 * random)))
    }
    case 'network':
    case 'serverFault':
      return Math.max(floorMs, backoffMs(failures, random, networkCapMs))
    case 'malformed':
    case 'refused':
    case 'invalid':
    case 'readOnlyKey':
      // Not a hiccup but another program, another version or a mistake: it will take its time.
      return Math.max(floorMs, backoffMs(failures, random, unwantedCapMs, 2_000))
  }
}
