import { setImmediate as nextTurn } from 'node:timers'

/** CPU time of this thread in ms, which excludes other programs. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** What it costs, in ms of this thread's CPU time: a busy computer takes longer, but no more. */
export function costOf(act: () => void): number {
  const from = cpuMs()
  act()
  return cpuMs() - from
}

/** The median of `sample` on the computer that limits in ms are meant for: two idle server cores. */
const sampleMs = 34

/**
 * How many times slower this computer currently is than that one, at least 1: thread CPU time does
 * not show that others share the processor. Takes about 200 ms.
 */
export function slowness(): number {
  // What is measured takes longer than a sample, and has its share of the slow moments.
  const [, , median = sampleMs] = [1, 2, 3, 4, 5].map(sample).sort((one, other) => one - other)
  return Math.max(1, median / sampleMs)
}

/** Makes text, objects and garbage, like reading a reply; returns this thread's CPU time in ms. */
function sample(): number {
  return costOf(makeObjects)
}

function makeObjects(): void {
  const checks = Array.from({ length: 40_000 }, (_, at) => ({
    at,
    name: `check ${at}`,
    tags: 'a b',
  }))
  const read = JSON.parse(JSON.stringify(checks)) as typeof checks
  const names = new Map(read.map(({ at, name, tags }) => [name, { at, tags: tags.split(' ') }]))
  if (names.size !== checks.length) throw new Error('the sample went wrong')
}

/** Keeps this thread busy for that much CPU time. */
export function busyFor(ms: number): void {
  const until = cpuMs() + ms
  while (cpuMs() < until);
}

/** Watches turns until the result is called; returns the longest without one, in ms of CPU time. */
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
