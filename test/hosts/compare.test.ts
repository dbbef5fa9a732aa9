import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compare } from './compare.ts'

const electron = { closes: ['close', 'closed'], shows: true, address: 'app://main' }

describe('what both hosts did', () => {
  test('is alike where it is equal in every part', () => {
    expect(compare(electron, structuredClone(electron), {})).toEqual({
      lines: ['hosts: 3 of 3 alike, 0 known'],
      alike: 3,
      unexpected: 0,
    })
  })

  test('is a new difference where one did something else, or nothing', () => {
    const { address, ...standIn } = { ...electron, closes: ['closed', 'close'] }
    const { lines, unexpected } = compare(electron, standIn, {})
    expect(address).toBe('app://main')
    expect(unexpected).toBe(2)
    expect(lines).toContain('differs: closes')
    expect(lines).toContain('differs: address')
    expect(lines.at(-1)).toBe('hosts: 1 of 3 alike, 0 known')
  })

  test('may differ as it is known to, and must then', () => {
    const known = { address: 'a scheme of its own', shows: 'never' }
    const { lines, unexpected } = compare(electron, { ...electron, address: 'https:' }, known)
    expect(lines).toEqual([
      'no longer differs, so it is to go from the known ones: shows',
      'hosts: 2 of 3 alike, 1 known',
    ])
    expect(unexpected).toBe(1)
  })

  test('fails where Electron gave no answer, though the stand-in gave none either', () => {
    for (const value of ['no answer', 'throws Error: never: it was opened']) {
      const { lines, unexpected } = compare({ opens: value }, { opens: value }, {})
      expect(unexpected).toBe(1)
      expect(lines[0]).toBe('Electron gave no answer, so nothing was compared: opens')
    }
  })
})

/** The names that these files import from Electron, types apart. */
function importedFromElectron(pattern: string): Set<string> {
  const texts = globSync(pattern).map((file) => readFileSync(file, 'utf8'))
  const lists = texts.flatMap((text) =>
    [...text.matchAll(/import \{([^}]*)\} from 'electron'/g)].map(([, names = '']) => names),
  )
  const names = lists.flatMap((list) => list.split(',').map((name) => name.trim()))
  return new Set(names.filter((name) => name !== '' && !name.startsWith('type ')))
}

test('the probes look at every part of Electron that the app uses on Linux', () => {
  const used = importedFromElectron('src/**/*.ts')
  const probed = importedFromElectron('test/hosts/app/*.ts')
  expect(used.size).toBeGreaterThan(15)
  // On Linux the app speaks D-Bus itself.
  expect([...used].filter((name) => !probed.has(name))).toEqual(['Notification'])
})
