import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { atMostEvery } from '../../../../src/main/desktop/tray/tray-icon.ts'
import { rateLimit } from '../../../../src/shared/core/time.ts'

vi.mock(import('electron'), () => ({}))

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('a function throttled to once a second', () => {
  test('runs at once, and then once more with the newest value', () => {
    const ran: number[] = []
    const ask = atMostEvery(1_000, (value: number) => ran.push(value))
    for (const value of [1, 2, 3]) ask(value)
    expect(ran).toEqual([1])
    vi.advanceTimersByTime(1_000)
    expect(ran).toEqual([1, 3])
    vi.advanceTimersByTime(10_000)
    expect(ran).toEqual([1, 3])
    ask(4)
    expect(ran).toEqual([1, 3, 4])
  })
})

describe('a rate limit of three a minute', () => {
  test('is used up, and recovers', () => {
    const may = rateLimit(3, 60_000, Date.now)
    expect([may(), may(), may(), may()]).toEqual([true, true, true, false])
    vi.advanceTimersByTime(60_000)
    expect(may()).toBe(true)
  })
})
