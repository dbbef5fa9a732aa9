import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** In `user_version`, so that a later version can tell what it opens. */
const schemaVersion = 1

/**
 * Main stands still while SQLite works. With the log in between, a commit waits for no disk; a
 * checkpoint, which does wait, comes every 8 MB. 4 MiB of pages stay in memory, whatever the size of
 * the file: on a full history a step of 500 entries takes at most 20 ms of the thread with them, and
 * 18 ms with 16 MiB (measured).
 */
const settings = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = FAST;
  PRAGMA cache_size = -4096;
  PRAGMA wal_autocheckpoint = 2000;
  PRAGMA journal_size_limit = 8388608;
`

/** `forgotten` holds removed accounts until the last of their rows is gone, even across a crash. */
const schema = `
  CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, account TEXT, subject TEXT NOT NULL,
    kind TEXT NOT NULL, data TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS entries_by_time ON entries (at);
  CREATE INDEX IF NOT EXISTS entries_by_subject ON entries (subject, at);
  CREATE TABLE IF NOT EXISTS flips (
    account TEXT NOT NULL, check_id TEXT NOT NULL, at INTEGER NOT NULL, up INTEGER NOT NULL,
    PRIMARY KEY (account, check_id, at, up)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS flips_by_time ON flips (at);
  CREATE TABLE IF NOT EXISTS forgotten (account TEXT PRIMARY KEY) WITHOUT ROWID;
`

export class NewerHistory extends Error {}

/**
 * Opens or makes the file, 0600 from its first byte whatever the umask; SQLite gives its -wal and
 * -shm the same mode. Throws `NewerHistory` for a file of a newer version, which is left as it is,
 * and SQLite's own error for everything else.
 */
export function openHistoryFile(file: string): DatabaseSync {
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite')
  closeSync(openSync(file, 'a', 0o600))
  if (process.platform !== 'win32') chmodSync(file, 0o600)
  // No waiting for a lock: another process that holds it is told as trouble and tried again later.
  const db = new Database(file, { timeout: 0 })
  try {
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
    if (version > schemaVersion) throw new NewerHistory()
    db.exec(settings)
    // A file that has it all is not written to at each start.
    if (version < schemaVersion)
      db.exec(`BEGIN IMMEDIATE; ${schema} PRAGMA user_version = ${schemaVersion}; COMMIT`)
    // Touches every table: half a file is told here rather than by the first write.
    for (const table of ['entries', 'flips', 'forgotten'])
      db.prepare(`SELECT * FROM ${table} LIMIT 1`).get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB (11 and 26), with or without their extended part; a schema that is not ours (1). */
export function isDamage(error: unknown): boolean {
  return [1, 11, 26].includes(resultCode(error))
}

/** The file can't take more or can't be reached for now. Null: no error of SQLite or of the disk. */
export function refusalCode(error: unknown): string | null {
  const names: Readonly<Record<number, string>> = {
    5: 'in use by another program',
    6: 'in use by another program',
    8: 'read-only',
    10: 'input/output error',
    13: 'disk full',
    14: 'cannot be opened',
  }
  const named = names[resultCode(error)]
  if (named !== undefined) return named
  return error instanceof Error && 'code' in error ? String(error.code) : null
}

function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
}

/**
 * Moves a damaged file out of the way, with its log, which may hold what the file has not. Never
 * deleted; only the -shm, an index that SQLite makes anew. Returns its new name, or null when the
 * disk refused: then it is safe where it is, and nothing may be opened beside it.
 */
export function putHistoryAside(file: string, now: number): string | null {
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  const aside = join(dirname(file), `${basename(file, '.db')}.corrupt-${stamp}.db`)
  try {
    // The log first: left behind alone it would be played into the new file.
    if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
    renameSync(file, aside)
    rmSync(`${file}-shm`, { force: true })
    return basename(aside)
  } catch {
    // A read-only disk.
    return null
  }
}
