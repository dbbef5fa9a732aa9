import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const scripts = join(import.meta.dirname, '../../scripts')

/** Stands in for electron-vite: counts its builds, and fails on a source that says so. */
const builder = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
appendFileSync('builds', 'x')
const source = readFileSync('src/main.ts', 'utf8')
console.log('transforming')
if (source === 'broken') throw new Error('src/main.ts is broken')
mkdirSync('out', { recursive: true })
writeFileSync('out/main.cjs', source)
`

let checkout = ''
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'belfry build '))
  const bin = join(checkout, 'node_modules', 'electron-vite', 'bin')
  for (const folder of [bin, join(checkout, 'scripts'), join(checkout, 'src')])
    mkdirSync(folder, { recursive: true })
  for (const name of ['build.mjs', 'machine.mjs', 'programs.mjs'])
    cpSync(join(scripts, name), join(checkout, 'scripts', name))
  writeFileSync(join(checkout, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(bin, 'electron-vite.js'), builder)
  writeFileSync(join(checkout, 'src', 'main.ts'), 'one')
})
afterEach(() => rmSync(checkout, { recursive: true, force: true }))

function build(...args: readonly string[]) {
  const script = join(checkout, 'scripts', 'build.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

const builds = () => readFileSync(join(checkout, 'builds'), 'utf8').length

describe('the build', () => {
  test('says one line, with its log', () => {
    const { status, said } = build()
    expect(status).toBe(0)
    const [, log = ''] = /^belfry: building; the details are in (.*)\n$/.exec(said) ?? []
    expect(readFileSync(log, 'utf8')).toBe('transforming\n')
  })

  test('is not repeated while nothing has changed', () => {
    build()
    expect(build()).toEqual({ status: 0, said: '' })
    expect(build('--verbose').said).toBe('belfry: nothing has changed since the last build\n')
    expect(builds()).toBe(1)
  })

  test.each([
    ['a source has changed', 'src/main.ts', 'two'],
    ['a source was added', 'src/new.ts', ''],
    ['other packages were installed', 'package-lock.json', '{}'],
    ['something else was built there', 'out/main.cjs', 'dev'],
    ['something else is there too', 'out/chunk.cjs', ''],
  ])('is repeated when %s', (_why, path, content) => {
    build()
    writeFileSync(join(checkout, path), content)
    expect(build().status).toBe(0)
    expect(builds()).toBe(2)
  })

  test('that fails says why, and is repeated', () => {
    build()
    writeFileSync(join(checkout, 'src', 'main.ts'), 'broken')
    const { status, said } = build()
    expect(status).toBe(1)
    expect(said).toContain('Error: src/main.ts is broken')
    expect(build().status).toBe(1)
    expect(builds()).toBe(3)
  })

  test('shows everything with --verbose', () => {
    expect(build('--verbose')).toEqual({ status: 0, said: 'transforming\n' })
  })
})
