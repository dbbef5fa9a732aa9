import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  licencesPage,
  readLock,
  runtimePackages,
  shippedPackages,
} from '../../scripts/licences.mjs'
import { projectRoot } from '../../scripts/programs.mjs'
import { reportSecurity } from './report.ts'

const scannerFolder = join(projectRoot, 'test/security/scanner')

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}
type Lock = Readonly<Record<string, Locked>>

function lockOf(folder: string): Lock {
  const text = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  // npm's own format, version 3.
  return (JSON.parse(text) as { packages: Lock }).packages
}

/** The scanner depends on it; its script only prints a greeting, and is never run here. */
const needless = new Set(['node_modules/es5-ext'])

/** The problems of a lockfile: packages from elsewhere, without a hash, or with a script. */
function faultsOf(lock: Lock): string[] {
  return Object.entries(lock).flatMap(([path, locked]) => {
    if (path === '') return wishFaults(locked)
    const faults: string[] = []
    // Without an address, it comes from npm’s configured registry (.npmrc omits addresses).
    if (locked.resolved !== undefined) faults.push(`${path} comes from ${locked.resolved}`)
    if (locked.integrity?.startsWith('sha512-') !== true) faults.push(`${path} has no integrity`)
    if (locked.hasInstallScript === true && !needless.has(path))
      faults.push(`${path} runs a script`)
    if (locked.link === true) faults.push(`${path} is a link`)
    return [...faults, ...wishFaults(locked, path)]
  })
}

function wishFaults(
  { dependencies = {}, devDependencies = {} }: Locked,
  path = 'the root',
): string[] {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, wish]) => /^(git|github:|file:|link:|https?:)|^[\w-]+\/[\w-]+/.test(wish))
    .map(([name, wish]) => `${path} wants ${name} from ${wish}`)
}

