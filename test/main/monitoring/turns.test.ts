import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { wait } from '../../../src/main/http/wait.ts'
import { createTurns, type Rank } from '../../../src/main/monitoring/turns.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Workers that take a second each, two at once, each after what it waits for. */
function workers(ready: Parameters<typeof createTurns>[0]['ready'] = async () => {}) {
  const begun: string[] = []
  const turn = createTurns({ atOnce: 2, ready })
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
    for (const name of ['a', 'b']) void add(name, () => [0, 1])
    await vi.advanceTimersByTimeAsync(0)
    for (const [name, rank] of [
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
    await vi.advanceTimersByTimeAsync(0)
    inView = 'y'
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begun.slice(0, 3)).toEqual(['x', 'a', 'y'])
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

  test('begins when it may, the most wanted by then first, and is asked for by what it is', async () => {
    const asked: (readonly [part: number, at: number])[] = []
    const began = Date.now()
    const { begun, add } = workers(async (part, signal) => {
      asked.push([part, Date.now() - began])
      if ((await wait(60_000, signal)) === 'aborted') signal.throwIfAborted()
    })
    const gone = new AbortController()
    void add('gone', () => [9], gone.signal)
    for (const name of ['a', 'b', 'c']) void add(name, () => [1])
    gone.abort()
    await vi.advanceTimersByTimeAsync(30_000)
    void add('news', () => [2])
    // Each is asked for once, however often others come; one that is overtaken, no longer.
    expect(asked).toEqual([
      [9, 0],
      [1, 0],
      [1, 0],
      [2, 30_000],
    ])
    await vi.advanceTimersByTimeAsync(30_000)
    expect(begun).toEqual(['news'])
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(begun).toEqual(['news', 'a', 'b', 'c'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
