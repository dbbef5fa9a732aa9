import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
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
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeBug, logBug, logTo, openLogFile } from '../../../../src/main/desktop/system/log.ts'

let base = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'belfry-log-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const folder = (): string => join(base, 'logs')
const at = (): number => Date.parse('2026-03-17T14:00:00Z')

describe('the log file', () => {
  test('has a time on each line, and can be read only by its owner', async () => {
    const log = openLogFile(folder(), at)
    log.add('tray: shown')
    log.add('quit: begins')
    await log.settled()
    const file = join(folder(), 'belfry.log')
    expect(readFileSync(file, 'utf8')).toBe(
      '2026-03-17T14:00:00.000Z tray: shown\n2026-03-17T14:00:00.000Z quit: begins\n',
    )
    expect(statSync(file).mode & 0o077).toBe(0)
  })

  test('continues where an earlier run ended', async () => {
    for (const line of ['one', 'two']) {
      const log = openLogFile(folder(), at)
      log.add(line)
      await log.settled()
    }
    expect(await openLogFile(folder(), at).text()).toMatch(/one\n.*two\n$/)
  })

  test('never exceeds 5 MB, and drops the oldest lines first', async () => {
    const log = openLogFile(folder(), at)
    for (let round = 0; round < 80; round += 1) {
      for (let line = 0; line < 1_000; line += 1) log.add(`${round} ${'x'.repeat(80)}`)
      await log.settled()
    }
    const sizes = readdirSync(folder()).map((name) => statSync(join(folder(), name)).size)
    expect(sizes).toHaveLength(5)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(5_000_000)
    const text = await log.text()
    expect(text.split('\n').at(-2)).toContain(' 79 x')
    expect(text).not.toContain(' 0 x')
  })

  test('keeps lines that the disk refused for later, and says what it had to drop', async () => {
    writeFileSync(folder(), 'a file where the folder should be')
    const log = openLogFile(folder(), at)
    for (let line = 0; line < 2_010; line += 1) log.add(`line ${line}`)
    await log.settled()
    expect(statSync(folder()).isFile()).toBe(true)
    rmSync(folder())
    mkdirSync(folder())
    await log.settled()
    const text = await log.text()
    expect(text).toMatch(/^10 lines are missing here\n/)
    expect(text).toContain('line 2009')
    expect(existsSync(join(folder(), 'belfry.1.log'))).toBe(false)
  })
})

describe('a bug', () => {
  test('is in the log without the folders of the code, whatever they are called', () => {
    const lines: string[] = []
    logTo((line) => lines.push(line))
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const error = new Error('x')
    error.stack = [
      'Error: x',
      '    at run (C:\\Users\\jan (admin)\\Belfry\\main.cjs:1:2)',
      '    at async Belfry.start (file:///home/jan/belfry (old)/main.cjs:3:4)',
      '    at /home/jan (home)/main.cjs:5:6',
      '    at node:internal/main:7:8',
    ].join('\n')
    logBug('start', error)
    stderr.mockRestore()
    logTo(() => undefined)
    expect(lines).toEqual([
      [
        'start: Error',
        '    at run (main.cjs:1:2)',
        '    at async Belfry.start (main.cjs:3:4)',
        '    at main.cjs:5:6',
        '    at main:7:8',
      ].join('\n'),
    ])
  })

  test('is told by its places alone, whatever its message looks like', () => {
    const told = describeBug(new TypeError('“deploy\n    at night, with key 7f3a”'))
    expect(told).toMatch(/^TypeError\n {4}at .*log\.test\.ts/)
    expect(told).not.toContain('night')
  })

  test('is logged once even if nobody reads standard error any more', async () => {
    const log = JSON.stringify(
      new URL('../../../../src/main/desktop/system/log.ts', import.meta.url),
    )
    const program = `
      const { logBug } = await import(${log})
      let bugs = 0
      process.on('uncaughtException', (error) => {
        bugs += 1
        if (bugs < 100) logBug('uncaught', error)
      })
      await new Promise((resolve) => process.stdin.once('data', resolve))
      process.stdin.pause()
      setImmediate(() => { throw new Error('bug') })
      process.on('exit', () => process.stdout.write(String(bugs)))`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program])
    child.stderr.destroy()
    child.stdin.end('go')
    const [[bugs]] = (await Promise.all([once(child.stdout, 'data'), once(child, 'exit')])) as [
      [Buffer],
      unknown,
    ]
    expect(bugs.toString()).toBe('1')
  })
})
