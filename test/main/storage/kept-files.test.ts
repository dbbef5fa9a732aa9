import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openKeptFiles } from '../../../src/main/storage/kept-files.ts'

let home = ''
let folder = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'belfry-kept-'))
  folder = join(home, 'kept')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const bytes = new TextEncoder().encode('pasted')

describe('a kept file', () => {
  test('is complete from its pieces, and for its owner alone', async () => {
    const files = openKeptFiles(folder)
    await files.append('a', 'notes.txt', bytes)
    const file = await files.append('a', 'notes.txt', bytes)
    await files.keep('a', file)
    expect(file).toMatchObject({ name: 'notes.txt', size: 12 })
    expect(String(await files.content(file))).toBe('pastedpasted')
    const modes = [folder, file.path, join(folder, 'a.json')].map(
      (one) => statSync(one).mode & 0o077,
    )
    expect(modes).toEqual([0, 0, 0])
    await files.sweep(new Set(['a']))
    expect(await openKeptFiles(folder).find('a')).toEqual(file)
    await files.sweep(new Set())
    expect([await files.find('a'), await files.content(file)]).toEqual([null, null])
  })

  test.each([
    ['that an older version kept, without its time,', 'found', {}],
    ['that has grown since', 'not found', { size: 5 }],
    ['that was touched since', 'not found', { modifiedAt: 1 }],
    ['whose note lacks its size', 'not found', { size: undefined }],
  ])('%s is %s', async (_what, outcome, change) => {
    const files = openKeptFiles(folder)
    const file = await files.append('a', 'notes.txt', bytes)
    writeFileSync(join(folder, 'a.json'), JSON.stringify({ ...file, ...change }))
    expect(await files.find('a')).toEqual(outcome === 'found' ? file : null)
  })

  test('whose note is half written is not found', async () => {
    const files = openKeptFiles(folder)
    await files.keep('a', await files.append('a', 'notes.txt', bytes))
    writeFileSync(join(folder, 'a.json'), '{"path":"')
    expect(await files.find('a')).toBeNull()
  })

  test('that the disk refuses is refused with the reason', async () => {
    writeFileSync(folder, 'a file in the place of the folder')
    const kept = openKeptFiles(folder).append('a', 'notes.txt', bytes)
    await expect(kept).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'disk' } })
  })
})
