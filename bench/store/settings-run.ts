/**
 * A small change of the settings, as the app saves it: how long it blocks main, and how long until
 * it is stored.
 */
import assert from 'node:assert/strict'
import { createJournal } from '../../src/main/storage/journal.ts'
import { openSaved } from '../../src/main/storage/saved-files.ts'
import { defaultSettings } from '../../src/shared/core/settings.ts'
import { report } from '../child.ts'
import { median } from '../judge.ts'
import { inFolder } from './each.ts'

const changes = 30

const numbers = await inFolder(async (folder) => {
  const saved = openSaved(folder, ({ text }) => assert.fail(text ?? ''))
  const journal = createJournal(saved)
  const blocked: number[] = []
  const kept: number[] = []
  for (let n = 0; n < changes; n += 1) {
    const watch = watchTurns()
    const from = performance.now()
    await journal.save('settings', { ...defaultSettings, pollSeconds: 60 + n })
    kept.push(performance.now() - from)
    blocked.push(await watch.longest())
  }
  const read = openSaved(folder, ({ text }) => assert.fail(text ?? '')).read('settings')
  assert.deepEqual(read, { ...defaultSettings, pollSeconds: 60 + changes - 1 })
  return { blockedMs: median(blocked), keptMs: median(kept) }
})
report(numbers)

/** Measures the longest time in which nothing else got a turn. */
function watchTurns() {
  let longest = 0
  let last = performance.now()
  let running = true
  const turn = (): void => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    longest: () =>
      new Promise<number>((resolve) => {
        setImmediate(() => {
          running = false
          turn()
          resolve(longest)
        })
      }),
  }
}
