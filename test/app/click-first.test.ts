import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { startApp } from '../support/app.ts'

const second = 1_000

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** More than what is read unasked may send in a minute, and less than a click may. */
const spent = 50

/** The app, when it has read the list of checks, and one of them. */
async function watching() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const lists: number[] = []
  const transport: Transport = (request, signal) => {
    if (/\/checks\/$/.test(request.url)) lists.push(Date.now())
    return world.transport(request, signal)
  }
  const { app } = await startApp({ world, transport })
  const { accountId } = await app.commands.addAccount(world.newAccounts.ops)
  await pass(3 * second)
  const uuid = app.state.boards.get(accountId)?.checks.values().next().value?.id ?? ''
  return { app, accountId, lists, uuid }
}

test('a click on “Refresh now” is answered at once when what is read unasked has used up its share', async () => {
  const { app, accountId, lists, uuid } = await watching()
  await Promise.all(
    Array.from({ length: spent }, () =>
      app.commands.run({ accountId, operation: 'listFlips', params: { id: uuid } }),
    ),
  )
  const begun = Date.now()
  await pass(20 * second)
  // The control: the reads that nobody asked for wait.
  expect(lists.filter((at) => at > begun)).toEqual([])
  await app.commands.refresh({ accountId })
  await pass(second)
  expect(lists.filter((at) => at > begun)).toHaveLength(1)
  await app.stop()
})

test('the list is read in time, however much is clicked meanwhile', async () => {
  const { app, accountId, lists, uuid } = await watching()
  for (let minutes = 0; minutes < 5; minutes += 1) {
    for (let click = 0; click < 60; click += 1)
      void app.commands.run({ accountId, operation: 'listFlips', params: { id: uuid } })
    await pass(60 * second)
  }
  const gaps = [...lists, Date.now()].map((at, n) => at - (lists[n - 1] ?? at))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(36 * second)
  await app.stop()
})
