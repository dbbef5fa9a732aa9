import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isInUse } from '../../../../src/main/desktop/system/computer.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** As Chromium leaves it. */
const lockedBy = (pid: number): void =>
  symlinkSync(`${hostname()}-${pid}`, join(folder, 'SingletonLock'))
const endedPid = (): number => spawnSync(process.execPath, ['--version']).pid
const readOnly = (): boolean => false

describe.skipIf(process.platform === 'win32')('a folder for which Electron gets no lock', () => {
  test('is in use where one could be made', () => {
    expect(isInUse(folder)).toBe(true)
  })

  test('is not where none can be made, on a read-only disk', () => {
    expect(isInUse(folder, readOnly)).toBe(false)
    expect(isInUse(join(folder, 'missing'))).toBe(false)
  })

  test('is there too, for as long as the one that made the lock runs', () => {
    lockedBy(process.pid)
    expect(isInUse(folder, readOnly)).toBe(true)
  })

  test('is not there after a crash', () => {
    lockedBy(endedPid())
    expect(isInUse(folder, readOnly)).toBe(false)
  })
})
