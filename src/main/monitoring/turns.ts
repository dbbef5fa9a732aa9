import { isAborted } from '../http/wait.ts'

/** How much somebody is wanted, the most important part first; higher is more. */
export type Rank = readonly number[]

interface Waiter {
  /** Read each time: what is wanted changes while it waits. */
  readonly rank: () => Rank
  readonly begin: () => void
}

/** Lets a few at a time work: once `ready` allows another, the one that is wanted most by then. */
export function createTurns({
  atOnce,
  ready,
}: {
  readonly atOnce: number
  /** Resolves when somebody may begin whose rank begins with `part`. Rejects if the signal aborts. */
  readonly ready: (part: number, signal: AbortSignal) => Promise<void>
}) {
  const waiting = new Set<Waiter>()
  /** For whom it has asked `ready`. */
  const asks = new Map<AbortController, number>()
  let busy = 0

  async function ask(part: number): Promise<void> {
    const abort = new AbortController()
    asks.set(abort, part)
    const isReady = await ready(part, abort.signal).then(
      () => true,
      () => false,
    )
    asks.delete(abort)
    const [next] = byRank(waiting)
    if (!isReady || next === undefined || busy >= atOnce) return
    waiting.delete(next.waiter)
    busy += 1
    next.waiter.begin()
    grant()
  }
  /** Asks for as many as there are places, and no longer for those that others have overtaken. */
  function grant(): void {
    const first = byRank(waiting).slice(0, atOnce - busy)
    const parts = first.map(({ rank: [part = 0] }) => part)
    for (const [abort, part] of asks) {
      const place = parts.indexOf(part)
      if (place === -1) {
        asks.delete(abort)
        abort.abort()
      } else parts.splice(place, 1)
    }
    for (const part of parts) void ask(part)
  }

  /** Does the work in its turn; not at all if the signal aborts before. */
  return async (rank: () => Rank, signal: AbortSignal, work: () => Promise<void>) => {
    if (isAborted(signal)) return
    const isMine = await new Promise<boolean>((resolve) => {
      const onAbort = (): void => {
        resolve(false)
        waiting.delete(waiter)
        grant()
      }
      const begin = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(true)
      }
      const waiter: Waiter = { rank, begin }
      waiting.add(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
      grant()
    })
    if (!isMine) return
    await work().finally(() => {
      busy -= 1
      grant()
    })
  }
}

function byRank(waiting: ReadonlySet<Waiter>) {
  return [...waiting]
    .map((waiter) => ({ waiter, rank: waiter.rank() }))
    .sort((one, other) => compareRanks(one.rank, other.rank))
}

/** Negative if the first is wanted more. */
export function compareRanks(one: Rank, other: Rank): number {
  const at = one.findIndex((part, place) => part !== other[place])
  return at === -1 ? 0 : (other[at] ?? 0) - (one[at] ?? 0)
}
