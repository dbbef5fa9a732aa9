import { setTimeout as sleep } from 'node:timers/promises'

export interface PollCost {
  readonly ms: number
  /** CPU time of all threads of this process. */
  readonly cpuMs: number
  /** The longest time in which no timer could run, including the 1 ms that a timer waits anyway. */
  readonly blockMs: number
  /**
   * The most CPU time of the main thread in such a time: without what other programs took from it.
   */
  readonly blockCpuMs: number
}

/** Long enough for leftover work of the previous run. */
const calmMs = 5

/** Measures one run. Garbage is collected as usual: whoever makes more of it pays more often. */
export async function costOf<T>(run: () => Promise<T>): Promise<PollCost & { readonly result: T }> {
  await sleep(calmMs)
  const longestBlock = watchBlocks()
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const result = await run()
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  return { ms, cpuMs: (user + system) / 1_000, ...longestBlock(), result }
}

/**
 * Each block lies between two ticks, so that none is missed, whatever phase of the event loop it is
 * in.
 */
function watchBlocks(): () => Pick<PollCost, 'blockMs' | 'blockCpuMs'> {
  const longest = { blockMs: 0, blockCpuMs: 0 }
  let last = performance.now()
  let lastCpu = threadCpuMs()
  const look = (): void => {
    const now = performance.now()
    const cpu = threadCpuMs()
    longest.blockMs = Math.max(longest.blockMs, now - last)
    longest.blockCpuMs = Math.max(longest.blockCpuMs, cpu - lastCpu)
    last = now
    lastCpu = cpu
  }
  const timer = setInterval(look, 1)
  return () => {
    clearInterval(timer)
    look()
    return longest
  }
}

/** CPU time of this thread alone, since the process began. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
