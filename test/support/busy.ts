import { setImmediate as nextTurn } from 'node:timers'

/** Processor time of this thread: what else the computer does meanwhile does not count. Ms. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** What `sample` takes on the computer that limits in ms are for: two cores of a server, and nothing else to do. */
const sampleMs = 30

/**
 * How many times slower than that computer this one is just now, at least 1. Its processor may be shared
 * with others, which the time of a thread does not tell. Takes some 150 ms.
 */
export function slowness(): number {
  return Math.max(1, Math.min(...[1, 2, 3, 4].map(sample)) / sampleMs)
}

/** Text, objects and garbage, as in reading what a server sends. Ms of this thread. */
function sample(): number {
  const from = cpuMs()
  const checks = Array.from({ length: 40_000 }, (_, at) => ({
    at,
    name: `check ${at}`,
    tags: 'a b',
  }))
  const read = JSON.parse(JSON.stringify(checks)) as typeof checks
  const names = new Map(read.map(({ at, name, tags }) => [name, { at, tags: tags.split(' ') }]))
  if (names.size !== checks.length) throw new Error('the sample went wrong')
  return cpuMs() - from
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
