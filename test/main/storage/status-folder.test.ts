import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  promises,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openStatusFolder } from '../../../src/main/storage/status-folder.ts'

let home = ''
const notes: string[] = []
beforeEach(() => {
  notes.length = 0
  home = mkdtempSync(join(tmpdir(), 'belfry-status-'))
  for (const name of ['run', 'data']) mkdirSync(join(home, name))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, { recursive: true, force: true })
})

const open = (runtime: string | null = join(home, 'run')) =>
  openStatusFolder(runtime, join(home, 'data'), (what) => notes.push(what))
const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
const mode = (path: string) => statSync(path).mode & 0o777

async function written(of: () => unknown, wanted: unknown): Promise<void> {
  await expect.poll(of, { timeout: 30_000 }).toEqual(wanted)
}

describe('the status folder', () => {
  test('has the last files that were written, for their owner alone, and none at the end', async () => {
    const before = process.umask(0)
    const status = open()
    const folder = join(home, 'run', 'belfry')
    try {
      for (let at = 0; at <= 50; at += 1)
        status.write({ status: `${at}`, 'status.json': `{${at}}` })
      await written(() => existsSync(folder) && contents(folder), {
        status: '50',
        'status.json': '{50}',
      })
    } finally {
      process.umask(before)
    }
    expect([folder, join(folder, 'status')].map(mode)).toEqual([0o700, 0o600])
    await status.close()
    const puts = vi.spyOn(promises, 'writeFile')
    status.write({ status: 'too late' })
    await new Promise(setImmediate)
    expect(puts).not.toHaveBeenCalled()
    expect(readdirSync(folder)).toEqual([])
    expect(readdirSync(join(home, 'data'))).toEqual([])
    expect(notes).toEqual([])
  })

  test('is emptied of what a killed run left, and of nothing else', async () => {
    const folder = join(home, 'run', 'belfry')
    mkdirSync(folder)
    for (const name of ['status.json', 'status.tmp-7_1', 'answer-12', 'of mine'])
      writeFileSync(join(folder, name), 'old')
    const status = open()
    status.write({ status: 'new' })
    await written(() => contents(folder), { status: 'new', 'of mine': 'old' })
    await status.close()
    expect(readdirSync(folder)).toEqual(['of mine'])
  })

  test('is beside the settings if there is no session', async () => {
    for (const runtime of [null, join(home, 'gone')]) {
      const status = open(runtime)
      const folder = join(home, 'data', 'status')
      status.write({ status: 'here' })
      await written(() => existsSync(folder) && contents(folder), { status: 'here' })
      await status.close()
    }
    expect(existsSync(join(home, 'gone'))).toBe(false)
  })

  test('is never another’s: a link in its place is not followed', async () => {
    const other = join(home, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'status'), 'theirs')
    symlinkSync(other, join(home, 'run', 'belfry'))
    const status = open()
    status.write({ status: 'here' })
    const folder = join(home, 'data', 'status')
    await written(() => existsSync(folder) && contents(folder), { status: 'here' })
    await status.close()
    expect(contents(other)).toEqual({ status: 'theirs' })
  })

  test('is never another’s: nothing is written where every folder belongs to somebody else', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(statSync(home).uid + 1)
    const status = open()
    status.write({ status: 'here' })
    await written(() => notes, ['could not be written: unknown'])
    await status.close()
    expect([join(home, 'run', 'belfry'), join(home, 'data', 'status')].map(contents)).toEqual([
      {},
      {},
    ])
  })

  test('keeps no old file where a full disk takes no new one', async () => {
    const folder = join(home, 'run', 'belfry')
    const status = open()
    status.write({ status: 'all up' })
    await written(() => existsSync(folder) && contents(folder), { status: 'all up' })
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    vi.spyOn(promises, 'writeFile').mockRejectedValueOnce(full).mockRejectedValueOnce(full)
    status.write({ status: '1 down' })
    await written(() => notes, ['could not be written: ENOSPC'])
    expect(contents(folder)).toEqual({})
    status.write({ status: '2 down' })
    await status.close()
    expect(notes).toHaveLength(1)
  })

  test('keeps no file that could not be replaced, says so once, and recovers', async () => {
    const folder = join(home, 'run', 'belfry')
    const status = open()
    status.write({ status: 'old' })
    await written(() => existsSync(folder) && contents(folder), { status: 'old' })
    // Something in its place that no file can replace, even for root.
    rmSync(join(folder, 'status'))
    mkdirSync(join(folder, 'status', 'x'), { recursive: true })
    for (const text of ['1', '2']) {
      status.write({ status: text, 'status.json': text })
      await written(() => existsSync(join(folder, 'status.json')), true)
    }
    await expect.poll(() => notes.length, { timeout: 30_000 }).toBe(1)
    rmSync(join(folder, 'status'), { recursive: true })
    status.write({ status: 'new' })
    await written(() => existsSync(join(folder, 'status')) && contents(folder)['status'], 'new')
    await status.close()
    expect(readdirSync(folder)).toEqual([])
  })

  test('is made again when the session’s folder comes back', async () => {
    const status = open()
    status.write({ status: 'old' })
    const folder = join(home, 'run', 'belfry')
    await written(() => existsSync(folder) && contents(folder), { status: 'old' })
    rmSync(folder, { recursive: true })
    // The first one finds out.
    await written(
      () => {
        status.write({ status: 'new' })
        return existsSync(folder) && contents(folder)
      },
      { status: 'new' },
    )
    await status.close()
    chmodSync(folder, 0o700)
  })
})
