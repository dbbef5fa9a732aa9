import type { Saved } from '../ports.ts'

/** Keeps documents on disk in step with the state; the newest value wins. */
export interface Journal {
  /**
   * Resolves once this value, or a newer one of the same document, is safely on disk; rejects when
   * the disk refused it. Values that arrive during a write replace each other.
   */
  save(name: string, value: unknown): Promise<void>
  /** Resolves when nothing is waiting any more, whether or not it could be written. */
  settled(): Promise<void>
}

interface Writer {
  /** The next value to write, if any, and the promise that its callers hold. */
  next: { value: unknown; done: PromiseWithResolvers<void> } | null
  running: Promise<void> | null
}

/** One writer per document, so that a slow disk costs one write at a time and never reorders them. */
export function createJournal(saved: Pick<Saved, 'write'>): Journal {
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
    save(name, value) {
      const writer = writers.get(name) ?? { next: null, running: null }
      writers.set(name, writer)
      const done = writer.next?.done ?? Promise.withResolvers<void>()
      writer.next = { value, done }
      writer.running ??= drain(name, writer)
      return done.promise
    },
    async settled() {
      for (;;) {
        const running = [...writers.values()].flatMap((writer) => writer.running ?? [])
        if (running.length === 0) return
        await Promise.all(running)
      }
    },
  }
}

/** Retries some work, with growing delays, until `worked` is called. */
export interface Retry {
  /** Schedules another attempt unless one is already scheduled. */
  failed(): void
  worked(): void
  stop(): void
}

/** Waits `firstMs`, then twice as long each time, up to `longestMs`. */
export function createRetry(
  work: () => void,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
): Retry {
  let waitMs = firstMs
  let timer: ReturnType<typeof setTimeout> | undefined

  function clear(): void {
    clearTimeout(timer)
    timer = undefined
  }

  return {
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
