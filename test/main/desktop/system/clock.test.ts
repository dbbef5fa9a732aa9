import { describe, expect, test } from 'vitest'
import { createClock } from '../../../../src/main/desktop/system/computer.ts'

/** A computer that has been running for a minute. */
function computer() {
  const it = { wall: 1_000_000, running: 60_000, uptime: 60, broken: false }
  const clock = createClock({
    now: () => it.wall,
    running: () => it.running,
    uptime: () => {
      if (it.broken) throw new Error('no /proc here')
      return it.uptime
    },
    random: () => 0,
  })
  const start = clock.monotonic()
  const passed = () => clock.monotonic() - start
  return { it, passed }
}

describe('the monotonic clock', () => {
  test('advances with elapsed time, whatever the resolution of the uptime', () => {
    const { it, passed } = computer()
    it.running += 1_500
    it.uptime += 1
    expect(passed()).toBe(1_500)
  })

  test('advances during sleep, when the clock of the process stands still', () => {
    const { it, passed } = computer()
    it.uptime += 3_600
    expect(passed()).toBe(3_600_000)
    it.running += 5_000
    it.uptime += 5
    expect(passed()).toBe(3_605_000)
    it.uptime += 60
    expect(passed()).toBe(3_665_000)
  })

  test('ignores changes of the wall clock', () => {
    const { it, passed } = computer()
    it.wall -= 24 * 3_600_000
    expect(passed()).toBe(0)
  })

  test('never goes back, even if the uptime becomes unavailable', () => {
    const { it, passed } = computer()
    it.uptime += 600
    const before = passed()
    it.broken = true
    it.running += 10
    expect(passed()).toBeGreaterThanOrEqual(before)
  })
})
