import { backoffMs } from '../../shared/core/backoff.ts'
import type { Failure } from '../../shared/core/failure.ts'

/** Even full jitter's luckiest draw does not make two requests of one. */
const floorMs = 250
const unwantedCapMs = 5 * 60_000
/** A refused key seldom comes back to life, and a server that is put right should not wait for a restart. */
const refusedMs = 15 * 60_000

const firstMinuteCapMs = 10_000
export const laterCapMs = 60_000

/** Back-off stays short in the first minute: most breaks are a server's restart, or a network just woken. */
export function networkCapMs(failingForMs: number): number {
  return failingForMs < 60_000 ? firstMinuteCapMs : laterCapMs
}

/**
 * How long a loop waits after the `failures`-th failure in a row (null: a bug of ours, which may well be
 * gone with the answer that met it, so nobody waits five minutes for it).
 *
 * A 429 without a time waits 10, 20, 40, … s up to 5 min, a fifth more or less: never close to zero
 * as with full jitter, as the server just said that it is too much.
 */
export function retryDelayMs(
  failure: Failure | null,
  failures: number,
  random: number,
  capMs = laterCapMs,
): number {
  switch (failure?.kind) {
    case 'badKey':
      return refusedMs + Math.round(5_000 * random)
    case 'rateLimited': {
      if (failure.retryAfterMs !== null) return failure.retryAfterMs + Math.round(500 * random)
      const bound = Math.min(unwantedCapMs, 10_000 * 2 ** Math.max(0, failures - 1))
      return Math.min(unwantedCapMs, Math.round(bound * (0.8 + 0.4 * random)))
    }
    case undefined:
    case 'network':
    case 'serverFault':
      return afterHiccup(failures, random, capMs)
    case 'malformed':
      // A network that wants a login answers so, and who logged in is waiting to see it work.
      if (['login', 'html', 'redirect', 'unauthorized'].includes(failure.what))
        return afterHiccup(failures, random, capMs)
      return afterNonsense(failures, random)
    case 'refused':
    case 'invalid':
    case 'readOnlyKey':
      return afterNonsense(failures, random)
  }
}

function afterHiccup(failures: number, random: number, capMs: number): number {
  return Math.max(floorMs, backoffMs(failures, random, capMs))
}

/** Not a hiccup but another program, another version or a mistake: it will take its time. */
function afterNonsense(failures: number, random: number): number {
  return Math.max(floorMs, backoffMs(failures, random, unwantedCapMs, 2_000))
}
