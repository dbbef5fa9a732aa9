import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createNoticeGate } from '../../src/main/notice-gate.ts'
import type { Notice } from '../../src/shared/core/notice.ts'
import * as eg from '../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: eg.now })
})
afterEach(() => {
  vi.useRealTimers()
})

function gate() {
  const shown: Notice[] = []
  const withdrawn: string[] = []
  const made = createNoticeGate({
    show: (notice) => shown.push(notice),
    withdraw: (subject) => withdrawn.push(subject),
    clock: { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 },
  })
  return { ...made, shown, withdrawn }
}

describe('notices', () => {
  test('of a check that flaps for a day pop up at most twice in five minutes, with their count', () => {
    const { tell, shown } = gate()
    const minutes = 24 * 60
    for (let minute = 0; minute < minutes; minute += 1) {
      tell(eg.notice({ subject: 'flapper', kind: minute % 2 === 0 ? 'down' : 'recovered' }))
      vi.advanceTimersByTime(60_000)
    }
    expect(shown.length).toBeLessThanOrEqual((minutes / 5) * 2)
    expect(shown.length).toBeGreaterThan(100)
    expect(shown.some(({ body }) => body.includes('changed 4 times'))).toBe(true)
  })

  test('of a check that goes down and recovers both pop up', () => {
    const { tell, shown } = gate()
    tell(eg.notice({ subject: 'one', kind: 'down' }))
    tell(eg.notice({ subject: 'one', kind: 'recovered' }))
    expect(shown.map(({ kind }) => kind)).toEqual(['down', 'recovered'])
  })

  test('of 36 checks in 12 projects at once are five and one summary that leads to the list', () => {
    const { tell, shown } = gate()
    for (let n = 0; n < 36; n += 1) tell(eg.notice({ subject: `check-${n}` }))
    vi.advanceTimersByTime(60_000)
    expect(shown).toHaveLength(6)
    expect(shown.at(-1)).toMatchObject({
      title: '31 more notices',
      target: { view: 'notices' },
      sound: false,
    })
  })

  test('that wait and no longer hold are not told', () => {
    const { tell, withdraw, shown, withdrawn } = gate()
    for (let n = 0; n < 6; n += 1) tell(eg.notice({ subject: `check-${n}` }))
    withdraw('check-5')
    vi.advanceTimersByTime(60_000)
    expect(shown).toHaveLength(5)
    expect(withdrawn).toEqual(['check-5'])
  })

  test('pop up again as soon as the storm is over', () => {
    const { tell, shown } = gate()
    for (let n = 0; n < 10; n += 1) tell(eg.notice({ subject: `check-${n}` }))
    vi.advanceTimersByTime(30_000)
    tell(eg.notice({ subject: 'later', title: 'later' }))
    expect(shown.at(-1)?.title).toBe('later')
  })
})
