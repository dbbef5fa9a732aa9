import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { History } from '../../../src/main/base/ports.ts'
import { openHistory } from '../../../src/main/storage/history-database.ts'
import { dataLimit } from '../../../src/main/storage/history-tables.ts'
import { memoryHistory, memoryLimit } from '../../../src/main/storage/memory-history.ts'
import type { HistoryEntry } from '../../../src/shared/core/checks/history.ts'

/** Close to what the tests store: entries over 90 days old are dropped a second after the start. */
const now = Date.UTC(2026, 2, 17, 14, 25)
const day = 24 * 60 * 60_000

let folder: string
let file: string
let troubles: (string | null)[]
const open: History[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-history-'))
  file = join(folder, 'history.db')
  troubles = []
})
afterEach(() => {
  for (const history of open.splice(0)) history.close()
  rmSync(folder, { recursive: true, force: true })
})

type Bounds = NonNullable<Parameters<typeof openHistory>[0]['bounds']>

async function opened(bounds?: Bounds): Promise<History> {
  const history = openHistory({
    file,
    now: () => now,
    onTrouble: ({ text }) => troubles.push(text),
    ...(bounds === undefined ? {} : { bounds }),
  })
  open.push(history)
  return history
}

const entry = (change: Partial<HistoryEntry> = {}): HistoryEntry => ({
  at: now,
  accountId: 'ops',
  subject: 'ops/check/1',
  kind: 'status',
  data: { from: 'up', to: 'down' },
  ...change,
})
const many = (count: number) =>
  Array.from({ length: count }, (_, n) => entry({ at: now - count + n }))
const all = { from: 0, limit: 1_000_000 }
const asides = () => readdirSync(folder).filter((name) => name.includes('corrupt'))

describe.each([
  ['in a file', () => opened()],
  ['in memory', async () => memoryHistory()],
] as const)('a history %s', (_where, begin) => {
  test('returns the newest entries that match a filter, ascending by time', async () => {
    const history = await begin()
    history.add([
      entry({ at: now - 3, kind: 'notice' }),
      entry({ at: now - 1, subject: 'ops/check/2' }),
      entry({ at: now - 2, accountId: null }),
      entry({ at: now }),
    ])
    const times = (filter: object) =>
      history.entries({ ...all, ...filter }).map(({ at }) => at - now)
    expect(times({})).toEqual([-3, -2, -1, 0])
    await history.settled()
    expect(times({})).toEqual([-3, -2, -1, 0])
    expect(times({ limit: 2 })).toEqual([-1, 0])
    expect(times({ from: now - 2, to: now })).toEqual([-2, -1])
    expect(times({ accountId: 'ops' })).toEqual([-3, -1, 0])
    expect(times({ subject: 'ops/check/2' })).toEqual([-1])
    expect(times({ kinds: ['notice'] })).toEqual([-3])
    expect(history.entries({ ...all, limit: 1 })).toEqual([entry()])
  })

  test('forgets a removed account, whether stored or still pending', async () => {
    const history = await begin()
    history.add([...many(1_200), entry({ accountId: 'web' })])
    await history.settled()
    history.add([entry(), entry({ accountId: 'web' })])
    history.forget('ops')
    expect(history.entries(all).map(({ accountId }) => accountId)).toEqual(['web', 'web'])
    await history.settled()
    expect(history.entries(all)).toHaveLength(2)
  })

  test('gives everything about an account to another one, whether stored or still pending', async () => {
    const history = await begin()
    const [from, to] = [crypto.randomUUID(), crypto.randomUUID()]
    const about = (id: string) => ({
      accountId: id,
      subject: `${id}/check/1`,
      data: { target: { accountId: id } },
    })
    history.add([...many(600), entry(about(from))])
    await history.settled()
    history.add([
      entry({ ...about(from), accountId: null }),
      entry({ ...about(from), at: now + 1 }),
    ])
    history.rename(from, to)
    await vi.waitFor(() => {
      const found = history.entries({ ...all, subject: about(to).subject })
      expect(found.map(({ accountId, data }) => [accountId, data])).toEqual(
        [to, null, to].map((id) => [id, about(to).data]),
      )
    })
    expect(JSON.stringify(history.entries(all))).not.toContain(from)
    expect(history.entries({ ...all, accountId: 'ops' })).toHaveLength(600)
  })

  test("never throws for data that can't be written as JSON", async () => {
    const history = await begin()
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    history.add([entry({ data: loop }), entry({ data: undefined }), entry({ at: Number.NaN })])
    await history.settled()
    expect(history.entries(all)).toHaveLength(2)
    expect(troubles).toEqual([])
  })
})

