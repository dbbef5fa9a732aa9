import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBeat } from '../../src/main/base/beat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('everything that is looked at now and then shares one timer', () => {
  const beat = createBeat(() => undefined)
  const looks = { often: 0, rarely: 0 }
  const stops = [
    beat.each(5_000, () => {
      looks.often += 1
    }),
    beat.each(60_000, () => {
      looks.rarely += 1
    }),
  ]
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(120_000)
  expect(looks).toEqual({ often: 24, rarely: 2 })
  stops[0]?.()
  vi.advanceTimersByTime(60_000)
  expect(looks).toEqual({ often: 24, rarely: 3 })
  stops[1]?.()
  expect(vi.getTimerCount()).toBe(0)
})

test('a bug in one look is reported, and keeps none of the others', () => {
  const bugs: unknown[] = []
  const beat = createBeat((error) => bugs.push(error))
  let looks = 0
  beat.each(5_000, () => {
    throw new Error('a bug')
  })
  beat.each(5_000, () => {
    looks += 1
  })
  vi.advanceTimersByTime(10_000)
  expect([looks, bugs.length]).toEqual([2, 2])
})

test('a look that another one stops in the same beat is not called any more', () => {
  const beat = createBeat(() => undefined)
  let looks = 0
  let stop = (): void => undefined
  beat.each(5_000, () => stop())
  stop = beat.each(5_000, () => {
    looks += 1
  })
  vi.advanceTimersByTime(5_000)
  expect(looks).toBe(0)
})
