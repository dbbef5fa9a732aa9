import { beforeEach, expect, test, vi } from 'vitest'
import { createStatusShow } from '../../../src/main/state/status-show.ts'
import { defaultSettings, type SavedView } from '../../../src/shared/core/settings.ts'
import type { AppState } from '../../../src/shared/core/state.ts'
import { trayView } from '../../../src/shared/core/views/tray-view.ts'
import * as eg from '../../support/eg.ts'

const watching = (status: 'up' | 'down', intervalMs = eg.hour): AppState =>
  eg.state({
    accounts: [eg.account()],
    boards: new Map([
      [eg.opsId, eg.board([eg.check({ status })], { freshness: { ...eg.fresh, intervalMs } })],
    ]),
    realms: new Map(),
  })

let now = eg.now
beforeEach(() => {
  now = eg.now
})

function running() {
  const written: Readonly<Record<string, string>>[] = []
  const it = { discreet: false }
  const look = createStatusShow({
    folder: { write: (files) => written.push(files), close: async () => undefined },
    discreet: () => it.discreet,
    clock: { now: () => now },
    pid: 7,
  })
  return {
    it,
    written,
    /** The last line, as it was written. */
    line: () => written.at(-1)?.['status']?.split('\n')[3],
    until: () => Number(written.at(-1)?.['status']?.split('\n')[1]?.split(' ')[1]) * 1_000,
    show: (state: AppState) => look(state, trayView(state, now)),
  }
}

test('the status files follow each change at once', () => {
  const { show, line, written } = running()
  show(watching('up'))
  expect(line()).toBe(':✓ 1 up')
  show(watching('down'))
  expect(line()).toBe(':▲ 1 down')
  expect(written).toHaveLength(2)
  expect(Object.keys(written[0] ?? {})).toEqual(['status', 'status.json'])
})

test('without a change they are written at most every 30 s, and never expire while the tray looks', () => {
  const { show, written, until } = running()
  const state = watching('up')
  for (let tick = 0; tick <= 60; tick += 1) {
    show(state)
    expect(until()).toBeGreaterThan(now + 20_000)
    now += 10_000
  }
  expect(written.length).toBeLessThanOrEqual(21)
  expect(written.length).toBeGreaterThan(1)
})

test('they are renewed at once if the clock was set, in either direction', () => {
  const { show, written, until } = running()
  const state = watching('up', 100 * eg.day)
  for (const step of [0, -eg.hour, 2 * eg.hour]) {
    now += step
    show(state)
    expect(until()).toBe(now + 75_000)
  }
  expect(written).toHaveLength(3)
})

test('they are stale as soon as the data is, though the state is the same', () => {
  const { show, line } = running()
  const state = watching('up', eg.minute)
  show(state)
  now += 2 * eg.minute
  show(state)
  expect(line()).toBe(':? no fresh data')
})

test('names leave them when they may not be told any more', () => {
  const { show, it, written } = running()
  const state = watching('down')
  show(state)
  expect(written.at(-1)?.['status.json']).toContain('ops-project')
  it.discreet = true
  now += 10_000
  show(state)
  expect(written.at(-1)?.['status.json']).not.toContain('ops-project')
})

test('saved views are told in turns, and the newest state at the end', () => {
  vi.useFakeTimers({ toFake: ['setImmediate'] })
  try {
    const { show, written, line } = running()
    const views = (['1', '2'] as const).map((key): SavedView => {
      return { name: 'mine', key, filter: 'job', groupBy: 'project', sortBy: 'status' }
    })
    const settings = { ...defaultSettings, views }
    show({ ...watching('up'), settings })
    show({ ...watching('up'), settings })
    show({ ...watching('down'), settings })
    expect(written).toHaveLength(0)
    vi.runAllTimers()
    expect(line()).toBe(':▲ 1 down')
    expect(written).toHaveLength(2)
    expect(written[1]?.['status']).toMatch(/^= all 1$[^=]*^= 1 2$[^=]*^= 2 2$/m)
  } finally {
    vi.useRealTimers()
  }
})
