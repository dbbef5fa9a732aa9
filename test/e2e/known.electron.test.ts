import { readdirSync, readFileSync } from 'node:fs'
import { appProgram } from '../support/app-program.ts'
import { expect, test } from './fixtures.ts'
import { known } from './known-on-electron.ts'

test.describe('the list of what this Electron lacks', () => {
  test('names only existing tests', () => {
    const texts = readdirSync(import.meta.dirname)
      .filter((name) => name.endsWith('.app.test.ts'))
      .map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))
    const isThere = (title: string) => texts.some((text) => text.includes(`test('${title}'`))
    expect(Object.keys(known).filter((title) => !isThere(title))).toEqual([])
    expect(isThere('is no spec of ours')).toBe(false)
  })

  test('is correct', async ({ belfry, window }) => {
    test.skip(appProgram().isOwn, 'Electron’s own program lacks nothing')
    expect(await window.evaluate(() => 'setHTML' in Element.prototype)).toBe(false)
    const sqlite = () => process.getBuiltinModule('node:sqlite') as unknown
    expect(await belfry.app.evaluate(sqlite)).toBeUndefined()
  })
})
