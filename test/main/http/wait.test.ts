import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWaker, runYielding, wait, waitAfter } from '../../../src/main/http/wait.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('a wait', () => {
  test('ends after its time, not before', async () => {
    const ended = vi.fn()
    void wait(1_000, new AbortController().signal).then(ended)
    await vi.advanceTimersByTimeAsync(999)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalledWith('over')
  })

  test('ends at once when woken, and leaves no timer behind', async () => {
    const waker = createWaker()
    const waiting = wait(60_000, new AbortController().signal, waker)
    waker.wake()
    expect(await waiting).toBe('woken')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('ends at once when aborted, before or during it', async () => {
    const abort = new AbortController()
    const waiting = wait(60_000, abort.signal)
    abort.abort()
    expect(await waiting).toBe('aborted')
    expect(await wait(60_000, abort.signal)).toBe('aborted')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('started by a wake is not ended by that wake', async () => {
    const waker = createWaker()
    const signal = new AbortController().signal
    const ended = vi.fn()
    waker.onWake(() => void wait(1_000, signal, waker).then(ended))
    waker.wake()
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).not.toHaveBeenCalled()
  })

  test('requested by a server is ended only by a wake after a long enough sleep', async () => {
    const waker = createWaker()
    const { signal } = new AbortController()
    const ended = vi.fn()
    let now = 0
    const clock = { monotonic: () => now }
    const limited = { kind: 'rateLimited', retryAfterMs: 60_000 } as const
    void waitAfter(limited, 60_000, { signal, waker, clock }).then(ended)
    // Timers stand still meanwhile.
    now = 50_000
    waker.wake()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ended).not.toHaveBeenCalled()
    now = 3_600_000
    waker.wake()
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toHaveBeenCalledOnce()
  })
})

describe('work that lasts', () => {
  test.each([
    [3, ['other', 'what follows']],
    [1, ['what follows', 'other']],
  ])(
    'lets other work run before what follows it, unless it was quick: %i ms',
    async (ms, order) => {
      const done: string[] = []
      setImmediate(() => done.push('other'))
      function* work(): Generator<undefined, void> {
        yield
      }
      vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(ms)
      const ended = runYielding(work()).then(() => done.push('what follows'))
      await vi.advanceTimersByTimeAsync(0)
      await ended
      expect(done).toEqual(order)
    },
  )
})