describe('a stored history', () => {
  test('takes no more space for other alphabets than necessary', async () => {
    const history = await opened()
    const data = { words: 'резервная копия базы не удалась '.repeat(100) }
    history.add([entry({ data })])
    await history.settled()
    const { data: text } = new DatabaseSync(file).prepare('SELECT data FROM entries').get() ?? {}
    expect(text).toBe(JSON.stringify(data))
    expect(history.entries(all)).toEqual([entry({ data })])
  })

  test('stores JSON text that was made already, and reads it like any other', async () => {
    const history = await opened()
    const data = { words: '“ü” \u0000 \n' }
    history.add([{ ...entry({ data }), json: JSON.stringify(data) }])
    await history.settled()
    expect(history.entries(all)).toEqual([entry({ data })])
  })

  test('is still there after a restart', async () => {
    const history = await opened()
    history.add([entry()])
    history.close()
    const later = await opened()
    expect(later.entries(all)).toEqual([entry()])
    expect(troubles).toEqual([])
  })

  test('returns every character unchanged, including those that older versions stored unescaped', async () => {
    const odd = 'Grüße, 北京, \u2028, \ud83e\udd89, \ud83e alone, \u0000'
    const data = { '“é”': odd, more: 'plain words '.repeat(40) }
    const history = await opened()
    history.add([entry({ at: now - 1, subject: 'ops/“é”', data })])
    await history.settled()
    const older = new DatabaseSync(file)
    expect(older.prepare('SELECT data FROM entries').get()?.['data']).toMatch(/^[ -~]+$/)
    const plain = { '“é”': 'Grüße, 北京, 🦉' }
    older
      .prepare('INSERT INTO entries (at, account, subject, kind, data) VALUES (?, ?, ?, ?, ?)')
      .run(now, 'ops', 'ops/“é”', 'status', JSON.stringify(plain))
    older.close()
    for (const filter of [all, { ...all, accountId: 'ops' }, { ...all, subject: 'ops/“é”' }])
      expect(history.entries(filter)).toEqual([
        entry({ at: now - 1, subject: 'ops/“é”', data }),
        entry({ subject: 'ops/“é”', data: plain }),
      ])
  })

  test('keeps the entries of the first version, and drops the flips that it stored', async () => {
    const older = new DatabaseSync(file)
    older.exec(`
      CREATE TABLE entries (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, account TEXT,
        subject TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL);
      INSERT INTO entries VALUES (1, ${now}, 'ops', 'ops/check/1', 'status', '{"to":"down"}');
      CREATE TABLE flips (account TEXT, check_id TEXT, at INTEGER, up INTEGER);
      INSERT INTO flips VALUES ('ops', '1', ${now}, 0);
      PRAGMA user_version = 1`)
    older.close()
    const history = await opened()
    expect(history.entries(all)).toEqual([entry({ data: { to: 'down' } })])
    history.close()
    const newer = new DatabaseSync(file, { readOnly: true })
    // The texts in it are yet to be masked.
    expect(newer.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 })
    const tables = newer.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    newer.close()
    expect(tables).toEqual([{ name: 'entries' }, { name: 'forgotten' }])
    expect(troubles).toEqual([])
  })

  test('is soon on disk without being asked to flush', async () => {
    const history = await opened()
    history.add([entry()])
    const kept = (): unknown => {
      const other = new DatabaseSync(file, { readOnly: true })
      try {
        return other.prepare('SELECT count(*) AS n FROM entries').get()
      } finally {
        other.close()
      }
    }
    await expect.poll(kept).toEqual({ n: 1 })
  })

  test('is opened a second after the start, or earlier for the first entry', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await opened()
      vi.advanceTimersByTime(900)
      expect(existsSync(file)).toBe(false)
      vi.advanceTimersByTime(100)
      expect(existsSync(file)).toBe(true)
      file = join(folder, 'other.db')
      const history = await opened()
      history.add([entry({ at: now - 1 })])
      vi.advanceTimersByTime(200)
      history.add([entry()])
      expect(existsSync(file)).toBe(false)
      vi.advanceTimersByTime(50)
      const other = new DatabaseSync(file, { readOnly: true })
      expect(other.prepare('SELECT at FROM entries ORDER BY id').all()).toEqual([
        { at: now - 1 },
        { at: now },
      ])
      history.add(many(1_200))
      vi.advanceTimersByTime(250)
      expect(other.prepare('SELECT count(*) AS n FROM entries').get()).toEqual({ n: 1_202 })
      other.close()
    } finally {
      vi.useRealTimers()
    }
  })

  test('soon has no row of a removed account', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const history = await opened()
      history.add([...many(1_200), entry({ accountId: 'web' })])
      vi.advanceTimersByTime(1_000)
      history.forget('ops')
      vi.advanceTimersByTime(1_000)
      const other = new DatabaseSync(file, { readOnly: true })
      expect(other.prepare('SELECT account FROM entries').all()).toEqual([{ account: 'web' }])
      expect(other.prepare('SELECT account FROM forgotten').all()).toEqual([])
      other.close()
    } finally {
      vi.useRealTimers()
    }
  })

  test('leaves out data beyond its limit, and what happened is still there', async () => {
    const history = await opened()
    const data = 'x'.repeat(dataLimit - '""'.length)
    history.add([entry({ at: now - 1, data }), entry({ data: `${data}x` })])
    await history.settled()
    expect(history.entries(all)).toEqual([entry({ at: now - 1, data }), entry({ data: null })])
  })

  test('is made private again if it was copied', async () => {
    const before = await opened()
    before.add([entry()])
    before.close()
    chmodSync(file, 0o644)
    expect((await opened()).entries(all)).toHaveLength(1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('reports that it is damaged even if nothing is added', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      writeFileSync(file, 'no database at all, but long enough to be taken for one'.repeat(100))
      await opened()
      vi.advanceTimersByTime(1_000)
      expect(troubles).toEqual([expect.stringContaining('damaged')])
    } finally {
      vi.useRealTimers()
    }
  })

  test.each([0o000, 0o022, 0o077])('is readable by its owner only under umask %o', async (mask) => {
    const before = process.umask(mask)
    try {
      const history = await opened()
      history.add([entry()])
      await history.settled()
      const modes = readdirSync(folder).map((name) => [
        name,
        (statSync(join(folder, name)).mode & 0o777).toString(8),
      ])
      expect(modes).toEqual([
        ['history.db', '600'],
        ['history.db-shm', '600'],
        ['history.db-wal', '600'],
      ])
    } finally {
      process.umask(before)
    }
  })

  test('takes 10,000 entries in steps of a few ms each', async () => {
    const history = await opened()
    history.add(many(10_000))
    let turns = 0
    const counted = setInterval(() => {
      turns += 1
    })
    await history.settled()
    clearInterval(counted)
    expect(history.entries(all)).toHaveLength(10_000)
    // Other work ran between the steps.
    expect(turns).toBeGreaterThan(0)
  })

  test('is kept within its limits of age, number and size', async () => {
    const bounds = { ageMs: 90 * day, entries: 1_000, bytes: 1024 * 1024 }
    const history = await opened()
    history.add([entry({ at: now - 91 * day }), ...many(3_000)])
    history.close()
    const pruned = await opened(bounds)
    await expect.poll(() => pruned.entries(all).length).toBeLessThanOrEqual(1_000)
    expect(pruned.entries(all).at(-1)?.at).toBe(now - 1)
    pruned.add(many(1_000).map((one) => ({ ...one, data: 'x'.repeat(4_000) })))
    pruned.close()
    const large = statSync(file).size
    const small = await opened(bounds)
    await expect.poll(() => small.entries(all).length).toBeLessThan(600)
    await expect.poll(() => pages(file)).toBeLessThanOrEqual(1024 * 1024)
    small.close()
    expect(statSync(file).size).toBeLessThan(large / 2)
  })

  test('drops the attention engine’s steps once they are too old for a trial of rules', async () => {
    const history = await opened()
    const step = (days: number) =>
      entry({ at: now - days * day, accountId: 'attention', subject: 'attention', kind: 'step' })
    history.add([
      ...Array.from({ length: 1_200 }, () => step(8)),
      step(6),
      entry({ at: now - 8 * day }),
      entry(),
    ])
    history.close()
    const pruned = await opened()
    await expect.poll(() => pruned.entries(all)).toHaveLength(3)
    expect(pruned.entries(all).map(({ kind, at }) => [kind, now - at])).toEqual([
      ['status', 8 * day],
      ['step', 6 * day],
      ['status', 0],
    ])
  })
})

