/**
 * Calls back when what is drawn now is on the screen and nothing else is to do, but after `withinMs` in any
 * case. An idle moment alone comes between the drawing and the screen, and what is done in it delays that.
 * Returns the way to stop.
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
  // The first frame draws it, and by the next one it was handed to the screen.
  frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(() => {
      idle = requestIdleCallback(run)
    })
  })
  return stop
}
