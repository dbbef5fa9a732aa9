import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createWaker,
  longestTimerMs,
  runYielding,
  wait,
  waitAfter,
  withinTime,
} from '../../../src/main/http/wait.ts'

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

  test('leaves nothing behind on its signal and its waker', async () => {
    const { signal } = new AbortController()
    const left = new Set<() => void>()
    const waker = {
      ...createWaker(),
      onWake(listener: () => void) {
        left.add(listener)
        return () => left.delete(listener)
      },
    }
    const waiting = wait(1_000, signal, waker)
    expect([left.size, getEventListeners(signal, 'abort').length]).toEqual([1, 1])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await waiting).toBe('over')
    expect([left.size, getEventListeners(signal, 'abort').length]).toEqual([0, 0])
  })

  test('no longer calls a listener that has left', () => {
    const waker = createWaker()
    const listener = vi.fn()
    waker.onWake(listener)()
    waker.wake()
    expect(listener).not.toHaveBeenCalled()
  })

  test('longer than the longest timer does not end at once', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout')
    void wait(1e12, new AbortController().signal)
    // Node fires a timer at once whose time does not fit into 31 bits.
    expect(timer.mock.calls[0]?.[1]).toBe(0x7fff_ffff)
    expect(longestTimerMs).toBe(0x7fff_ffff)
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

describe('work within a time', () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'))
    })

  test('is aborted after it, or with its signal, and leaves no timer behind', async () => {
    const abort = new AbortController()
    const late = withinTime(1_000, abort.signal, untilAborted)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await late).toBe('aborted')
    const ended = withinTime(1_000, abort.signal, untilAborted)
    abort.abort()
    expect(await ended).toBe('aborted')
    expect(vi.getTimerCount()).toBe(0)
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
