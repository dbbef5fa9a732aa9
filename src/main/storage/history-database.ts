import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { AccountId } from '../../shared/core/account.ts'
import type { HistoryEntry, HistoryFilter } from '../../shared/core/checks/history.ts'
import type { History } from '../base/ports.ts'
import { refusalWords } from './atomic-file.ts'
import { onDiskThread } from './disk-thread.ts'
import {
  type HistoryBounds,
  type HistoryTables,
  historyTables,
  maskedVersion,
} from './history-tables.ts'
import { memoryHistory, memoryLimit, newest, withoutText } from './memory-history.ts'
import type { ReportTrouble } from './saved-files.ts'

/** Entries wait at most this long, so that a burst is one transaction. */
const flushMs = 250
/** Entries per transaction: 2 ms of work, then other work gets its turn. */
const flushRows = 500
/**
 * Opening the file takes 10 ms and nobody asks for the past right after the start, so it is opened
 * at its first use, or after this time to prune old entries.
 */
const openMs = 1_000
/** Delay before retrying a disk that refused. */
const retryMs = 30_000
const pruneEveryMs = 60 * 60_000
/** Size of the write-ahead log in bytes from which it is copied into the file. */
const longLog = 8 * 1024 * 1024
/** Delay between two small steps of pruning. */
const pruneStepMs = 50
/** Days of history that may pass their limit of age in one day: the clock may be wrong for hours. */
const mostDaysADay = 24

export const defaultBounds: HistoryBounds = {
  ageMs: 90 * 24 * 60 * 60_000,
  entries: 200_000,
  bytes: 64 * 1024 * 1024,
}

interface Options {
  readonly file: string
  /** Epoch ms. */
  readonly now: () => number
  readonly onTrouble: ReportTrouble
  readonly bounds?: HistoryBounds
}

/** The history in a file, or in memory where this Electron's Node has no SQLite; callers need not know. */
export function openHistory(options: Options): History {
  return isBuiltin('node:sqlite') ? new StoredHistory(options) : memoryHistory()
}

/** Pending writes. Bounded: if the disk stays full, the oldest entries are dropped. */
interface Waiting {
  entries: HistoryEntry[]
  forget: Set<AccountId>
  rename: (readonly [from: AccountId, to: AccountId])[]
}

class StoredHistory implements History {
  readonly #options: Options
  readonly #bounds: HistoryBounds
  #tables: HistoryTables | null = null
  /** A newer version wrote the file, so it is not touched: new entries stay in memory. */
  #isNewer = false
  #isClosed = false
  /** The last attempt failed, so the next write waits for `retryMs`. */
  #isRefused = false
  readonly #reported = new Set<string>()
  #checkpoint: Promise<void> | null = null
  readonly #waiting: Waiting = { entries: [], forget: new Set(), rename: [] }
  #flushTimer: ReturnType<typeof setTimeout> | null = null
  #flushesIn = Number.POSITIVE_INFINITY
  #pruneTimer: ReturnType<typeof setTimeout> | null = null
  /** The time up to which there were entries when the file was first opened, in epoch ms. */
  #knownTo: number | null = null
  readonly #startedAt = performance.now()

  constructor(options: Options) {
    this.#options = options
    this.#bounds = options.bounds ?? defaultBounds
    this.#pruneIn(openMs)
  }

