import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTurns, type Rank } from '../../../src/main/monitoring/turns.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Workers that take a second each, two at once. */
function workers(pausedUntil = 0) {
  const begun: string[] = []
  const turn = createTurns({ atOnce: 2, pauseMs: () => Math.max(0, pausedUntil - Date.now()) })
  const add = (name: string, rank: () => Rank, signal = new AbortController().signal) =>
    turn(rank, signal, async () => {
      begun.push(name)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    })
  return { begun, add }
}

describe('whoever waits for a turn', () => {
  test('begins two at a time, the most wanted first', async () => {
    const { begun, add } = workers()
    for (const [name, rank] of [
      ['a', [0, 1]],
      ['b', [0, 1]],
      ['old', [0, 3]],
      ['new', [0, 9]],
      ['news', [1, 0]],
    ] as const)
      void add(name, () => rank)
    await vi.advanceTimersByTimeAsync(500)
    expect(begun).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begun.slice(2)).toEqual(['news', 'new'])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begun.slice(4)).toEqual(['old'])
  })

  test('is judged by how much it is wanted when a place is free', async () => {
    const { begun, add } = workers()
    let inView = 'x'
    for (const name of ['a', 'b', 'x', 'y']) void add(name, () => [Number(inView === name)])
    inView = 'y'
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begun.slice(0, 3)).toEqual(['a', 'b', 'y'])
  })

  test('does nothing once its signal aborts, and leaves its place to the next', async () => {
    const { begun, add } = workers()
    const abort = new AbortController()
    void add('a', () => [1])
    void add('b', () => [1])
    void add('gone', () => [9], abort.signal)
    void add('c', () => [1])
    abort.abort()
    await vi.advanceTimersByTimeAsync(3_000)
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  test('begins after a pause', async () => {
    const { begun, add } = workers(Date.now() + 60_000)
    void add('a', () => [1])
    await vi.advanceTimersByTimeAsync(59_000)
    expect(begun).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begun).toEqual(['a'])
    expect(vi.getTimerCount()).toBe(1)
  })
})
