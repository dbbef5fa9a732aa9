import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBeat } from '../../src/main/base/beat.ts'
import { createTrayShow } from '../../src/main/state/tray-show.ts'
import { type AppState, emptyState } from '../../src/shared/core/state.ts'
import type { TrayShape } from '../../src/shared/core/views/tray-view.ts'
import { account, board, check, state } from '../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const endOfTurn = () => vi.advanceTimersByTime(1)

const empty: AppState = emptyState
const down = state({
  accounts: [account()],
  boards: new Map([[account().id, board([check({ status: 'down' })])]]),
})

/** A tray that shows `it.state`. */
function running() {
  const shown: TrayShape[] = []
  const bugs: unknown[] = []
  const it = { state: empty, isGone: false, isLocked: false }
  const tray = createTrayShow({
    get: () => it.state,
    show({ shape }) {
      if (it.isGone) throw new Error('a tray that is gone')
      shown.push(shape)
    },
    screenLocked: () => it.isLocked,
    clock: { now: Date.now },
    beat: createBeat((error) => bugs.push(error)),
    onBug: (error) => bugs.push(error),
  })
  return { it, tray, shown, bugs }
}

test('the tray shows the state from the start', () => {
  const { tray, shown } = running()
  endOfTurn()
  expect(shown).toEqual(['empty'])
  tray.stop()
})

test('changes within one turn are shown once, as the last one left them', () => {
  const { it, tray, shown } = running()
  endOfTurn()
  tray.changed()
  it.state = down
  tray.changed()
  expect(shown).toEqual(['empty'])
  endOfTurn()
  expect(shown).toEqual(['empty', 'down'])
  tray.stop()
})

test('the tray’s text is refreshed while nothing changes', () => {
  const { tray, shown } = running()
  vi.advanceTimersByTime(30_001)
  expect(shown).toHaveLength(4)
  // The beat's: a timer of its own would wake the computer at another moment.
  expect(vi.getTimerCount()).toBe(1)
  tray.stop()
})

test('the tray’s text is refreshed less often while the screen is locked', () => {
  const { it, tray, shown } = running()
  it.isLocked = true
  vi.advanceTimersByTime(60_001)
  expect(shown).toHaveLength(3)
  it.state = down
  tray.changed()
  endOfTurn()
  expect(shown.at(-1)).toBe('down')
  tray.stop()
})

test('a tray that throws is reported as a bug, and is retried', () => {
  const { it, tray, shown, bugs } = running()
  it.isGone = true
  endOfTurn()
  expect(bugs).toHaveLength(1)
  it.isGone = false
  vi.advanceTimersByTime(10_000)
  expect(shown).toEqual(['empty'])
  tray.stop()
})

test('at the end, pending and later changes are shown at once, and no timer remains', () => {
  const { it, tray, shown } = running()
  endOfTurn()
  it.state = down
  tray.changed()
  tray.stop()
  expect(shown).toEqual(['empty', 'down'])
  it.state = empty
  tray.changed()
  expect(shown).toEqual(['empty', 'down', 'empty'])
  expect(vi.getTimerCount()).toBe(0)
})
