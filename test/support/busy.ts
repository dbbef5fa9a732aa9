import { setImmediate as nextTurn } from 'node:timers'

/** Processor time of this thread: what else the computer does meanwhile does not count. Ms. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Keeps this thread busy for so long of its own time. */
export function busyFor(ms: number): void {
  const until = cpuMs() + ms
  while (cpuMs() < until);
}

/** Until it is called again: the longest that nothing else got a turn, in ms of this thread's time. */
export function watchTurns(): () => number {
  let worst = 0
  let began = cpuMs()
  let stopped = false
  const look = (): void => {
    const now = cpuMs()
    worst = Math.max(worst, now - began)
    began = now
    if (!stopped) nextTurn(look)
  }
  nextTurn(look)
  return () => {
    stopped = true
    return Math.max(worst, cpuMs() - began)
  }
}
