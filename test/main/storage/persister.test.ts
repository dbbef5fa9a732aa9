import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Persisted, Persister } from '../../../src/main/storage/persister.ts'

interface All {
  readonly value: number
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** `change` resolves to whether the changed document is on disk. */
function setUp(row: Partial<Persisted<All>>) {
  let all: All = { value: 0 }
  const disk = { full: false, written: [] as number[] }
  const parts = ({ value }: All) => [value]
  const persister = new Persister<'marks', All, Persisted<All>>({
    rows: new Map([['marks', { words: 'the marks', parts, ...row }]]),
    now: () => all,
    save: async (_row, { value }) => {
      if (disk.full) throw new Error('disk full')
      disk.written.push(value)
    },
    awaited: 'marks',
    unsaved: () => undefined,
  })
  const change = (value: number): Promise<boolean> => {
    all = { value }
    return persister.persistChanged()
  }
  return { disk, change }
}

test('a change that may wait is written after 10 s, and so is the next one', async () => {
  const { disk, change } = setUp({ mayWait: () => true })
  for (const value of [1, 2]) {
    await change(value)
    await vi.advanceTimersByTimeAsync(9_000)
    expect(disk.written).not.toContain(value)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(disk.written.at(-1)).toBe(value)
  }
})

test('whoever waits for the awaited document learns whether it is on disk', async () => {
  const { disk, change } = setUp({})
  expect(await change(1)).toBe(true)
  disk.full = true
  expect(await change(2)).toBe(false)
  disk.full = false
  expect(await change(3)).toBe(true)
})

test('a document that goes after another is written after it, in its newest value, and never without it', async () => {
  let value = 0
  const written: string[] = []
  const writes: PromiseWithResolvers<void>[] = []
  const words = 'some'
  const parts = (all: All) => [all.value]
  const persister = new Persister<'links' | 'texts', All, Persisted<All>>({
    rows: new Map([
      ['links', { words, parts, after: 'texts' }],
      ['texts', { words: 'the texts', parts }],
    ]),
    now: () => ({ value }),
    save: async (row, all) => {
      if (row.after === undefined) {
        const write = Promise.withResolvers<void>()
        writes.push(write)
        await write.promise
      }
      written.push(`${row.words} ${all.value}`)
    },
    awaited: 'texts',
    unsaved: () => undefined,
  })
  const change = (): Promise<boolean> => {
    value += 1
    return persister.persistChanged()
  }
  const flushed = [change(), change()]
  expect(written).toEqual([])
  for (const write of writes) write.resolve()
  expect(await Promise.all(flushed)).toEqual([true, true])
  await persister.persist('links')
  expect(written).toEqual(['the texts 1', 'the texts 2', 'some 2'])
  const refused = change()
  writes.at(-1)?.reject(new Error('disk full'))
  expect(await refused).toBe(false)
  expect(written).not.toContain('some 3')
  persister.stop()
})