  add(entries: readonly HistoryEntry[]): void {
    const { entries: waiting } = this.#waiting
    for (const entry of entries.slice(-memoryLimit))
      if (Number.isSafeInteger(entry.at)) waiting.push(this.#isNewer ? withoutText(entry) : entry)
    if (waiting.length > memoryLimit * 1.1) waiting.splice(0, waiting.length - memoryLimit)
    this.#flushSoon()
  }

  entries(filter: HistoryFilter): readonly HistoryEntry[] {
    const stored = this.#attempt((tables) => tables.entries(filter)) ?? []
    const { entries } = this.#waiting
    return entries.length === 0 ? stored : newest(filter, [...stored, ...entries])
  }

  forget(accountId: AccountId): void {
    const { entries, forget } = this.#waiting
    this.#waiting.entries = entries.filter((entry) => entry.accountId !== accountId)
    forget.add(accountId)
    this.#flush()
    this.#pruneIn(0)
  }

  rename(from: AccountId, to: AccountId): void {
    this.#waiting.rename.push([from, to])
    this.#flush()
    this.#pruneIn(0)
  }

  async settled(): Promise<void> {
    while (this.#flush()) {
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
    }
    // So that closing the file finds nothing left to copy.
    await this.#checkpointFrom(1)
  }

  close(): void {
    if (this.#isClosed) return
    while (this.#flush()) {
      // One transaction at a time, as usual; at shutdown nobody is waiting.
    }
    this.#isClosed = true
    for (const timer of [this.#flushTimer, this.#pruneTimer])
      if (timer !== null) clearTimeout(timer)
    this.#drop()
  }

  #flushSoon(): void {
    const isMuch = this.#waiting.entries.length >= flushRows
    this.#flushIn(this.#isRefused ? retryMs : isMuch ? 0 : flushMs)
  }

  #flushIn(ms: number): void {
    if (this.#isClosed || this.#isNewer) return
    if (this.#flushTimer !== null && this.#flushesIn <= ms) return
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer)
    this.#flushesIn = ms
    this.#flushTimer = setTimeout(() => {
      this.#flushTimer = null
      if (this.#flush()) this.#flushIn(0)
    }, ms)
    this.#flushTimer.unref()
  }

  /** Writes one transaction. Returns whether more is pending that can be written now. */
  #flush(): boolean {
    const { entries, forget, rename } = this.#waiting
    if (entries.length + forget.size + rename.length === 0) return false
    const some = entries.slice(0, flushRows)
    // Once everything older is written.
    const renamed = some.length === entries.length ? [...rename] : []
    // Writes to a deleted file would succeed, and be lost.
    if (this.#tables !== null && !existsSync(this.#options.file)) this.#drop()
    const written = this.#attempt((tables) => {
      tables.write(some)
      for (const accountId of forget) tables.beginForget(accountId)
      for (const [from, to] of renamed) tables.beginRename(from, to)
      return true
    })
    if (written !== true) {
      this.#flushIn(retryMs)
      return false
    }
    entries.splice(0, some.length)
    forget.clear()
    rename.splice(0, renamed.length)
    this.#isSaved()
    return entries.length + rename.length > 0
  }

  /** Copies the log into the file if it is at least this long. What can't be copied stays in it. */
  async #checkpointFrom(bytes: number): Promise<void> {
    const { file } = this.#options
    const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (this.#tables === null || size < bytes) return
    this.#checkpoint ??= onDiskThread({ do: 'checkpoint', file })
      .catch(() => {
        // The disk may be full: the next write fails as well and reports it.
      })
      .finally(() => {
        this.#checkpoint = null
      })
    await this.#checkpoint
  }

  /** A write succeeded, whatever the disk refused before. */
  #isSaved(): void {
    if (this.#reported.delete('refused')) this.#options.onTrouble({ ...unsaved, text: null })
    void this.#checkpointFrom(longLog)
  }

  /** Works on the open file, opening it first if necessary. Null when that failed. */
  #attempt<T>(act: (tables: HistoryTables) => T): T | null {
    if (this.#isClosed || this.#isNewer) return null
    try {
      return act(this.#opened())
    } catch (error) {
      this.#drop()
      if (error instanceof NewerHistory) this.#leaveAlone()
      else if (isDamage(error)) return this.#startAnew(act)
      else this.#refused(error)
      return null
    }
  }

  #opened(): HistoryTables {
    this.#tables ??= historyTables(openHistoryFile(this.#options.file))
    this.#knownTo ??= this.#tables.newestAt() ?? this.#options.now()
    this.#isRefused = false
    return this.#tables
  }

  /** Closes the file, which the next attempt reopens: after an error, its state is unknown. */
  #drop(): void {
    try {
      this.#tables?.close()
    } catch {
      // Closing writes the log back, which a full disk refuses; the log stays and is read next time.
    }
    this.#tables = null
    this.#isRefused = true
  }

  #startAnew<T>(act: (tables: HistoryTables) => T): T | null {
    const { file, now } = this.#options
    const aside = putHistoryAside(file, now())
    const outcome =
      aside === null
        ? `It could not be set aside and is left where it is, and ${onlyUntilQuit}`
        : `It was kept as ${aside} in Belfry’s folder. A new one begins now.`
    this.#report('damaged', `The history is damaged. ${outcome}`)
    if (aside === null) return null
    try {
      return act(this.#opened())
    } catch (error) {
      this.#drop()
      this.#refused(error)
      return null
    }
  }

  #refused(error: unknown): void {
    if (this.#reported.has('refused')) return
    this.#reported.add('refused')
    this.#options.onTrouble({ ...unsaved, text: whyRefused(error) })
  }

  #leaveAlone(): void {
    this.#report(
      'newer',
      `The history was written by a newer version of Belfry. It is left untouched, and ${onlyUntilQuit}`,
    )
    this.#isNewer = true
    this.#waiting.entries = this.#waiting.entries.map(withoutText)
  }

  /** Reports each kind of trouble once, until it is over. */
  #report(kind: string, text: string): void {
    if (this.#reported.has(kind)) return
    this.#reported.add(kind)
    this.#options.onTrouble({ id: `history-${kind}`, text })
  }

  /** The time from which ages are counted: behind a clock that jumped ahead, until it catches up. */
  #ageNow(): number {
    const now = this.#options.now()
    const passed = performance.now() - this.#startedAt
    return Math.min(now, (this.#knownTo ?? now) + mostDaysADay * passed)
  }

  #pruneIn(ms: number): void {
    if (this.#isClosed || this.#isNewer) return
    if (this.#pruneTimer !== null) clearTimeout(this.#pruneTimer)
    this.#pruneTimer = setTimeout(() => {
      const more = this.#attempt((tables) => tables.prune(this.#ageNow(), this.#bounds))
      void this.#checkpointFrom(longLog)
      this.#pruneIn(more === true ? pruneStepMs : pruneEveryMs)
    }, ms)
    this.#pruneTimer.unref()
  }
}

