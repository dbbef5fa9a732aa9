import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWatchdog } from '../../../../src/main/desktop/window/window-lifecycle.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A page that answers each question at once while `isAlive`. */
function page() {
  const seen = { asked: 0, hung: 0 }
  const it = { isAlive: true, load: 0.5, ...seen }
  let sleptMs = 0
  const heartbeat = createWatchdog({
    ask: () => {
      it.asked += 1
      if (it.isAlive) heartbeat.answered()
    },
    onHung: () => {
      it.hung += 1
    },
    monotonic: () => performance.now() + sleptMs,
    load: () => it.load,
  })
  const sleep = (ms: number) => {
    sleptMs += ms
  }
  return Object.assign(it, { heartbeat, sleep })
}

/** A page that answered for five seconds, then got much to draw and stopped answering. */
function drawing() {
  const it = page()
  it.heartbeat.start()
  vi.advanceTimersByTime(5_000)
  it.heartbeat.busy()
  it.isAlive = false
  return it
}

describe('the watchdog', () => {
  test('leaves a page alone that answers', () => {
    const it = page()
    it.heartbeat.start()
    vi.advanceTimersByTime(60_000)
    expect(it).toMatchObject({ asked: 121, hung: 0 })
  })

  test('finds a page that hangs within two and a half seconds, once', () => {
    const it = page()
    it.heartbeat.start()
    vi.advanceTimersByTime(5_000)
    it.isAlive = false
    vi.advanceTimersByTime(2_500)
    expect(it.hung).toBe(1)
    vi.advanceTimersByTime(60_000)
    expect(it.hung).toBe(1)
  })

  test('allows a page with much to draw ten seconds, and afterwards no more than usual', () => {
    const it = drawing()
    vi.advanceTimersByTime(9_000)
    expect(it.hung).toBe(0)
    it.isAlive = true
    vi.advanceTimersByTime(1_000)
    it.isAlive = false
    vi.advanceTimersByTime(2_500)
    expect(it.hung).toBe(1)
  })

  test('finds a page that hangs while it draws', () => {
    const it = drawing()
    vi.advanceTimersByTime(11_000)
    expect(it.hung).toBe(1)
  })

  test('waits longer on an overloaded computer, but not forever', () => {
    const it = page()
    it.load = 3.5
    it.heartbeat.start()
    vi.advanceTimersByTime(5_000)
    it.isAlive = false
    vi.advanceTimersByTime(5_500)
    expect(it.hung).toBe(0)
    vi.advanceTimersByTime(1_500)
    expect(it.hung).toBe(1)
    const worse = page()
    worse.load = 100
    worse.heartbeat.start()
    worse.isAlive = false
    vi.advanceTimersByTime(9_000)
    expect(worse.hung).toBe(1)
  })

  test('does not judge a page that has never answered', () => {
    const it = page()
    it.isAlive = false
    it.heartbeat.start()
    vi.advanceTimersByTime(30_000)
    expect(it.hung).toBe(0)
    it.isAlive = true
    vi.advanceTimersByTime(500)
    it.isAlive = false
    vi.advanceTimersByTime(2_500)
    expect(it.hung).toBe(1)
  })

  test('does not mistake a busy or sleeping computer for a page that hangs', () => {
    const it = page()
    it.heartbeat.start()
    it.isAlive = false
    for (let beat = 0; beat < 20; beat += 1) {
      it.sleep(600)
      vi.advanceTimersByTime(500)
    }
    expect(it.hung).toBe(0)
  })

  test('does nothing after it is stopped', () => {
    const it = page()
    it.heartbeat.start()
    it.heartbeat.stop()
    it.heartbeat.shown()
    vi.advanceTimersByTime(60_000)
    expect(it.asked).toBe(1)
  })

  test('does nothing while the page is hidden, and finds one that hangs once it is shown', () => {
    const it = page()
    it.heartbeat.start()
    it.heartbeat.hidden()
    it.isAlive = false
    vi.advanceTimersByTime(60_000)
    expect(it).toMatchObject({ asked: 1, hung: 0 })
    it.heartbeat.shown()
    vi.advanceTimersByTime(1_500)
    it.heartbeat.shown()
    expect(it.hung).toBe(0)
    vi.advanceTimersByTime(1_000)
    expect(it.hung).toBe(1)
  })
})
