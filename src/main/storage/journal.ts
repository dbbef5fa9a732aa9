import type { Saved } from '../base/ports.ts'

export type Journal = ReturnType<typeof createJournal>

interface Writer {
  /** The next value to write, if any, and the promise that its callers hold. */
  next: { value: unknown; done: PromiseWithResolvers<void> } | null
  running: Promise<void> | null
}

/**
 * Keeps documents on disk in step with the state. One writer per document, so that a slow disk costs
 * one write at a time and never reorders them.
 */
export function createJournal(saved: Pick<Saved, 'write'>) {
  const writers = new Map<string, Writer>()

  async function drain(name: string, writer: Writer): Promise<void> {
    while (writer.next !== null) {
      const { value, done } = writer.next
      writer.next = null
      await saved.write(name, value).then(done.resolve, (error: unknown) => {
        // A newer value replaces this one, so both settle alike.
        if (writer.next === null) done.reject(error)
        else writer.next.done.promise.then(done.resolve, done.reject)
      })
    }
    writer.running = null
  }

  return {
    /**
     * Resolves once this value, or a newer one of the same document, is safely on disk; rejects when
     * the disk refused it. Values that arrive during a write replace each other.
     */
    save(name: string, value: unknown): Promise<void> {
      const writer = writers.get(name) ?? { next: null, running: null }
      writers.set(name, writer)
      const done = writer.next?.done ?? Promise.withResolvers<void>()
      writer.next = { value, done }
      writer.running ??= drain(name, writer)
      return done.promise
    },
    /** Resolves when nothing is waiting any more, whether or not it could be written. */
    async settled() {
      for (;;) {
        const running = [...writers.values()].flatMap((writer) => writer.running ?? [])
        if (running.length === 0) return
        await Promise.all(running)
      }
    },
  }
}

export type Retry = ReturnType<typeof createRetry>

/**
 * Retries some work until `worked` is called: after `firstMs`, then after twice as long each time,
 * up to `longestMs`.
 */
export function createRetry(
  work: () => void,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
) {
  let waitMs = firstMs
  let timer: ReturnType<typeof setTimeout> | undefined

  function clear(): void {
    clearTimeout(timer)
    timer = undefined
  }

  return {
    /** Schedules another attempt unless one is already scheduled. */
    failed() {
      if (timer !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        work()
      }, waitMs)
      waitMs = Math.min(2 * waitMs, longestMs)
    },
    worked() {
      clear()
      waitMs = firstMs
    },
    stop: clear,
  }
}
