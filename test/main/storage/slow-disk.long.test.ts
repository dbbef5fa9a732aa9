import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-slow-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const syncMs = 2_000

/** Runs the work with every sync delayed, on any thread; returns main's longest pause in ms. */
function longestPauseMs(how: 'onMain' | 'onThread'): number {
  const calls = 'fsync,fdatasync'
  const slow = [
    ...['-f', '-qq', '--seccomp-bpf', '-o', join(folder, 'calls.txt'), '-e', `trace=${calls}`],
    ...['-e', `inject=${calls}:delay_enter=${syncMs * 1_000}`],
  ]
  const work = join(import.meta.dirname, 'slow-disk-work.ts')
  const without = join(import.meta.dirname, '../../support/without-electron.ts')
  const data = join(folder, 'data')
  const command = [process.execPath, '--import', without, work, data, how]
  return Number(execFileSync('strace', [...slow, ...command], { encoding: 'utf8' }))
}

function whyNot(): string | null {
  if (process.platform !== 'linux') return 'needs strace'
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' })
    return null
  } catch {
    return 'strace is missing or not allowed'
  }
}

const reason = whyNot()

describe.skipIf(reason !== null)(`a disk that takes 2 s to sync (${reason ?? 'by strace'})`, () => {
  test('never blocks main: history, settings and drafts are written by other threads', () => {
    const pauseMs = longestPauseMs('onThread')
    const syncs = readFileSync(join(folder, 'calls.txt'), 'utf8').split('\n').filter(Boolean)
    // The log and the file at two checkpoints, the settings and the drafts.
    expect(syncs.length).toBeGreaterThanOrEqual(5)
    expect(readdirSync(join(folder, 'data'))).toEqual([
      'drafts.json',
      'history.db',
      'masked.json',
      'settings.json',
    ])
    expect(pauseMs).toBeLessThan(syncMs / 2)
  }, 120_000)

  test('would block main if it waited for a sync itself (control)', () => {
    expect(longestPauseMs('onMain')).toBeGreaterThan(syncMs)
  }, 120_000)
})
