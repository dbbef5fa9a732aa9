/** Does something again by itself, after growing waits, until told that it worked. */
export interface Retry {
  /** It failed: again later, unless that is planned already. */
  failed(): void
  worked(): void
  stop(): void
}

/** Waits `firstMs`, then twice as long each time, `longestMs` at most. */
export function createRetry(
  work: () => void,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
): Retry {
  let waitMs = firstMs
  let timer: ReturnType<typeof setTimeout> | null = null

  function clear(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }

  return {
    failed() {
      if (timer !== null) return
      timer = setTimeout(() => {
        timer = null
        work()
      }, waitMs)
      waitMs = Math.min(2 * waitMs, longestMs)
    },
    worked() {
      clear()
      waitMs = firstMs
    },
    stop: clear,
  }
}
