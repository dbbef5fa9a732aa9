import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRetry } from '../../../src/main/storage/journal.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a retry comes at growing intervals until it succeeds or is stopped', async () => {
  const at: number[] = []
  const began = Date.now()
  let fails = true
  const retry = createRetry(
    () => {
      at.push(Date.now() - began)
      if (fails) retry.failed()
      else retry.worked()
    },
    { firstMs: 5_000, longestMs: 60_000 },
  )
  retry.failed()
  retry.failed()
  await vi.advanceTimersByTimeAsync(200_000)
  expect(at).toEqual([5_000, 15_000, 35_000, 75_000, 135_000, 195_000])
  fails = false
  await vi.advanceTimersByTimeAsync(60_000)
  expect(vi.getTimerCount()).toBe(0)
  retry.failed()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(at).toHaveLength(8)
  retry.failed()
  retry.stop()
  expect(vi.getTimerCount()).toBe(0)
})
