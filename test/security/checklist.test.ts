import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'

const page = readFileSync(join(projectRoot, 'docs/security.md'), 'utf8')

/** The tests that a text refers to, by file and name. */
function testsOf(text: string): { file: string; name: string }[] {
  return Array.from(text.matchAll(/`(test\/[\w./-]+\.tsx?): ([^`]+)`/g)).map(
    ([, file = '', name = '']) => ({ file, name }),
  )
}

function isThere({ file, name }: { file: string; name: string }): boolean {
  const path = join(projectRoot, file)
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'utf8')
  // The whole name, or its part before what differs from run to run.
  return [`'${name}'`, `"${name}"`, `\`${name}`].some((quoted) => text.includes(quoted))
}

const rows = page.split('\n').filter((line) => /^\| T?\d+ \|/.test(line))
const numbers = rows.map((row) => row.split(' ')[1])

describe('docs/security.md', () => {
  test('covers 35 threats and the 20 points of the checklist', () => {
    const threats = Array.from({ length: 35 }, (_, at) => `T${at + 1}`)
    const points = Array.from({ length: 20 }, (_, at) => String(at + 1))
    expect(numbers).toEqual([...threats, ...points])
  })

  test('names a test for each of them', () => {
    expect(rows.filter((row) => testsOf(row).length === 0)).toEqual([])
  })

  test('names only tests that exist', () => {
    const gone = testsOf(page).filter((one) => !isThere(one))
    expect(gone.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
    expect(isThere({ file: 'test/security/links.test.ts', name: 'is no test of ours' })).toBe(false)
    expect(isThere({ file: 'test/security/gone.test.ts', name: 'x' })).toBe(false)
  })
})
