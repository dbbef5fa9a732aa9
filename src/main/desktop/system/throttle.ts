/**
 * Runs at once, then at most once per interval, the last time with the last value. For what the
 * desktop does slowly and a busy minute asks for often, such as a new tray menu.
 */
export function atMostEvery<T>(
  intervalMs: number,
  run: (value: T) => void,
): { (value: T): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | null = null
  let next: { value: T } | null = null
  const rest = (): void => {
    timer = null
    if (next === null) return
    const { value } = next
    next = null
    go(value)
  }
  const go = (value: T): void => {
    timer = setTimeout(rest, intervalMs)
    run(value)
  }
  const ask = (value: T): void => {
    if (timer === null) go(value)
    else next = { value }
  }
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    next = null
  }
  return Object.assign(ask, { stop })
}
