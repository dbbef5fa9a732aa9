import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { History } from '../../../src/main/base/ports.ts'
import { openHistory } from '../../../src/main/storage/history-database.ts'

const hour = 60 * 60_000
const day = 24 * hour
const started = Date.UTC(2026, 2, 17, 14, 25)

let folder: string
let history: History
/** How far this computer’s clock is ahead, in ms. */
let aheadMs: number

beforeEach(() => {
  vi.useFakeTimers({ now: started })
  folder = mkdtempSync(join(tmpdir(), 'belfry-history-clock-'))
  aheadMs = 0
  open()
  const days = [91, 89, 60, 30, 0]
  history.add(days.map((ago) => entry(ago)))
})
afterEach(() => {
  history.close()
  rmSync(folder, { recursive: true, force: true })
  vi.useRealTimers()
})

function open(): void {
  history = openHistory({
    file: join(folder, 'history.db'),
    now: () => Date.now() + aheadMs,
    onTrouble: () => undefined,
  })
}

const entry = (ago: number) => ({
  at: started - ago * day,
  accountId: 'ops',
  subject: 'ops/check/1',
  kind: 'status',
  data: ago,
})
/** The ages in days, at the start, of what is left. */
const left = () =>
  history.entries({ from: 0, limit: 100, accountId: 'ops' }).map(({ data }) => data)
const restart = () => {
  history.close()
  open()
}

test('The history keeps 90 days by a clock that is right', async () => {
  restart()
  await vi.advanceTimersByTimeAsync(hour)
  expect(left()).toEqual([89, 60, 30, 0])
})

test.each(['runs', 'starts'])(
  'The history survives a clock that is wrong by 90 days for hours while Belfry %s',
  async (when) => {
    await vi.advanceTimersByTimeAsync(hour)
    aheadMs = 90 * day
    if (when === 'starts') restart()
    history.add([{ ...entry(0), at: Date.now() + aheadMs, accountId: 'web' }])
    await vi.advanceTimersByTimeAsync(3 * hour)
    expect(left()).toEqual([60, 30, 0])
    aheadMs = 0
    restart()
    await vi.advanceTimersByTimeAsync(3 * hour)
    expect(left()).toEqual([60, 30, 0])
  },
)

test('The history of somebody who was away for 100 days is dropped within days', async () => {
  history.close()
  vi.setSystemTime(started + 100 * day)
  open()
  await vi.advanceTimersByTimeAsync(hour)
  expect(left()).toEqual([89, 60, 30, 0])
  await vi.advanceTimersByTimeAsync(5 * day)
  expect(left()).toEqual([])
})
