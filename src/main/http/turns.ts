/** Ms of work before others get a turn: short against the 200 ms that nothing may stall for. */
const turnMs = 10

/** Cuts long work up, so that whoever waits meanwhile is served in between. */
export interface Turns {
  /** Resolves at once while there is time left in this turn, else in the next one; rejects when the work is given up. */
  next(): Promise<void>
  /** Whether it is time for the next one; asked for each piece of work. */
  isOver(): boolean
}

export function createTurns(signal: AbortSignal): Turns {
  let until = performance.now() + turnMs
  const isOver = (): boolean => performance.now() >= until
  return {
    isOver,
    async next() {
      if (isOver()) {
        await new Promise((resolve) => setImmediate(resolve))
        until = performance.now() + turnMs
      }
      signal.throwIfAborted()
    },
  }
}

/** Runs steps one after the other, and lets others have a turn between them. */
export async function inTurns<T>(steps: Generator<undefined, T>): Promise<T> {
  const turns = createTurns(new AbortController().signal)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (turns.isOver()) await turns.next()
  }
}
