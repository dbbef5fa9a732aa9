import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { AccountId } from '../../shared/core/account.ts'
import {
  type HistoryEntry,
  type HistoryFilter,
  stepsAccount,
  stepsMs,
} from '../../shared/core/checks/history.ts'
import { jsonIn } from '../../shared/core/schemas.ts'
import { maskedJson } from './masked-files.ts'

/** Characters of one entry's data: enough for a message of 10,000, not for a log. */
export const dataLimit = 64 * 1024

export interface HistoryBounds {
  readonly ageMs: number
  readonly entries: number
  readonly bytes: number
}

/** `user_version` of a file whose texts of jobs are all masked. */
export const maskedVersion = 3

/** Rows per step: a few ms, then other work gets its turn. */
const stepRows = 500
/** Rows per step of masking. */
const maskedRows = 100
/** Freed pages returned to the disk per step, 4 kB each. */
const stepPages = 200

export type HistoryTables = ReturnType<typeof historyTables>

/** The statements on an open history. Any of them may throw SQLite's errors. */
export function historyTables(db: DatabaseSync) {
  const addEntry = db.prepare(
    'INSERT INTO entries (at, account, subject, kind, data) VALUES (?, ?, ?, ?, ?)',
  )
  /** Prepared statements by their SQL: one for each combination of filter terms. */
  const reads = new Map<string, StatementSync>()
  const read = (sql: string): StatementSync => {
    const known = reads.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(sql)
    // An object for each row would cost as much as reading the row.
    statement.setReturnArrays(true)
    reads.set(sql, statement)
    return statement
  }
  /** Ids up to this one are masked. */
  let masked = 0

  /** Masks the secrets in some entries of older versions; false if there are none. */
  function maskStep(): boolean {
    if (number('PRAGMA user_version') >= maskedVersion) return false
    const rows = db
      .prepare(
        "SELECT id, data FROM entries WHERE id > ? AND kind IN ('notice', 'step') ORDER BY id LIMIT ?",
      )
      .all(masked, maskedRows)
    const update = db.prepare('UPDATE entries SET data = ? WHERE id = ?')
    inTransaction(db, () => {
      for (const { id, data } of rows) {
        const text = maskedJson(String(data))
        if (text !== data) update.run(text, Number(id))
      }
      if (rows.length === 0) db.exec(`PRAGMA user_version = ${maskedVersion}`)
    })
    masked = Number(rows.at(-1)?.['id'] ?? masked)
    return true
  }

  const number = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0)

  return {
    /** Writes all or nothing. */
    write(entries: readonly HistoryEntry[]) {
      const writeAll = (): void => {
        // Serialised here, step by step: the text of a storm all at once would block everything else.
        for (const { at, accountId, subject, kind, data, json } of entries)
          addEntry.run(at, accountId, subject, kind, json ?? dataText(data))
      }
      // A single statement is a transaction already, and saves two calls.
      if (entries.length > 1) inTransaction(db, writeAll)
      else writeAll()
    },
    entries: (filter: HistoryFilter) => readEntries(read, filter),
    /** The time of the newest entry, in epoch ms; null: there is none. */
    newestAt(): number | null {
      return number('SELECT max(at) FROM entries') || null
    },
    /** Marks an account for removal. */
    beginForget(accountId: AccountId) {
      db.prepare('INSERT OR IGNORE INTO forgotten VALUES (?)').run(accountId)
    },
    /** Marks an account whose entries become another one's. */
    beginRename(from: AccountId, to: AccountId) {
      db.exec(renamedTable)
      db.prepare('INSERT OR REPLACE INTO renamed VALUES (?, ?, 0)').run(from, to)
    },
    /**
     * Takes a small step of renaming and removing accounts, masking and pruning; false if nothing is
     * left to do.
     */
    prune(now: number, bounds: HistoryBounds) {
      const deleted =
        renameStep(db) ||
        forgetStep(db) ||
        maskStep() ||
        deleteSome(db, 'at < ? ORDER BY at', now - bounds.ageMs) ||
        // With a busy chat, the attention engine's steps are most of the entries.
        deleteSome(db, 'subject = ? AND at < ? ORDER BY at', stepsAccount, now - stepsMs)
      if (deleted) return true
      const free = number('PRAGMA freelist_count')
      const used = (number('PRAGMA page_count') - free) * number('PRAGMA page_size')
      if (number('SELECT count(*) FROM entries') > bounds.entries || used > bounds.bytes)
        return deleteSome(db, 'true ORDER BY at')
      if (free === 0) return false
      db.exec(`PRAGMA incremental_vacuum(${stepPages})`)
      return free > stepPages
    },
    close: () => db.close(),
  }
}

