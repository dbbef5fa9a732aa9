import { Worker } from 'node:worker_threads'
import type { Envelope } from './atomic-file.ts'

/** What can only be done by waiting for the disk. */
export type DiskJob =
  /** Copies the log of an SQLite file into it, and makes both safe. */
  | { readonly do: 'checkpoint'; readonly file: string }
  /** Writes a document of electron-store, whose writes are synchronous. */
  | {
      readonly do: 'store'
      readonly folder: string
      /** Its file, without an ending. */
      readonly name: string
      readonly envelope: Envelope
    }

/** Null: it is done. */
export type DiskOutcome = { readonly message: string; readonly code: string } | null

/** Beside this file both in the sources and in what is built of them. */
const file = import.meta.url.endsWith('.ts') ? './disk-worker.ts' : './disk-worker.cjs'

/**
 * Does a job on a thread that ends with it: a slow disk takes seconds for one fsync, and main would
 * stand still for as long. Rejects with the error of the disk, `code` included.
 */
export function onDiskThread(job: DiskJob): Promise<void> {
  const worker = new Worker(new URL(file, import.meta.url), { workerData: job })
  return new Promise((resolve, reject) => {
    worker.once('message', (outcome: DiskOutcome) => {
      if (outcome === null) resolve()
      else reject(Object.assign(new Error(outcome.message), { code: outcome.code }))
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the disk's thread ended with ${code}`)))
  })
}
