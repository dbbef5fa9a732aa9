import fs, {
  existsSync,
  mkdtempSync,
  promises,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SavedFiles } from '../../../src/main/storage/saved-files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-saved-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/**
 * Writes documents like electron-store: reads the file first and throws if it is not JSON.
 * `room`: how many characters fit on a nearly full disk; electron-store takes a partial write for a whole one.
 */
function open(room = Number.POSITIVE_INFINITY) {
  const troubles: { id: string; text: string | null }[] = []
  const saved = new SavedFiles({
    folder,
    now: () => Date.UTC(2026, 10, 21),
    onTrouble: (trouble) => troubles.push(trouble),
    openStored: (name, fileName) => {
      if (name !== 'settings') return null
      const path = join(folder, `${fileName}.json`)
      return {
        set: (envelope) => {
          if (existsSync(path)) JSON.parse(readFileSync(path, 'utf8'))
          writeFileSync(path, JSON.stringify(envelope).slice(0, room))
        },
      }
    },
  })
  return { saved, troubles }
}

describe('the saved documents', () => {
  test('are all saved again after the folder was deleted, and the user is told', async () => {
    const first = open().saved
    await first.write('keys', 'read')
    const { saved, troubles } = open()
    expect(saved.read('keys')).toBe('read')
    await saved.write('settings', 'older')
    await saved.write('drafts', 'older')
    rmSync(folder, { recursive: true })
    // Whichever comes first, neither is reset to its previous state.
    const written = [saved.write('settings', 'newer'), saved.write('drafts', 'newer')]
    await Promise.all(written)
    await saved.write('keys', 'written')
    expect(troubles).toEqual([
      { id: 'file-folder', text: expect.stringContaining('folder was deleted') as unknown },
    ])
    const again = open()
    const read = ['settings', 'drafts', 'keys'].map((name) => again.saved.read(name))
    expect([read, again.troubles]).toEqual([['newer', 'newer', 'written'], []])
  })

  test.each(['written', 'read'])(
    'include those that were only %s before the folder was deleted',
    async (what) => {
      const first = open().saved
      await first.write('drafts', 'mine')
      const saved = what === 'written' ? first : open().saved
      if (what === 'read') saved.read('drafts')
      rmSync(folder, { recursive: true })
      await saved.write('settings', 'new')
      await expect.poll(() => existsSync(join(folder, 'drafts.json'))).toBe(true)
      expect(open().saved.read('drafts')).toBe('mine')
    },
  )

  test('are not said to be saved again where no new folder can be made', async () => {
    const { saved, troubles } = open()
    await saved.write('drafts', 'mine')
    rmSync(folder, { recursive: true })
    symlinkSync(join(folder, 'nowhere'), folder)
    await expect(saved.write('drafts', 'newer')).rejects.toThrow()
    expect(troubles.map(({ id }) => id)).not.toContain('file-folder')
  })

  test.each(['settings', 'drafts'])('are still there after a restart (%s)', async (name) => {
    const { saved } = open()
    expect(saved.read(name)).toBeNull()
    await saved.write(name, { a: [1, 'zwei'] })
    expect(saved.read(name)).toEqual({ a: [1, 'zwei'] })
    expect(open().saved.read(name)).toEqual({ a: [1, 'zwei'] })
  })

  test.each(['settings', 'drafts'])(
    'survive damage to a file, and the user is told (%s)',
    async (name) => {
      const before = open().saved
      await before.write(name, { text: 'older' })
      await before.write(name, { text: 'newer' })
      writeFileSync(join(folder, `${name}.json`), '{"versi')
      const { saved, troubles } = open()
      expect(saved.read(name)).toEqual({ text: 'older' })
      const text = `The file ${name}.json is damaged. It was kept as ${name}.corrupt-2026-11-21T00-00-00.000Z.json in Belfry’s folder. Belfry uses the last good copy, if there is one.`
      expect(troubles).toEqual([{ id: `file-${name}`, text }])
      await saved.write(name, 'mended')
      const again = open().saved
      expect([again.read(name), again.files.inDoubt(name)]).toEqual(['mended', false])
    },
  )

  test.each(['settings', 'drafts'])(
    'is written even where its file was damaged meanwhile, which is set aside (%s)',
    async (name) => {
      const { saved, troubles } = open()
      await saved.write(name, 'before')
      writeFileSync(join(folder, `${name}.json`), '{"version":1,"value":"edited by h')
      await saved.write(name, 'after')
      expect([open().saved.read(name), troubles.length]).toEqual(['after', 1])
      expect(readdirSync(folder).filter((file) => file.includes('corrupt'))).toHaveLength(1)
    },
  )

  test.each([
    ['something', ['older', 'newer']],
    ['nothing', []],
  ])(
    'is what it was where the disk takes only a part of it, and the write is refused (%s)',
    async (_what, before) => {
      for (const value of before) await open().saved.write('settings', value)
      const { saved } = open(10)
      await expect(saved.write('settings', 'newest')).rejects.toMatchObject({ code: 'ENOSPC' })
      const again = open()
      expect([again.saved.read('settings'), again.troubles]).toEqual([before.at(-1) ?? null, []])
      expect(again.saved.files.inDoubt('settings')).toBe(false)
    },
  )

  test('are left where they are if there is no memory to read them, and are kept at the next write', async () => {
    const before = open().saved
    for (const text of ['older', 'newest']) await before.write('accounts', text)
    const readFile = vi.spyOn(fs, 'readFileSync').mockImplementation(() => {
      throw Object.assign(new Error('no memory'), { code: 'ENOMEM' })
    })
    syncBuiltinESMExports()
    const { saved, troubles } = open()
    expect(saved.read('accounts')).toBeNull()
    readFile.mockRestore()
    syncBuiltinESMExports()
    expect(troubles[0]?.text).toContain('It was left where it is.')
    expect(open().saved.read('accounts')).toBe('newest')
    await saved.write('accounts', 'without them')
    const aside = readdirSync(folder).find((name) => name.startsWith('accounts.corrupt'))
    expect(readFileSync(join(folder, aside ?? ''), 'utf8')).toContain('newest')
  })

  test('are written even if the damaged file was never read', async () => {
    writeFileSync(join(folder, 'settings.json'), '')
    const { saved, troubles } = open()
    await saved.write('settings', 'fine')
    expect([saved.read('settings'), troubles.length]).toEqual(['fine', 1])
  })

  test.each(['settings', 'drafts'])(
    'is under its name even after a power cut: the folder is synced too (%s)',
    async (name) => {
      const { saved } = open()
      const opened = vi.spyOn(promises, 'open')
      await saved.write(name, 'mine')
      const [last] = opened.mock.calls.at(-1) ?? []
      opened.mockRestore()
      expect(last).toBe(folder)
    },
  )

  test.each([
    ['settings', {}],
    ['messages', []],
  ])('leaves no backup of what it held, once it is emptied (%s)', async (name, empty) => {
    const { saved } = open()
    const left = (): string[] => readdirSync(folder).filter((file) => file.startsWith(name))
    for (const value of [empty, 'older', 'private']) await saved.write(name, value)
    expect(left()).toEqual([`${name}.json`, `${name}.json.bak`])
    await saved.write(name, empty)
    expect(left()).toEqual([`${name}.json`])
    expect(open().saved.read(name)).toEqual(empty)
  })

  test('end with the last of many writes, each begun when the one before has ended', async () => {
    const steps: unknown[] = []
    const set = async ({ value }: { value: unknown }): Promise<void> => {
      steps.push('begin', value)
      await new Promise(setImmediate)
      steps.push('end', value)
    }
    const saved = new SavedFiles({
      folder,
      now: Date.now,
      onTrouble: () => undefined,
      openStored: () => ({ set }),
    })
    await Promise.all([1, 2, 3].map((value) => saved.write('settings', value)))
    expect(steps).toEqual([1, 2, 3].flatMap((value) => ['begin', value, 'end', value]))
  })

  test('can be written again after a failed write', async () => {
    const { saved } = open()
    const circle: unknown[] = []
    circle.push(circle)
    await expect(saved.write('drafts', circle)).rejects.toThrow()
    await saved.write('drafts', 'fine')
    expect(saved.read('drafts')).toBe('fine')
  })
})

