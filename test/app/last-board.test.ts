import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { withLastBoards } from '../../src/shared/core/views/last-board.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('a start without an answer has the checks of the previous run to show, and tells nothing of them', async () => {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  let answers = true
  const it = await startApp({
    world,
    transport: async (request, signal) => {
      if (answers) return world.transport(request, signal)
      throw new RequestFailed({ kind: 'network', reason: 'refused', host: '', reached: 'no' })
    },
  })
  const { accountId } = await it.app.commands.addAccount(world.newAccounts.ops)
  await pass(60_000)
  const before = it.app.state.boards.get(accountId)
  const listed = it.app.state.notices
  answers = false
  let again = await it.restart()
  // It outlives a run that read nothing.
  again = await again.restart()
  await pass(5_000)
  const { state } = again.app
  expect(state.boards.get(accountId)).toMatchObject({
    checks: new Map(),
    freshness: { readAt: null },
  })
  const shown = withLastBoards(state).boards.get(accountId)
  expect(before?.checks.size).toBeGreaterThan(10)
  expect(shown?.checks).toEqual(before?.checks)
  expect(shown?.counts).toEqual(before?.counts)
  expect(shown?.freshness.readAt).toBe(before?.freshness.readAt)
  expect(state.notices).toEqual(listed)
  expect(again.desktop.notices).toEqual([])
  await again.app.stop()
})
