/** Ms. What is looked at less often is looked at with some of the beats. */
const beatMs = 5_000

export type Beat = ReturnType<typeof createBeat>

/**
 * One timer for all that is looked at now and then since no event reports it: each of their own
 * would wake the computer at another moment.
 */
export function createBeat(onBug: (error: unknown) => void) {
  const looks = new Set<{ readonly every: number; readonly look: () => void }>()
  let timer: ReturnType<typeof setInterval> | undefined
  let beats = 0

  function beat(): void {
    beats += 1
    // One before it may have stopped it.
    for (const one of [...looks])
      if (looks.has(one) && beats % one.every === 0)
        try {
          one.look()
        } catch (error) {
          onBug(error)
        }
  }

  return {
    /** Calls `look` every `ms`, a multiple of 5 s, until the returned function is called. */
    each(ms: number, look: () => void): () => void {
      const one = { every: ms / beatMs, look }
      looks.add(one)
      timer ??= setInterval(beat, beatMs)
      return () => {
        looks.delete(one)
        if (looks.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
