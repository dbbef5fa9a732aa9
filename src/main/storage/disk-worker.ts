/** The other thread of `disk-thread.ts`: does one job and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import type { DiskJob, DiskOutcome } from './disk-thread.ts'

async function perform(job: DiskJob): Promise<void> {
  if (job.do === 'checkpoint') {
    const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite')
    const db = new Database(job.file, { timeout: 0 })
    try {
      // Passive: whoever writes meanwhile is not kept waiting, and the rest is for the next time.
      db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(PASSIVE)')
    } finally {
      db.close()
    }
    return
  }
  const { default: ElectronStore } = await import('electron-store')
  // Its defaults would be world-readable, and would erase a file that it can't parse.
  const store = new ElectronStore<Record<string, unknown>>({
    cwd: job.folder,
    name: job.name,
    configFileMode: 0o600,
    clearInvalidConfig: false,
    accessPropertiesByDotNotation: false,
  })
  store.store = { ...job.envelope }
}

function failed(error: unknown): DiskOutcome {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { message: error instanceof Error ? error.message : String(error), code }
}

// Started by `onDiskThread` alone, with one of its jobs.
void perform(workerData as DiskJob)
  .then(() => null, failed)
  .then((outcome) => parentPort?.postMessage(outcome))
