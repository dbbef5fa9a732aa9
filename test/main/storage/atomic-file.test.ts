import {
  chmodSync,
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
import {
  prepareFolder,
  readDocument,
  readEnvelope,
  replaceFile,
  temporaryOf,
  writeDocument,
} from '../../../src/main/storage/atomic-file.ts'

let folder = ''
let file = ''
const usualMask = process.umask(0o022)

beforeEach(() => {
  process.umask(0o022)
  folder = join(mkdtempSync(join(tmpdir(), 'belfry-files-')), 'data')
  file = join(folder, 'drafts.json')
  prepareFolder(folder)
})
afterEach(() => {
  process.umask(usualMask)
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

const at = Date.UTC(2026, 10, 21, 9, 41, 0)

function read() {
  const bad: unknown[] = []
  const found = readDocument(file, at, (one) => bad.push(one))
  return { found, bad }
}

describe('a document', () => {
  test('is read back as written, and its previous version is kept as a backup', async () => {
    await writeDocument(file, ['one'])
    await writeDocument(file, { two: 'ünïcode 🔔' })
    expect(read()).toEqual({ found: { value: { two: 'ünïcode 🔔' }, from: 'file' }, bad: [] })
    expect(readEnvelope(`${file}.bak`)).toEqual({ kind: 'document', value: ['one'] })
    expect(readdirSync(folder).sort()).toEqual(['drafts.json', 'drafts.json.bak'])
  })

  test('that was never written is null', () => {
    expect(read()).toEqual({ found: null, bad: [] })
  })

  test.each([
    ['empty', ''],
    ['cut', '{"version":1,"value":{"a":'],
    ['NUL', '\0'.repeat(512)],
    ['array', '[]'],
    ['null', 'null'],
    ['a number', '7'],
    ['foreign', '{"theme":"dark"}'],
    ['of an invalid version', '{"version":"1","value":{}}'],
  ])('whose file is %s is set aside and its backup is read', async (_kind, text) => {
    await writeDocument(file, 'older')
    await writeDocument(file, 'newer')
    writeFileSync(file, text)
    const { found, bad } = read()
    expect(found).toEqual({ value: 'older', from: 'backup' })
    const asideAs = 'drafts.corrupt-2026-11-21T09-41-00.000Z.json'
    expect(bad).toEqual([{ file: 'drafts.json', why: 'corrupt', asideAs }])
    expect(readFileSync(join(folder, asideAs), 'utf8')).toBe(text)
  })

  test('whose backup is also damaged is null, and both are set aside', async () => {
    await writeDocument(file, 'older')
    await writeDocument(file, 'newer')
    writeFileSync(file, 'first')
    writeFileSync(`${file}.bak`, 'second')
    const { found, bad } = read()
    expect(found).toBeNull()
    expect(bad).toMatchObject([{ file: 'drafts.json' }, { file: 'drafts.json.bak' }])
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(kept.sort()).toEqual(['first', 'second'])
  })

  test('set aside again in the same moment overwrites no earlier copy', () => {
    for (const text of ['first', 'second', 'third']) {
      writeFileSync(file, text)
      read()
    }
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(kept.sort()).toEqual(['first', 'second', 'third'])
  })

  test("that is a folder, and so can't be read, is also set aside", () => {
    mkdirSync(file)
    expect(read().bad).toMatchObject([{ why: 'unreadable' }])
    expect(read()).toEqual({ found: null, bad: [] })
  })

  test('is read from its backup if a crash came between the two renames', async () => {
    await writeDocument(file, 'one')
    await writeDocument(file, 'two')
    rmSync(file)
    expect(read()).toEqual({ found: { value: 'one', from: 'backup' }, bad: [] })
  })

  test('that the disk refuses leaves the old one in place, and the write fails', async () => {
    await writeDocument(file, 'one')
    // A folder in place of the backup: fails for root too, unlike a missing permission.
    mkdirSync(`${file}.bak/x`, { recursive: true })
    await expect(writeDocument(file, 'two')).rejects.toThrow()
    expect(read().found).toEqual({ value: 'one', from: 'file' })
    expect(readdirSync(folder).filter((name) => name.includes('.tmp-'))).toEqual([])
  })

  test.each([
    ['EINVAL', 'as on a network disk', 'fine'],
    ['EIO', 'as on a failing one', 'refused'],
  ])('whose folder the disk does not sync (%s, %s) is %s', async (code, _where, outcome) => {
    const { open } = promises
    const refused = Object.assign(new Error(code), { code })
    const opened = vi.spyOn(promises, 'open').mockImplementation(async (path, ...more) => {
      const handle = await open(path, ...more)
      return path === folder
        ? Object.assign(handle, { sync: () => Promise.reject(refused) })
        : handle
    })
    const written = writeDocument(file, 'one').then(
      () => 'fine',
      () => 'refused',
    )
    expect(await written).toBe(outcome)
    opened.mockRestore()
  })

  test.each([0o000, 0o022, 0o077])('is readable by its owner only under umask %o', async (mask) => {
    process.umask(mask)
    await writeDocument(file, 'one')
    await writeDocument(file, 'two')
    const modes = [folder, file, `${file}.bak`].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600, 0o600])
  })
})

describe('the data folder', () => {
  test('is cleaned of what a killed process left, and of nothing else', () => {
    chmodSync(folder, 0o755)
    for (const name of [
      'drafts.json.tmp-1a2b3c4d',
      'settings.json.tmp-17637176561234ab',
      'settings.v1.json.tmp-17637176561234ab',
      temporaryOf('drafts.json'),
      temporaryOf('drafts.json'),
      'notes.tmp-1',
      'marks.json',
    ])
      writeFileSync(join(folder, name), 'x')
    prepareFolder(folder)
    expect(readdirSync(folder).sort()).toEqual(['marks.json', 'notes.tmp-1'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('is made private again if it was copied, except for foreign files', () => {
    const ours = [
      'keys.json',
      'keys.json.bak',
      'keys.corrupt-2026-11-21T09-41-00.000Z.json',
      'keys.bak.corrupt-2026-11-21T09-41-00.000Z-1.json',
      'settings.v1.json',
      'settings.v1.json.bak',
    ]
    for (const name of [...ours, 'notes.txt', 'Notes.json'])
      writeFileSync(join(folder, name), 'x', { mode: 0o644 })
    prepareFolder(folder)
    const shared = readdirSync(folder).filter((name) => statSync(join(folder, name)).mode & 0o077)
    expect(shared.sort()).toEqual(['Notes.json', 'notes.txt'])
  })
})

describe('an exported file', () => {
  const exported = () => join(folder, 'settings of mine.json')

  test('replaces the existing one, even through a link', async () => {
    await replaceFile(exported(), 'one')
    const link = join(folder, 'link.json')
    symlinkSync(exported(), link)
    await replaceFile(link, 'two')
    expect(readFileSync(exported(), 'utf8')).toBe('two')
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'settings of mine.json'])
  })

  test('leaves the existing one alone if the disk fills up', async () => {
    await replaceFile(exported(), 'one')
    const full = vi.spyOn(promises, 'writeFile').mockImplementation(async (path) => {
      writeFileSync(String(path), 'tw')
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    })
    await expect(replaceFile(exported(), 'two')).rejects.toMatchObject({ code: 'ENOSPC' })
    full.mockRestore()
    expect(readFileSync(exported(), 'utf8')).toBe('one')
    expect(readdirSync(folder)).toEqual(['settings of mine.json'])
  })
})
