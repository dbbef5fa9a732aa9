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
