import { isAborted } from '../http/wait.ts'

/** How much somebody is wanted, the most important part first; higher is more. */
export type Rank = readonly number[]

interface Waiter {
  /** Read each time: what is wanted changes while it waits. */
  readonly rank: () => Rank
  readonly begin: () => void
}

/** Lets a few at a time work: when a place is free, the one that is wanted most by then. */
export function createTurns({
  atOnce,
  pauseMs,
}: {
  readonly atOnce: number
  /** How long nobody may begin, in ms. */
  readonly pauseMs: () => number
}) {
  const waiting = new Set<Waiter>()
  let busy = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function grant(): void {
    clearTimeout(timer)
    if (waiting.size === 0) return
    const ms = pauseMs()
    if (ms > 0) {
      timer = setTimeout(grant, Math.ceil(ms))
      return
    }
    while (busy < atOnce) {
      const next = mostWanted(waiting)
      if (next === null) return
      waiting.delete(next)
      busy += 1
      next.begin()
    }
  }

  /** Does the work in its turn; not at all if the signal aborts before. */
  return async (rank: () => Rank, signal: AbortSignal, work: () => Promise<void>) => {
    if (isAborted(signal)) return
    const isMine = await new Promise<boolean>((resolve) => {
      const waiter: Waiter = { rank, begin: () => resolve(true) }
      waiting.add(waiter)
      signal.addEventListener('abort', () => {
        waiting.delete(waiter)
        resolve(false)
        if (waiting.size === 0) clearTimeout(timer)
      })
      grant()
    })
    if (!isMine) return
    await work().finally(() => {
      busy -= 1
      grant()
    })
  }
}

function mostWanted(waiting: ReadonlySet<Waiter>): Waiter | null {
  let best: { readonly waiter: Waiter; readonly rank: Rank } | null = null
  for (const waiter of waiting) {
    const rank = waiter.rank()
    if (best === null || compareRanks(rank, best.rank) < 0) best = { waiter, rank }
  }
  return best?.waiter ?? null
}

/** Negative if the first is wanted more. */
export function compareRanks(one: Rank, other: Rank): number {
  const at = one.findIndex((part, place) => part !== other[place])
  return at === -1 ? 0 : (other[at] ?? 0) - (one[at] ?? 0)
}