/**
 * Stored in `user_version`, so that a later version knows what it opens. Before 3, texts of jobs
 * were stored as they were; a file becomes 3 when all of them are masked.
 */
const schemaVersion = maskedVersion
const tablesVersion = 2

/**
 * Main is blocked while SQLite works, so nothing here waits for the disk: in WAL mode only a
 * checkpoint must, and another thread makes it (`disk-thread.ts`). It syncs the log before copying
 * it, so a power cut costs the newest entries and never the file. 4 MiB of pages stay in memory,
 * whatever the size of the file: with them, a step of 500 entries on a full history takes at most
 * 20 ms of the thread; with 16 MiB, 18 ms (measured).
 */
const settings = `
  PRAGMA synchronous = OFF;
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA secure_delete = FAST;
  PRAGMA cache_size = -4096;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = 0;
`

/**
 * `forgotten` holds removed accounts until the last of their rows is deleted, even across a crash.
 * Version 1 also stored flips, which nobody read.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, account TEXT, subject TEXT NOT NULL,
    kind TEXT NOT NULL, data TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS entries_by_time ON entries (at);
  CREATE INDEX IF NOT EXISTS entries_by_subject ON entries (subject, at);
  CREATE TABLE IF NOT EXISTS forgotten (account TEXT PRIMARY KEY) WITHOUT ROWID;
  DROP TABLE IF EXISTS flips;
`

class NewerHistory extends Error {}

/**
 * Opens or creates the file, 0600 from its first byte whatever the umask; SQLite gives its -wal and
 * -shm the same mode. Throws `NewerHistory` for a newer version's file, which is left unchanged,
 * and SQLite's own error for everything else.
 */
export function openHistoryFile(file: string): DatabaseSync {
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite')
  // A pipe would never open, and a link may lead to somebody else's database.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw Object.assign(new Error('not a file'), { errcode: 26 })
  closeSync(openSync(file, 'a', 0o600))
  if (process.platform !== 'win32') chmodSync(file, 0o600)
  // Don't wait for a lock: another process that holds it is reported and the file retried later.
  const db = new Database(file, { timeout: 0 })
  try {
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
    if (version > schemaVersion) throw new NewerHistory()
    db.exec(settings)
    // An up-to-date file is not written to at each start.
    if (version < tablesVersion) {
      const reached = version === 0 ? schemaVersion : tablesVersion
      db.exec(`BEGIN IMMEDIATE; ${schema} PRAGMA user_version = ${reached}; COMMIT`)
    }
    // Touches every table, so that half a file is detected here and not by the first write.
    for (const table of ['entries', 'forgotten']) db.prepare(`SELECT * FROM ${table} LIMIT 1`).get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB (11 and 26), with or without extended codes, or a foreign schema (1). */
function isDamage(error: unknown): boolean {
  return [1, 11, 26].includes(resultCode(error))
}

const onlyUntilQuit = 'what happens now is kept only until Belfry quits.'
const unsaved = { id: 'history-refused', unsaved: 'the history' }

/** Why the file can't be written or reached for now. */
function whyRefused(error: unknown): string {
  const names: Readonly<Record<number, string>> = {
    5: 'in use by another program',
    6: 'in use by another program',
    8: 'read-only disk',
    10: 'disk error',
    13: 'disk full',
    14: 'cannot be opened',
  }
  return names[resultCode(error)] ?? refusalWords(error)
}

function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
}

/**
 * Moves a damaged file out of the way, with its log, which may hold data that the file lacks.
 * Neither is deleted; only the -shm is, an index that SQLite rebuilds. Returns its new name, or
 * null when the disk refused: then it is safe where it is, and nothing may be opened beside it.
 */
function putHistoryAside(file: string, now: number): string | null {
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  const aside = join(dirname(file), `${basename(file, '.db')}.corrupt-${stamp}.db`)
  try {
    // The log first: left behind alone it would be replayed into the new file.
    if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
    renameSync(file, aside)
    rmSync(`${file}-shm`, { force: true })
    return basename(aside)
  } catch {
    // A read-only disk.
    return null
  }
}
