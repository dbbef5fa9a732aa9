import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { keepForMinutes } from '../../../../src/main/desktop/window/window-lifecycle.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const minuteMs = 60_000

function window() {
  const its = { mayGo: true, gone: 0 }
  const kept = keepForMinutes({
    mayGo: () => its.mayGo,
    letGo: () => {
      its.gone += 1
    },
  })
  return { its, kept }
}

describe('a hidden window', () => {
  test('is kept for five minutes, then released, once', () => {
    const { its, kept } = window()
    kept.hidden()
    vi.advanceTimersByTime(5 * minuteMs - 1)
    expect(its.gone).toBe(0)
    vi.advanceTimersByTime(1)
    expect(its.gone).toBe(1)
    vi.advanceTimersByTime(60 * minuteMs)
    expect(its.gone).toBe(1)
  })

  test('that is shown again is kept, and its five minutes restart when it is hidden', () => {
    const { its, kept } = window()
    kept.hidden()
    vi.advanceTimersByTime(4 * minuteMs)
    kept.shown()
    vi.advanceTimersByTime(60 * minuteMs)
    expect(its.gone).toBe(0)
    kept.hidden()
    vi.advanceTimersByTime(4 * minuteMs)
    expect(its.gone).toBe(0)
    vi.advanceTimersByTime(minuteMs)
    expect(its.gone).toBe(1)
  })

  test('stays while typed text would be lost with it, and is released after that', () => {
    const { its, kept } = window()
    its.mayGo = false
    kept.hidden()
    vi.advanceTimersByTime(12 * minuteMs)
    expect(its.gone).toBe(0)
    its.mayGo = true
    vi.advanceTimersByTime(5 * minuteMs)
    expect(its.gone).toBe(1)
  })
})