describe('a file from a newer version', () => {
  const theirs = '{"version":2,"value":{"of":"the future"},"more":[]}'
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8')

  test.each(['settings', 'drafts'])(
    'is left alone, and this version keeps its own file beside it (%s)',
    async (name) => {
      writeFileSync(join(folder, `${name}.json`), theirs)
      const { saved, troubles } = open()
      expect(saved.read(name)).toBeNull()
      await saved.write(name, 'mine')
      await saved.write(name, 'mine too')
      expect(saved.read(name)).toBe('mine too')
      expect(troubles).toHaveLength(1)
      expect(troubles[0]?.text).toContain(`${name}.v1.json`)
      expect([saved.files.hasNewer(name), saved.files.hasNewer('other')]).toEqual([true, false])
      expect(text(`${name}.json`)).toBe(theirs)
      expect(readdirSync(folder).filter((file) => file.includes('corrupt'))).toEqual([])
    },
  )

  test('is reported once, and the file beside it is used again at the next start', async () => {
    writeFileSync(join(folder, 'drafts.json'), theirs)
    await open().saved.write('drafts', 'mine')
    const again = open()
    expect(again.saved.read('drafts')).toBe('mine')
    expect(again.troubles).toEqual([])
  })

  test('is used again once it can be read', async () => {
    writeFileSync(join(folder, 'drafts.json'), theirs)
    await open().saved.write('drafts', 'mine')
    writeFileSync(join(folder, 'drafts.json.bak'), theirs)
    writeFileSync(join(folder, 'drafts.json'), '{"version":1,"value":"theirs, brought back"}')
    expect(open().saved.read('drafts')).toBe('theirs, brought back')
  })

  test('gives this version what it had before, marked as doubtful', async () => {
    const before = open().saved
    await before.write('outbox', 'mine')
    await before.write('outbox', 'mine too')
    writeFileSync(join(folder, 'outbox.json.bak'), text('outbox.json'))
    writeFileSync(join(folder, 'outbox.json'), theirs)
    const { saved } = open()
    expect(saved.read('outbox')).toBe('mine too')
    expect(saved.files.inDoubt('outbox')).toBe(true)
    await saved.write('outbox', 'newest')
    expect([text('outbox.json'), saved.read('outbox')]).toEqual([theirs, 'newest'])
  })

  test('is left alone even as the backup of a damaged one', async () => {
    writeFileSync(join(folder, 'drafts.json'), '{"versi')
    writeFileSync(join(folder, 'drafts.json.bak'), theirs)
    await open().saved.write('drafts', 'mine')
    expect([text('drafts.json'), text('drafts.json.bak')]).toEqual(['{"versi', theirs])
  })
})

