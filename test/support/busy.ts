/** Keeps this thread busy for so long of its own time: what else the computer does meanwhile does not count. */
export function busyFor(ms: number): void {
  const busyMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  const until = busyMs() + ms
  while (busyMs() < until);
}
