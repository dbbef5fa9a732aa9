import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDiskThread } from '../../../src/main/storage/disk-thread.ts'

const threads = vi.hoisted(() => ({ started: 0, running: 0 }))
vi.mock('node:worker_threads', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:worker_threads')>()
  class CountedWorker extends original.Worker {
    constructor(...args: ConstructorParameters<typeof original.Worker>) {
      super(...args)
      threads.started += 1
      threads.running += 1
      this.once('exit', () => {
        threads.running -= 1
      })
    }
  }
  return { ...original, Worker: CountedWorker }
})

test('several jobs start one thread, which ends when it is idle, and starts again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-thread-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const onDiskThread = createDiskThread(50)
  const file = join(folder, 'history.db')
  const checkpoint = () => onDiskThread({ do: 'checkpoint', file })
  await Promise.all([1, 2, 3].map(checkpoint))
  expect(threads.started).toBe(1)
  await expect.poll(() => threads.running).toBe(0)
  await expect(
    onDiskThread({ do: 'checkpoint', file: join(folder, 'none', 'history.db') }),
  ).rejects.toThrow()
  await checkpoint()
  expect(threads.started).toBe(2)
  await expect.poll(() => threads.running).toBe(0)
})
