import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSaved } from '../../src/main/storage/saved-files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-saved-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Opens documents as electron-store does: it reads the file at once and throws if it is no JSON. */
function open() {
  const troubles: { id: string; text: string }[] = []
  const saved = createSaved({
    folder,
    now: () => Date.UTC(2026, 10, 21),
    onTrouble: (trouble) => troubles.push(trouble),
    openStored: (name) => {
      if (name !== 'settings') return null
      const path = join(folder, 'settings.json')
      try {
        JSON.parse(readFileSync(path, 'utf8'))
      } catch (error) {
        if (error instanceof SyntaxError) throw error
      }
      return { set: (envelope) => writeFileSync(path, JSON.stringify(envelope)) }
    },
  })
  return { saved, troubles }
}

describe('what is saved', () => {
  test.each(['settings', 'drafts'])('is there after a restart (%s)', async (name) => {
    const { saved } = open()
    expect(saved.read(name)).toBeNull()
    await saved.write(name, { a: [1, 'zwei'] })
    expect(saved.read(name)).toEqual({ a: [1, 'zwei'] })
    expect(open().saved.read(name)).toEqual({ a: [1, 'zwei'] })
  })

  test.each(['settings', 'drafts'])(
    'survives its own damage, and the user hears of it (%s)',
    async (name) => {
      const before = open().saved
      await before.write(name, 'older')
      await before.write(name, 'newer')
      writeFileSync(join(folder, `${name}.json`), '{"versi')
      const { saved, troubles } = open()
      expect(saved.read(name)).toBe('older')
      expect(troubles).toHaveLength(1)
      expect(troubles[0]?.id).toBe(`file-${name}`)
      expect(troubles[0]?.text).toContain(`${name}.corrupt-2026-11-21T00-00-00.000Z.json`)
      await saved.write(name, 'mended')
      expect(open().saved.read(name)).toBe('mended')
    },
  )

  test('is written even when its damaged file was never read', async () => {
    writeFileSync(join(folder, 'settings.json'), '')
    const { saved, troubles } = open()
    await saved.write('settings', 'fine')
    expect([saved.read('settings'), troubles.length]).toEqual(['fine', 1])
  })

  test('ends with the last of many writes', async () => {
    const { saved } = open()
    await Promise.all([1, 2, 3, 4, 5].map((value) => saved.write('drafts', value)))
    expect(saved.read('drafts')).toBe(5)
  })

  test('goes on after a write that was refused', async () => {
    const { saved } = open()
    const circle: unknown[] = []
    circle.push(circle)
    await expect(saved.write('drafts', circle)).rejects.toThrow()
    await saved.write('drafts', 'fine')
    expect(saved.read('drafts')).toBe('fine')
  })
})
