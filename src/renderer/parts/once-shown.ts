/**
 * Calls back once the current frame is on the screen and the page is idle, after `withinMs` at the
 * latest. Idle time alone is not enough: it comes before the frame is shown, and would delay it.
 * Returns a function that cancels it.
 */
export function onceShown(then: () => void, withinMs: number): () => void {
  let frame = 0
  let idle = 0
  const stop = (): void => {
    cancelAnimationFrame(frame)
    cancelIdleCallback(idle)
    clearTimeout(timer)
  }
  const run = (): void => {
    stop()
    then()
  }
  const timer = setTimeout(run, withinMs)
  // The first frame draws it; by the second it has reached the screen.
  frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(() => {
      idle = requestIdleCallback(run)
    })
  })
  return stop
}
