import { describe, expect, test } from 'vitest'
import { createJournal } from '../../../src/main/storage/journal.ts'

/** A disk whose writes end when the test says so. */
function slowDisk() {
  const writes: { name: string; value: unknown; end: (error?: Error) => void }[] = []
  const write = (name: string, value: unknown): Promise<void> =>
    new Promise((resolve, reject) => {
      writes.push({
        name,
        value,
        end: (error) => (error === undefined ? resolve() : reject(error)),
      })
    })
  return { writes, journal: createJournal({ write }) }
}

const turn = () => new Promise(setImmediate)

describe('the journal', () => {
  test('acknowledges a value only once it, or a newer one, is on disk', async () => {
    const { writes, journal } = slowDisk()
    const done: unknown[] = []
    for (const value of [1, 2, 3]) void journal.save('drafts', value).then(() => done.push(value))
    await turn()
    expect([writes.map(({ value }) => value), done]).toEqual([[1], []])
    writes[0]!.end()
    await turn()
    expect([writes.map(({ value }) => value), done]).toEqual([[1, 3], [1]])
    writes[1]!.end()
    await turn()
    expect(done).toEqual([1, 2, 3])
  })

  test('rejects a value only if no newer one that contains it was written either', async () => {
    const { writes, journal } = slowDisk()
    const first = journal.save('outbox', ['a'])
    const second = journal.save('outbox', ['a', 'b'])
    writes[0]!.end(new Error('ENOSPC'))
    await turn()
    writes[1]!.end()
    await expect(Promise.all([first, second])).resolves.toBeDefined()
    const third = journal.save('outbox', [])
    writes[2]!.end(new Error('ENOSPC'))
    await expect(third).rejects.toThrow('ENOSPC')
  })

  test('is settled only once later values are written too, and never waits for a failed one', async () => {
    const { writes, journal } = slowDisk()
    let settled = false
    journal.save('drafts', 1).catch(() => undefined)
    void journal.settled().then(() => {
      settled = true
    })
    void journal.save('marks', 1)
    writes[0]!.end(new Error('EROFS'))
    await turn()
    expect(settled).toBe(false)
    journal.save('drafts', 2).catch(() => undefined)
    writes[1]!.end()
    await turn()
    expect(settled).toBe(false)
    writes[2]!.end(new Error('EROFS'))
    await turn()
    expect(settled).toBe(true)
  })
})