describe('a document restored from a backup', () => {
  test('is doubtful, even after a restart', async () => {
    const before = open().saved
    await before.write('outbox', 'older')
    await before.write('outbox', 'newer')
    expect(before.files.inDoubt('outbox')).toBe(false)
    writeFileSync(join(folder, 'outbox.json'), '')
    for (const { saved } of [open(), open()]) {
      expect(saved.read('outbox')).toBe('older')
      expect(saved.files.inDoubt('outbox')).toBe(true)
    }
  })

  test('is the newest, and not doubtful, after a crash between the two renames of a write', async () => {
    const before = open().saved
    await before.write('outbox', 'newest')
    await before.write('outbox', 'never acknowledged')
    rmSync(join(folder, 'outbox.json'))
    const { saved } = open()
    expect(saved.read('outbox')).toBe('newest')
    expect(saved.files.inDoubt('outbox')).toBe(false)
  })

  test('can be copied before part of it is overwritten', async () => {
    const { saved, troubles } = open()
    await saved.write('drafts', 'half of it')
    saved.files.keepCopy('drafts', 'Some of it is lost.')
    await saved.write('drafts', 'the other half')
    const [copy] = readdirSync(folder).filter((file) => file.includes('corrupt'))
    expect(readFileSync(join(folder, copy ?? ''), 'utf8')).toContain('half of it')
    expect(troubles[0]?.text).toBe(`Some of it is lost. It was kept as ${copy} in Belfry’s folder.`)
  })

  test.each([
    ['a damaged file', '{"versi'],
    ['a newer version’s file', '{"version":2,"value":0}'],
    ['no file', null],
  ])('is the one that is copied, and that is told of by itself: beside %s', async (_what, file) => {
    const before = open().saved
    await before.write('drafts', 'half of it')
    await before.write('drafts', 'newer')
    if (file === null) rmSync(join(folder, 'drafts.json'))
    else writeFileSync(join(folder, 'drafts.json'), file)
    const { saved, troubles } = open()
    expect(saved.read('drafts')).toBe('half of it')
    saved.files.keepCopy('drafts', 'Some of it is lost.')
    for (const value of ['the rest', 'more']) await saved.write('drafts', value)
    const copy = readdirSync(folder).find((name) => name.startsWith('drafts.bak.corrupt'))
    expect(readFileSync(join(folder, copy ?? ''), 'utf8')).toContain('half of it')
    expect(troubles.at(-1)?.text).toContain(copy)
    expect(new Set(troubles.map(({ id }) => id)).size).toBe(file === null ? 1 : 2)
  })

  test('that cannot be copied is not said to be', () => {
    const { saved, troubles } = open()
    saved.files.keepCopy('drafts', 'Some of it is lost.')
    expect(troubles[0]?.text).toBe('Some of it is lost. No copy could be made.')
  })
})