function pages(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  const one = (name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0])
  const size = one('page_count') * one('page_size')
  db.close()
  return size
}

describe('a history that can’t be used', () => {
  const sound = async () => {
    const history = await opened()
    history.add(many(2_000))
    history.close()
  }

  test.each([
    ['garbage', () => writeFileSync(file, 'no database at all, '.repeat(500))],
    ['cut in half', () => truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096)],
    ['cut within a page', () => truncateSync(file, 5_000)],
    ['full of NULs', () => writeFileSync(file, new Uint8Array(100_000))],
    [
      'a link to another one',
      () => {
        renameSync(file, join(folder, 'other.db'))
        symlinkSync(join(folder, 'other.db'), file)
      },
    ],
  ])('because it is %s is set aside whole, and a new one begins', async (_what, damage) => {
    await sound()
    damage()
    const bytes = readFileSync(file)
    const history = await opened()
    history.add([entry()])
    await history.settled()
    expect(history.entries(all)).toEqual([entry()])
    const [aside] = asides()
    expect(readFileSync(join(folder, aside!)).equals(bytes)).toBe(true)
    expect(troubles).toHaveLength(1)
    expect(troubles[0]).toContain(aside)
  })

  test('because it is damaged and cannot be set aside is left where it is, and memory is used', async () => {
    const garbage = 'no database at all, '.repeat(500)
    writeFileSync(file, garbage)
    const aside = `history.corrupt-${new Date(now).toISOString().replaceAll(':', '-')}.db`
    // A folder that no file can replace, even for root.
    mkdirSync(join(folder, aside, 'x'), { recursive: true })
    const history = await opened()
    for (const at of [now - 1, now]) {
      history.add([entry({ at })])
      await history.settled()
    }
    expect(history.entries(all)).toHaveLength(2)
    expect(readFileSync(file, 'utf8')).toBe(garbage)
    expect(troubles).toEqual([
      'The history is damaged. It could not be set aside and is left where it is, and what happens now is kept only until Belfry quits.',
    ])
  })

  test('leaves nothing behind that would get into the new one', async () => {
    await sound()
    writeFileSync(file, 'x'.repeat(8_192))
    writeFileSync(`${file}-wal`, 'y'.repeat(8_192))
    const history = await opened()
    history.add([entry()])
    await history.settled()
    expect(history.entries(all)).toEqual([entry()])
    expect(asides()).toHaveLength(1)
  })

  test('is read from its log if that still has every page', async () => {
    const history = await opened()
    history.add(many(100))
    await history.settled()
    copyFileSync(`${file}-wal`, join(folder, 'kept'))
    history.close()
    writeFileSync(file, 'x'.repeat(8_192))
    copyFileSync(join(folder, 'kept'), `${file}-wal`)
    expect((await opened()).entries(all)).toHaveLength(100)
    expect(troubles).toEqual([])
  })

  test('because it is from a newer version is left alone, and memory is used', async () => {
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 99; CREATE TABLE entries (later TEXT)')
    db.close()
    const bytes = readFileSync(file)
    const history = await opened()
    history.add([entry()])
    await history.settled()
    expect(history.entries(all)).toEqual([entry()])
    for (const newer of [0, 1])
      history.add(many(memoryLimit).map(({ at }) => entry({ at: at + newer })))
    expect(history.entries(all)).toHaveLength(memoryLimit)
    expect(history.entries(all).at(-1)?.at).toBe(now)
    history.close()
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(troubles).toEqual([expect.stringContaining('newer version')])
  })

  test('because another program locks it keeps entries in memory, reports it once, and writes them later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const history = await opened()
      const other = new DatabaseSync(file)
      other.exec('BEGIN IMMEDIATE')
      history.add([entry({ at: now - 1 })])
      await history.settled()
      history.add([entry()])
      await history.settled()
      expect(history.entries(all)).toHaveLength(2)
      history.add([entry({ accountId: 'gone' })])
      history.forget('gone')
      expect(history.entries(all)).toHaveLength(2)
      vi.advanceTimersByTime(31_000)
      expect(troubles).toEqual([expect.stringContaining('another program')])
      other.exec('COMMIT')
      vi.advanceTimersByTime(31_000)
      const count = other.prepare('SELECT count(*) AS n FROM entries')
      expect(count.get()).toEqual({ n: 2 })
      expect(troubles.slice(1)).toEqual([null])
      history.add([entry({ accountId: 'web' })])
      vi.advanceTimersByTime(250)
      expect(count.get()).toEqual({ n: 3 })
      other.close()
      expect(history.entries(all)).toHaveLength(3)
    } finally {
      vi.useRealTimers()
    }
  })

  test('because its file was deleted continues in a new one', async () => {
    const history = await opened()
    history.add([entry()])
    await history.settled()
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    history.add([entry({ at: now - 1 })])
    await history.settled()
    expect(existsSync(file)).toBe(true)
    expect(history.entries(all)).toHaveLength(1)
  })

  test('because its folder is missing is tried again', async () => {
    file = join(folder, 'later', 'history.db')
    const history = await opened()
    history.add([entry()])
    expect(history.entries(all)).toEqual([entry()])
    expect(troubles).toEqual([expect.stringContaining('folder missing')])
    mkdirSync(join(folder, 'later'))
    await history.settled()
    expect(existsSync(file)).toBe(true)
    expect(troubles).toEqual([expect.stringContaining('folder missing'), null])
  })

  test.runIf(process.getuid?.() !== 0)(
    'because its disk is read-only keeps entries in memory',
    async () => {
      chmodSync(folder, 0o500)
      const history = await opened()
      history.add([entry()])
      await history.settled()
      expect(history.entries(all)).toEqual([entry()])
      expect(troubles).toHaveLength(1)
      chmodSync(folder, 0o700)
    },
  )
})
