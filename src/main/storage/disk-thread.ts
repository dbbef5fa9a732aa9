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

/** Null on success. */
export type DiskOutcome = { readonly message: string; readonly code: string } | null

/** The worker is beside this file, both in the sources and in the build. */
const file = import.meta.url.endsWith('.ts') ? './disk-worker.ts' : './disk-worker.cjs'

/**
 * Does a job on a thread of its own: one fsync on a slow disk takes seconds, which would block
 * main. Rejects with the disk's error, including its `code`.
 */
export function onDiskThread(job: DiskJob): Promise<void> {
  const worker = new Worker(new URL(file, import.meta.url), { workerData: job })
  return new Promise((resolve, reject) => {
    worker.once('message', (outcome: DiskOutcome) => {
      if (outcome === null) resolve()
      else reject(Object.assign(new Error(outcome.message), { code: outcome.code }))
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the disk thread exited with ${code}`)))
  })
}