function inTransaction(db: DatabaseSync, act: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    act()
    db.exec('COMMIT')
  } catch (error) {
    // A full disk may already have rolled back.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function readEntries(read: (sql: string) => StatementSync, filter: HistoryFilter): HistoryEntry[] {
  const terms = ['at >= ?']
  const values: SQLInputValue[] = [filter.from]
  const term = (sql: string, ...given: SQLInputValue[]): void => {
    terms.push(sql)
    values.push(...given)
  }
  if (filter.to !== undefined) term('at < ?', filter.to)
  if (filter.accountId !== undefined) term('account = ?', filter.accountId)
  if (filter.subject !== undefined) term('subject = ?', filter.subject)
  if (filter.kinds !== undefined)
    term(`kind IN (${filter.kinds.map(() => '?').join(', ')})`, ...filter.kinds)
  term('account IS NULL OR account NOT IN (SELECT account FROM forgotten)')
  // Columns that the filter determines are not read for each row.
  const account = filter.accountId === undefined ? 'account' : 'NULL'
  const subject = filter.subject === undefined ? 'subject' : 'NULL'
  const statement = read(
    `SELECT at, ${account}, ${subject}, kind, data FROM entries
     WHERE ${terms.map((one) => `(${one})`).join(' AND ')} ORDER BY at DESC, id DESC LIMIT ?`,
  )
  // Node's types know rows only as objects.
  const rows = statement.all(...values, Math.max(0, filter.limit)) as unknown as SQLOutputValue[][]
  return rows.reverse().map(([at, ofAccount, about, kind, data]) => ({
    at: Number(at),
    accountId: filter.accountId ?? (ofAccount == null ? null : String(ofAccount)),
    subject: filter.subject ?? String(about),
    kind: String(kind),
    // If another program wrote into the file, this may be null; the rest still says what happened.
    data: jsonIn(String(data)),
  }))
}

/** Accounts whose entries up to an id are another one's now; the table is there only meanwhile. */
const renamedTable = `CREATE TABLE IF NOT EXISTS renamed (
  account TEXT UNIQUE NOT NULL, "into" TEXT NOT NULL, upTo INTEGER NOT NULL)`

/** Account ids are random, so wherever one stands in an entry, it means the account. */
function renameStep(db: DatabaseSync): boolean {
  if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'renamed'").get() === undefined)
    return false
  const { from, into, upTo } =
    db
      .prepare('SELECT account AS "from", "into", upTo FROM renamed ORDER BY rowid LIMIT 1')
      .get() ?? {}
  if (typeof from !== 'string' || typeof into !== 'string' || upTo === undefined) {
    db.exec('DROP TABLE renamed')
    return false
  }
  const some = db
    .prepare(
      'SELECT max(id) AS last FROM (SELECT id FROM entries WHERE id > ? ORDER BY id LIMIT ?)',
    )
    .get(upTo, stepRows)?.['last']
  if (some == null) {
    db.prepare('DELETE FROM renamed WHERE account = ?').run(from)
    return true
  }
  db.prepare(
    `UPDATE entries SET account = iif(account = :from, :into, account),
       subject = replace(subject, :from, :into), data = replace(data, :from, :into)
     WHERE id > :upTo AND id <= :some
       AND (account = :from OR instr(subject, :from) OR instr(data, :from))`,
  ).run({ from, into, upTo, some })
  db.prepare('UPDATE renamed SET upTo = ? WHERE account = ?').run(some, from)
  return true
}

function forgetStep(db: DatabaseSync): boolean {
  const account = db.prepare('SELECT account FROM forgotten LIMIT 1').get()?.['account']
  if (typeof account !== 'string') return false
  if (!deleteSome(db, 'account = ?', account))
    db.prepare('DELETE FROM forgotten WHERE account = ?').run(account)
  return true
}

/** Deletes entries, up to `stepRows`; returns whether there were any. */
function deleteSome(db: DatabaseSync, where: string, ...values: SQLInputValue[]): boolean {
  const { changes } = db
    .prepare(
      `DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE ${where} LIMIT ${stepRows})`,
    )
    .run(...values)
  return Number(changes) > 0
}

function dataText(data: unknown): string {
  try {
    // In a list, because `undefined` alone has no JSON text.
    const text = JSON.stringify([data]).slice(1, -1)
    return text.length > dataLimit ? 'null' : inAscii(text)
  } catch {
    // A caller's bug, such as a cycle: the entry itself still says what happened.
    return 'null'
  }
}

/**
 * Share of a text's length by which its UTF-8 form may be longer; escaping, at six characters a
 * letter, then still adds little.
 */
const fewBytes = 1 / 20

/**
 * The same JSON in ASCII: one letter beyond Latin-1 would make V8 read, parse and keep the whole
 * text at twice its size. A text with many such letters stays as it is, because escaping would cost
 * more than that.
 */
function inAscii(text: string): string {
  const beyond = Buffer.byteLength(text) - text.length
  if (beyond === 0 || beyond > text.length * fewBytes) return text
  return text.replace(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
