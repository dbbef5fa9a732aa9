import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { object, string } from 'valibot'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'
import { documents, restored } from '../../src/main/state/documents.ts'
import type * as Store from '../../src/main/state/store.ts'
import { listDocument } from '../../src/main/state/stored-document.ts'
import { SavedFiles } from '../../src/main/storage/saved-files.ts'
import { type AppState, emptyState } from '../../src/shared/core/state.ts'
import { type RunningApp, startApp } from '../support/app.ts'

/** The state of the app started last: the test changes it directly, as no command does. */
const last = vi.hoisted((): { live: Store.LiveState | null } => ({ live: null }))
vi.mock('../../src/main/state/store.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Store>()
  class LiveState extends original.LiveState {
    constructor(parts: ConstructorParameters<typeof original.LiveState>[0]) {
      super(parts)
      last.live = this
    }
  }
  return { ...original, LiveState }
})

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('a document added to the table', () => {
  interface Bookmark {
    readonly accountId: string
    readonly name: string
  }
  const bookmarksOf = ({ app }: RunningApp): unknown => Reflect.get(app.state, 'bookmarks')
  const onDisk = ({ disk }: RunningApp): unknown => disk.read('bookmarks')
  function bookmark(...bookmarks: readonly Bookmark[]): void {
    last.live?.update((state) => Object.assign({ ...state }, { bookmarks }))
  }

  /** Adds one row and one part of the state, which nothing else knows. */
  beforeEach(() => {
    const row = {
      words: 'the bookmarks',
      item: object({ accountId: string(), name: string() }),
      accountsOf: ({ accountId }: Bookmark) => [accountId],
    }
    Reflect.set(documents, 'bookmarks', listDocument('bookmarks' as never, row as never))
    Reflect.set(emptyState, 'bookmarks', [])
  })
  afterEach(() => {
    Reflect.deleteProperty(documents, 'bookmarks')
    Reflect.deleteProperty(emptyState, 'bookmarks')
  })

  async function connected() {
    const it = await startApp()
    const { accountId: ops } = await it.app.commands.addAccount(it.world.newAccounts.ops)
    const { accountId: chat } = await it.app.commands.addAccount(it.world.newAccounts.chat)
    const mine = [
      { accountId: ops, name: 'db' },
      { accountId: chat, name: 'Ana' },
    ]
    return { it, ops, mine }
  }

  test('is written when it changes, and read at the next start', async () => {
    const { it, mine } = await connected()
    bookmark(...mine)
    await pass(0)
    expect(onDisk(it)).toEqual(mine)
    const again = await it.restart()
    expect(bookmarksOf(again)).toEqual(mine)
    await again.app.stop()
  })

  test('loses an item that can’t be read, but no other', async () => {
    const { it, mine } = await connected()
    await it.disk.write('bookmarks', [{ name: 5 }, ...mine])
    const again = await it.restart()
    expect(bookmarksOf(again)).toEqual(mine)
    await again.app.stop()
  })

  test('is removed with its account', async () => {
    const { it, ops, mine } = await connected()
    bookmark(...mine)
    await it.app.commands.removeAccount({ accountId: ops })
    await pass(0)
    expect(bookmarksOf(it)).toEqual(mine.slice(1))
    expect(onDisk(it)).toEqual(mine.slice(1))
    await it.app.stop()
  })

  test('is never stored from the demo, and gone when the demo is left', async () => {
    const { it, mine } = await connected()
    await it.app.commands.exploreDemo({})
    const demo = it.app.state.accounts.find((account) => account.demo)
    bookmark({ accountId: demo?.id ?? '', name: 'pretended' }, ...mine)
    await pass(0)
    expect(bookmarksOf(it)).toHaveLength(3)
    expect(onDisk(it)).toEqual(mine)
    await it.app.commands.leaveDemo({})
    expect(bookmarksOf(it)).toEqual(mine)
    await it.app.stop()
  })

  test('says what would be lost if the disk refuses, and is written once that accepts it', async () => {
    const { it, mine } = await connected()
    it.disk.full = true
    bookmark(...mine)
    await pass(100)
    const troubles = (): string[] => it.app.state.troubles.map(({ text }) => text)
    expect(troubles().join()).toContain('Can’t save the bookmarks')
    it.disk.full = false
    await pass(60_000)
    expect(troubles()).toEqual([])
    expect(onDisk(it)).toEqual(mine)
    await it.app.stop()
  })
})

test('each document is listed under “What is on disk” in docs/reliability.md', async () => {
  const page = await readFile(join(projectRoot, 'docs/reliability.md'), 'utf8')
  const section = page.split('## What is on disk')[1]?.split(/\n## /)[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  const named = rows.flatMap((row) =>
    Array.from(row.matchAll(/`(\w+)\.json`/g), ([, name]) => name),
  )
  const others = ['keys', 'window', 'hints', 'masked']
  const files = Object.values(documents).map(({ file }) => file)
  expect(named.sort()).toEqual([...files, ...others].sort())
})

test('nothing of the demo is in any document, whatever happens there', async () => {
  const it = await startApp()
  await it.app.commands.exploreDemo({})
  await pass(3_000)
  it.world.ops.controls.ping('search-reindex', 'fail')
  it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'are you there?' })
  await pass(120_000)
  const ids = it.app.state.accounts.map(({ id }) => id)
  const keptOf = (documentsOnDisk: Iterable<string>): string[] =>
    ids.filter((id) => [...documentsOnDisk].some((text) => text.includes(id)))
  expect(it.app.state.notices.length).toBeGreaterThan(0)
  expect(keptOf([JSON.stringify(it.app.state.notices)])).not.toEqual([])
  expect([...it.disk.documents.keys()]).toContain('marks')
  expect(keptOf(it.disk.documents.values())).toEqual([])
  await it.app.stop()
})

test('documents written before the table existed are read as they were then', async () => {
  const before = join(import.meta.dirname, 'saved-before')
  const folder = await mkdtemp(join(tmpdir(), 'belfry-documents-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(before, folder, { recursive: true })
  const troubles: unknown[] = []
  const saved = new SavedFiles({
    folder,
    now: Date.now,
    openStored: () => null,
    onTrouble: (trouble) => troubles.push(trouble),
  })
  const { environment } = emptyState
  const { state, memory } = restored(saved, { ...environment, protection: 'os' })
  const asPlain = (_key: string, value: unknown): unknown => {
    if (value instanceof Map) return { map: [...value] }
    return value instanceof Set ? { set: [...value] } : value
  }
  const plain: unknown = JSON.parse(JSON.stringify({ state, memory }, asPlain))
  const expected = JSON.parse(await readFile(join(before, 'restored.json'), 'utf8')) as {
    readonly state: AppState
  }
  expect(expected.state.outbox).toHaveLength(3)
  // The old files have nothing of what was added later.
  expect(plain).toMatchObject(expected)
  expect(troubles).toEqual([])
})
