import { execFileSync } from 'node:child_process'
import {
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
import { prepareFolder } from '../../../src/main/storage/atomic-file.ts'
import { SavedFiles } from '../../../src/main/storage/saved-files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-disk-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modesIn = (path: string) =>
  readdirSync(path).map((name) => [name, statSync(join(path, name)).mode & 0o777] as const)

describe('every file of Belfry', () => {
  test.each(['000', '022', '077'])('is readable by its owner only under umask %s', (mask) => {
    const data = join(folder, 'data')
    execFileSync(process.execPath, [join(import.meta.dirname, 'write-everything.ts'), data, mask])
    const left = modesIn(data).filter(([name]) => !name.includes('.tmp-'))
    const names = left.map(([name]) => name).join(' ')
    // Control: every kind of file is among them.
    for (const kind of [
      /drafts\.json /,
      /\.bak/,
      /\.bak\.corrupt-/,
      /marks\.v1\.json/,
      /keys\.corrupt-/,
    ])
      expect(names).toMatch(kind)
    prepareFolder(data)
    expect(modesIn(data).filter(([, mode]) => mode !== 0o600)).toEqual([])
    expect(modesIn(folder)).toEqual([['data', 0o700]])
  })
})

test('a document takes the place of the one before as a whole, also in the terminal of a snap', () => {
  const without = join(import.meta.dirname, '../../support/without-electron.ts')
  const files = new URL('../../../src/main/storage/saved-files.ts', import.meta.url)
  // A file that is written over stays the same file, and a kill leaves a part of it.
  const program = join(folder, 'program.mjs')
  const text = `
    import { statSync } from 'node:fs'
    const { openSaved } = await import(${JSON.stringify(files)})
    const saved = openSaved(${JSON.stringify(folder)}, console.error)
    for (const value of [1, 2]) {
      await saved.write('settings', value)
      console.log(statSync(${JSON.stringify(join(folder, 'settings.json'))}).ino)
    }`
  writeFileSync(program, text)
  const [first, second] = execFileSync(process.execPath, ['--import', without, program], {
    encoding: 'utf8',
    env: { ...process.env, SNAP: '/snap/terminal' },
  }).split('\n')
  expect(second).toMatch(/^\d+$/)
  expect(second).not.toBe(first)
})

/** The reason why no disk can be mounted here; null if one can. */
function mountable(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux'
  const place = mkdtempSync(join(tmpdir(), 'belfry-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place], { stdio: 'ignore' })
    execFileSync('umount', [place])
    return null
  } catch {
    // In most containers even root may not.
    return 'this system mounts nothing for tests'
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

const whyNot = mountable()

describe.skipIf(whyNot !== null)(`a real disk (${whyNot ?? 'tmpfs of 64 kB'})`, () => {
  let disk = ''
  beforeEach(() => {
    disk = join(folder, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
  })
  afterEach(() => execFileSync('umount', [disk]))

  function open(at = join(disk, 'data')) {
    const troubles: (string | null)[] = []
    const saved = new SavedFiles({
      folder: at,
      now: Date.now,
      onTrouble: ({ text }) => troubles.push(text),
      openStored: () => null,
    })
    return { saved, troubles }
  }
  const filler = (): string => join(disk, 'filler')
  function fill(): void {
    for (const size of [16_384, 4_096, 1_024])
      try {
        for (;;) writeFileSync(filler(), 'x'.repeat(size), { flag: 'a' })
      } catch {
        // No room for pieces of this size.
      }
  }

  test('that is full refuses a write, keeps what was there, and accepts it once there is room', async () => {
    const { saved } = open()
    await saved.write('drafts', 'before')
    fill()
    await expect(saved.write('drafts', 'y'.repeat(20_000))).rejects.toMatchObject({
      code: 'ENOSPC',
    })
    expect(open().saved.read('drafts')).toBe('before')
    expect(readdirSync(join(disk, 'data'))).toEqual(['drafts.json', 'masked.json'])
    rmSync(filler())
    await saved.write('drafts', 'after')
    const again = open()
    expect([again.saved.read('drafts'), again.troubles]).toEqual(['after', []])
  })

  test('that is read-only refuses a write, can be read, and accepts it once it is writable', async () => {
    const { saved } = open()
    await saved.write('drafts', 'before')
    writeFileSync(join(disk, 'data', 'marks.json'), 'damaged')
    execFileSync('mount', ['-o', 'remount,ro', disk])
    await expect(saved.write('drafts', 'after')).rejects.toMatchObject({ code: 'EROFS' })
    const reader = open()
    expect(reader.saved.read('drafts')).toBe('before')
    expect(reader.saved.read('marks')).toBeNull()
    expect(reader.troubles.join()).toContain('left where it is')
    execFileSync('mount', ['-o', 'remount,rw', disk])
    expect(readFileSync(join(disk, 'data', 'marks.json'), 'utf8')).toBe('damaged')
    await saved.write('drafts', 'after')
    expect(open().saved.read('drafts')).toBe('after')
  })

  test.each(['drafts', 'settings'])(
    'that could not be read at the start loses nothing of what was on it (%s)',
    async (name) => {
      await open().saved.write(name, 'before')
      const file = join(disk, 'data', `${name}.json`)
      const pipe = join(disk, 'pipe')
      execFileSync('mkfifo', [pipe])
      execFileSync('mount', ['--bind', pipe, file])
      const { saved, troubles } = open()
      expect(saved.read(name)).toBeNull()
      expect(troubles.join()).toContain('left where it is')
      execFileSync('umount', [file])
      for (const value of ['after', 'later']) await saved.write(name, value)
      const aside = readdirSync(join(disk, 'data')).filter((one) => one.includes('.corrupt-'))
      expect(aside).toHaveLength(1)
      expect(readFileSync(join(disk, 'data', aside[0] ?? ''), 'utf8')).toContain('before')
      expect(troubles.at(-1)).toContain(aside[0])
      expect(open().saved.read(name)).toBe('later')
    },
  )

  test('that is read-only from the start has nothing to read, and the app keeps running', async () => {
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const { saved } = open(join(disk, 'never made'))
    expect(saved.read('drafts')).toBeNull()
    await expect(saved.write('drafts', 'x')).rejects.toThrow()
  })
})
