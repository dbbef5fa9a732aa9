/** The worker thread of `disk-thread.ts`: does one job after another. */
import { parentPort } from 'node:worker_threads'
import type { DiskJob, DiskOutcome } from './disk-thread.ts'

async function perform(job: DiskJob): Promise<void> {
  if (job.do === 'checkpoint') {
    const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite')
    const db = new Database(job.file, { timeout: 0 })
    try {
      // Passive: does not block other writers; what it cannot copy now is left for the next time.
      db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(PASSIVE)')
    } finally {
      db.close()
    }
    return
  }
  const { default: ElectronStore } = await import('electron-store')
  // It would take itself for a snap's, and write over the file in place. Set for all that is started
  // in the terminal of a snap; this thread has its own copy.
  delete process.env['SNAP']
  // By default it would make the file world-readable and erase one that it can't parse.
  const store = new ElectronStore<Record<string, unknown>>({
    cwd: job.folder,
    name: job.name,
    configFileMode: 0o600,
    clearInvalidConfig: false,
    accessPropertiesByDotNotation: false,
  })
  store.store = { ...job.envelope }
}

function failed(error: unknown): DiskOutcome['error'] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { message: error instanceof Error ? error.message : String(error), code }
}

let before = Promise.resolve()

// Only `createDiskThread` starts this file, and sends it its jobs.
parentPort?.on('message', ({ id, job }: { readonly id: number; readonly job: DiskJob }) => {
  before = before
    .then(() => perform(job))
    .then(() => null, failed)
    .then((error) => parentPort?.postMessage({ id, error } satisfies DiskOutcome))
})
