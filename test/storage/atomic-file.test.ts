import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  prepareFolder,
  readDocument,
  readEnvelope,
  writeDocument,
} from '../../src/main/storage/atomic-file.ts'

let folder = ''
let file = ''
const usualMask = process.umask(0o022)

beforeEach(() => {
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
  const content = readDocument(file, at, (one) => bad.push(one))
  return { content, bad }
}

describe('a document', () => {
  test('comes back as it was written, and its forerunner is kept', async () => {
    await writeDocument(file, ['one'])
    await writeDocument(file, { two: 'ünïcode 🔔' })
    expect(read()).toEqual({
      content: { kind: 'document', value: { two: 'ünïcode 🔔' } },
      bad: [],
    })
    expect(readEnvelope(`${file}.bak`)).toEqual({ kind: 'document', value: ['one'] })
    expect(readdirSync(folder).sort()).toEqual(['drafts.json', 'drafts.json.bak'])
  })

  test('that was never written is none', () => {
    expect(read()).toEqual({ content: { kind: 'none' }, bad: [] })
  })

  test.each([
    ['empty', '', 'corrupt'],
    ['cut', '{"version":1,"value":{"a":', 'corrupt'],
    ['NUL', '\0'.repeat(512), 'corrupt'],
    ['array', '[]', 'corrupt'],
    ['null', 'null', 'corrupt'],
    ['foreign', '{"theme":"dark"}', 'corrupt'],
    ['newer', '{"version":2,"value":{}}', 'newer'],
  ])('whose file is %s is put aside and its backup read', async (_kind, text, why) => {
    await writeDocument(file, 'older')
    await writeDocument(file, 'newer')
    writeFileSync(file, text)
    const { content, bad } = read()
    expect(content).toEqual({ kind: 'document', value: 'older' })
    const asideAs = 'drafts.corrupt-2026-11-21T09-41-00.000Z.json'
    expect(bad).toEqual([{ why, asideAs }])
    expect(readFileSync(join(folder, asideAs), 'utf8')).toBe(text)
  })

  test('that is a folder, and so can not be read, is put aside too', () => {
    mkdirSync(file)
    expect(read().bad).toMatchObject([{ why: 'unreadable' }])
    expect(read()).toEqual({ content: { kind: 'none' }, bad: [] })
  })

  test('is found in its backup when a crash came between the two renames', async () => {
    await writeDocument(file, 'one')
    await writeDocument(file, 'two')
    rmSync(file)
    expect(read()).toEqual({ content: { kind: 'document', value: 'one' }, bad: [] })
  })

  test('that the disk refuses leaves the old one in place and says so', async () => {
    await writeDocument(file, 'one')
    // A folder where the backup should go: refused for root too, unlike a missing right.
    mkdirSync(`${file}.bak/x`, { recursive: true })
    await expect(writeDocument(file, 'two')).rejects.toThrow()
    expect(read().content).toEqual({ kind: 'document', value: 'one' })
    expect(readdirSync(folder).filter((name) => name.includes('.tmp-'))).toEqual([])
  })

  test.each([0o000, 0o022, 0o077])('is for its owner alone under umask %o', async (mask) => {
    process.umask(mask)
    await writeDocument(file, 'one')
    await writeDocument(file, 'two')
    const modes = [folder, file, `${file}.bak`].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600, 0o600])
  })
})

describe('the folder', () => {
  test('is swept of what a killed process left, and of nothing else', () => {
    chmodSync(folder, 0o755)
    for (const name of [
      'drafts.json.tmp-1a2b3c4d',
      'settings.json.tmp-17637176561234ab',
      'notes.tmp-1',
      'marks.json',
    ])
      writeFileSync(join(folder, name), 'x')
    prepareFolder(folder)
    expect(readdirSync(folder).sort()).toEqual(['marks.json', 'notes.tmp-1'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })
})
