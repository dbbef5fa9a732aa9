import { Worker } from 'node:worker_threads'
import type { Envelope } from './atomic-file.ts'

/** Work that blocks while the disk is slow. */
export type DiskJob =
  /** Copies the write-ahead log of an SQLite file into it, and syncs both. */
  | { readonly do: 'checkpoint'; readonly file: string }
  /** Writes a document of electron-store, whose writes are synchronous. */
  | {
      readonly do: 'store'
      readonly folder: string
      /** The file name, without extension. */
      readonly name: string
      readonly envelope: Envelope
    }

/** What became of the job of this number. `error`: null on success. */
export interface DiskOutcome {
  readonly id: number
  readonly error: { readonly message: string; readonly code: string } | null
}

/** The worker is beside this file, both in the sources and in the build. */
const file = import.meta.url.endsWith('.ts') ? './disk-worker.ts' : './disk-worker.cjs'

/** Starting the thread and loading electron-store costs 80 times as much as a write. */
const usualIdleMs = 10_000

/** Does jobs on a thread of their own, one after another, which ends once it is idle. */
export function createDiskThread(idleMs = usualIdleMs) {
  let worker: Worker | null = null
  let idle: ReturnType<typeof setTimeout> | undefined
  let jobs = 0
  const waiting = new Map<number, PromiseWithResolvers<void>>()

  function started(): Worker {
    const made = new Worker(new URL(file, import.meta.url))
    const failed = (error: Error): void => {
      if (worker === made) worker = null
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    made.on('message', ({ id, error }: DiskOutcome) => {
      const job = waiting.get(id)
      waiting.delete(id)
      if (waiting.size === 0) rest(made)
      if (error === null) job?.resolve()
      else job?.reject(Object.assign(new Error(error.message), { code: error.code }))
    })
    made.once('error', failed)
    made.once('exit', (code) => {
      if (worker === made) failed(new Error(`the disk thread exited with ${code}`))
    })
    return made
  }

  /** An idle thread keeps neither the process nor its memory. */
  function rest(made: Worker): void {
    made.unref()
    idle = setTimeout(() => {
      worker = null
      void made.terminate()
    }, idleMs)
    idle.unref()
  }

  /**
   * One fsync on a slow disk takes seconds, which would block main. Rejects with the disk's error,
   * including its `code`.
   */
  return function onDiskThread(job: DiskJob): Promise<void> {
    clearTimeout(idle)
    worker ??= started()
    worker.ref()
    jobs += 1
    const done = Promise.withResolvers<void>()
    waiting.set(jobs, done)
    worker.postMessage({ id: jobs, job })
    return done.promise
  }
}

export const onDiskThread = createDiskThread()
