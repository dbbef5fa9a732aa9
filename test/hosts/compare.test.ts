import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compare } from './compare.ts'

const electron = { closes: ['close', 'closed'], shows: true, address: 'app://main' }

describe('the comparison of both hosts', () => {
  test('counts as alike what is equal in every part', () => {
    expect(compare(electron, structuredClone(electron), {})).toEqual({
      lines: ['hosts: 3 of 3 alike, 0 known'],
      alike: 3,
      unexpected: 0,
    })
  })

  test('reports a new difference if one did something else, or nothing', () => {
    const { address, ...standIn } = { ...electron, closes: ['closed', 'close'] }
    const { lines, unexpected } = compare(electron, standIn, {})
    expect(address).toBe('app://main')
    expect(unexpected).toBe(2)
    expect(lines).toContain('differs: closes')
    expect(lines).toContain('differs: address')
    expect(lines.at(-1)).toBe('hosts: 1 of 3 alike, 0 known')
  })

  test('accepts a known difference, and requires it', () => {
    const known = { address: 'a scheme of its own', shows: 'never' }
    const { lines, unexpected } = compare(electron, { ...electron, address: 'https:' }, known)
    expect(lines).toEqual([
      'no longer differs, so remove it from the known differences: shows',
      'hosts: 2 of 3 alike, 1 known',
    ])
    expect(unexpected).toBe(1)
  })

  test('fails if Electron gave no answer, even if the stand-in gave none either', () => {
    for (const value of ['no answer', 'throws Error: never: it was opened']) {
      const { lines, unexpected } = compare({ opens: value }, { opens: value }, {})
      expect(unexpected).toBe(1)
      expect(lines[0]).toBe('Electron gave no answer, so nothing was compared: opens')
    }
  })
})

/** The names that these files import from Electron, without types. */
function importedFromElectron(pattern: string): Set<string> {
  const texts = globSync(pattern).map((file) => readFileSync(file, 'utf8'))
  const lists = texts.flatMap((text) =>
    [...text.matchAll(/import \{([^}]*)\} from 'electron'/g)].map(([, names = '']) => names),
  )
  const names = lists.flatMap((list) => list.split(',').map((name) => name.trim()))
  return new Set(names.filter((name) => name !== '' && !name.startsWith('type ')))
}

test('the probes cover every part of Electron that the app uses on Linux', () => {
  const used = importedFromElectron('src/**/*.ts')
  const probed = importedFromElectron('test/hosts/app/*.ts')
  expect(used.size).toBeGreaterThan(15)
  // On Linux, the app itself speaks D-Bus.
  expect([...used].filter((name) => !probed.has(name))).toEqual(['Notification'])
})