describe('the lockfile', () => {
  test.each([projectRoot, scannerFolder])(
    'has only verified packages from the registry, and none that runs a script (%#)',
    (folder) => {
      const lock = lockOf(folder)
      expect(Object.keys(lock).length).toBeGreaterThan(100)
      expect(faultsOf(lock)).toEqual([])
    },
  )

  test('is checked thoroughly: foreign, unverified or script-running packages are found', () => {
    const integrity = 'sha512-x'
    const bad: Lock = {
      '': { devDependencies: { a: 'github:a/a', b: 'file:../b', c: 'a/c' } },
      'node_modules/a': { resolved: 'git+ssh://git@example.org/a.git#1', integrity },
      'node_modules/b': { resolved: 'https://evil.example/b.tgz', integrity },
      'node_modules/c': { version: '1.0.0' },
      'node_modules/d': { integrity: 'sha1-x' },
      'node_modules/e': { integrity, hasInstallScript: true },
      'node_modules/f': { integrity, link: true },
      'node_modules/g': { integrity, dependencies: { h: 'git://example.org/h' } },
    }
    expect(faultsOf(bad)).toHaveLength(10)
  })

  test('names one exact version of each package we asked for', () => {
    const { dependencies = {}, devDependencies = {} } = lockOf(projectRoot)[''] ?? {}
    const wishes = Object.entries({ ...dependencies, ...devDependencies })
    expect(wishes.filter(([, wish]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(wish))).toEqual([])
  })
})

interface BadRange {
  readonly package: string
  /** All comparisons must hold: ">=10.26.5 <10.28.2". */
  readonly bad: string
  readonly why: string
  /** Why the app may use such a version anyway. */
  readonly harmless?: string
}

/** -1, 0 or 1, by the three numbers; a prerelease counts as its release. */
function compared(one: string, other: string): number {
  const numbers = (version: string): number[] => version.split('-')[0]?.split('.').map(Number) ?? []
  const differences = numbers(one).map((part, at) => part - (numbers(other)[at] ?? 0))
  return Math.sign(differences.find((difference) => difference !== 0) ?? 0)
}

function isIn(version: string, range: string): boolean {
  return range.split(' ').every((part) => {
    const [, sign = '', bound = ''] = /^(<|<=|>=|>)(\d+\.\d+\.\d+)$/.exec(part) ?? []
    if (sign === '') throw new Error(`not a range: ${range}`)
    const order = compared(version, bound)
    return sign.startsWith('<')
      ? order < 0 || (sign === '<=' && order === 0)
      : order > 0 || (sign === '>=' && order === 0)
  })
}

function badOnes(lock: Lock, ranges: readonly BadRange[]): string[] {
  return Object.entries(lock).flatMap(([path, { version }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return ranges
      .filter((one) => one.package === name && version !== undefined && isIn(version, one.bad))
      .map(({ why }) => `${name} ${version}: ${why}`)
  })
}

describe('versions known to be bad', () => {
  const { date, ranges } = JSON.parse(
    readFileSync(join(projectRoot, 'test/security/min-versions.json'), 'utf8'),
  ) as { date: string; ranges: readonly BadRange[] }
  const lock = lockOf(projectRoot)
  const harmless = ranges.filter((one) => one.harmless !== undefined)
  const known = badOnes(
    lock,
    ranges.filter((one) => !harmless.includes(one)),
  )
  let control = 0

  afterAll(() => {
    const packages = Object.keys(lock).length
    const advisories = ranges.length
    reportSecurity('advisories', { packages, advisories, known: known.length, control })
  })

  test(`aren’t used, as far as was known on ${date}`, () => {
    expect(known).toEqual([])
  })

  test('but harmless are used, and named with the reason', () => {
    const page = readFileSync(join(projectRoot, 'docs/security.md'), 'utf8').replace(/\s+/g, ' ')
    expect(page).toContain(date)
    for (const one of harmless) {
      expect(badOnes(lock, [one]), one.package).not.toEqual([])
      expect(page).toContain(`| ${one.package} | ${one.why} | ${one.harmless} |`)
    }
  })

  test('of uuid are harmless, since nothing asks it to write into a buffer', () => {
    const users = Object.entries(lock).filter(([, one]) => 'uuid' in (one.dependencies ?? {}))
    expect(users.map(([path]) => path)).toEqual(['node_modules/node-notifier'])
    const folder = join(projectRoot, 'node_modules/node-notifier')
    const code = ['index.js', 'lib', 'notifiers']
      .flatMap((path) =>
        path.endsWith('.js')
          ? [path]
          : readdirSync(join(folder, path)).map((name) => join(path, name)),
      )
      .filter((path) => path.endsWith('.js'))
      .map((path) => readFileSync(join(folder, path), 'utf8'))
      .join('\n')
    expect(code.match(/.*require\('uuid'\).*/g)).toEqual(["const { v4: uuid } = require('uuid');"])
    expect(code.match(/\buuid\([^)]*\)/g)).toEqual(['uuid()'])
  })

  test('would be found', () => {
    const bad: Lock = {
      'node_modules/preact': { version: '10.28.1' },
      'node_modules/a/node_modules/undici': { version: '7.23.9' },
      'node_modules/node-notifier': { version: '8.0.0' },
      'node_modules/electron': { version: '44.9.9' },
    }
    control = badOnes(bad, ranges).length
    expect(control).toBe(4)
    const good: Lock = {
      'node_modules/preact': { version: '10.28.2' },
      'node_modules/undici': { version: '7.24.0' },
    }
    expect(badOnes(good, ranges)).toEqual([])
  })
})

/** The names of packages that the app's sources import. */
function imported(): Set<string> {
  const files = readdirSync(join(projectRoot, 'src'), { recursive: true, withFileTypes: true })
  const names = files
    .filter((file) => file.isFile() && /\.tsx?$/.test(file.name))
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
    .flatMap((text) =>
      Array.from(text.matchAll(/(?:from|import|import\()\s*'([^'.#,\s][^',\s]*)'/g)),
    )
    .map(([, name = '']) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(name)?.[1] ?? name)
  return new Set(names.filter((name) => !name.startsWith('node:') && name !== 'electron'))
}

describe('the third-party code that is shipped', () => {
  test('is at most eleven packages, and all that the app imports', () => {
    expect([...imported()].sort()).toEqual([...runtimePackages].sort())
    expect(runtimePackages.length).toBeLessThanOrEqual(11)
  })

  test('is listed with its current licences', () => {
    const page = join(projectRoot, 'docs/licences.md')
    expect(existsSync(page)).toBe(true)
    expect(readFileSync(page, 'utf8')).toBe(licencesPage(readLock()))
  })

  test('may be shipped: every licence asks for no more than a notice', () => {
    const free =
      /^\(?(MIT|MIT-0|ISC|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|0BSD)( OR .+)?\)?$/
    const others = shippedPackages(readLock()).filter(({ licence }) => !free.test(licence))
    expect(others).toEqual([])
    expect('GPL-3.0').not.toMatch(free)
    expect('unknown').not.toMatch(free)
  })
})

describe('an installation', () => {
  const settings = readFileSync(join(projectRoot, '.npmrc'), 'utf8')

  test('writes exact versions, and runs no package’s script', () => {
    expect(settings).toMatch(/^save-exact=true$/m)
    expect(settings).toMatch(/^strict-allow-scripts=true$/m)
    const { allowScripts } = JSON.parse(
      readFileSync(join(projectRoot, 'package.json'), 'utf8'),
    ) as { allowScripts?: Record<string, boolean> }
    expect(allowScripts ?? {}).toEqual({})
  })
})
