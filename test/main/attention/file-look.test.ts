import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { projectRoot } from '../../../scripts/programs.mjs'
import { createFileLook } from '../../../src/main/attention/file-look.ts'
import { ownFolder } from '../../support/own-program.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('one look is enough for a drive that hangs: whoever waits for it gives up, and the next are refused at once', async () => {
  vi.useFakeTimers()
  const look = createFileLook()
  const answer = Promise.withResolvers<string>()
  const begun: string[] = []
  const looked = (name: string, ms: number) =>
    look(() => {
      begun.push(name)
      return answer.promise
    }, ms).catch(() => `${name} refused`)
  const [program, sound] = [looked('program', 5_000), looked('sound', 500)]
  await vi.advanceTimersByTimeAsync(500)
  expect(await sound).toBe('sound refused')
  await vi.advanceTimersByTimeAsync(4_500)
  expect(await program).toBe('program refused')
  expect(await looked('next', 5_000)).toBe('next refused')
  expect(begun).toEqual(['program'])
  answer.resolve('there')
  await vi.advanceTimersByTimeAsync(0)
  expect(await Promise.all([looked('one', 500), looked('other', 500)])).toEqual(['there', 'there'])
  expect(begun).toEqual(['program', 'one', 'other'])
})

test.skipIf(process.platform === 'win32')(
  'a look that hangs keeps no process from ending',
  async () => {
    const pipe = join(await ownFolder(), 'pipe')
    spawnSync('mkfifo', [pipe])
    // Opening it hangs until somebody writes.
    const program = `
    import { promises } from 'node:fs'
    import { createFileLook } from ${JSON.stringify(join(projectRoot, 'src/main/attention/file-look.ts'))}
    createFileLook()(() => promises.open(${JSON.stringify(pipe)}), 1).catch(() => process.exit())`
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 60_000,
    })
    expect([ended.signal, ended.error]).toEqual(['SIGKILL', undefined])
  },
)
