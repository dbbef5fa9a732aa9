import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const minuteMs = 60_000

/** The app with a project and a realm, and the number of requests to each. */
async function watching() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const asked = { ops: 0, chat: 0 }
  const it = await startApp({
    world,
    transport: (request, signal) => {
      asked[request.url.startsWith(world.bases.chat) ? 'chat' : 'ops'] += 1
      return world.transport(request, signal)
    },
  })
  await it.app.commands.addAccount(world.newAccounts.ops)
  await it.app.commands.addAccount(world.newAccounts.chat)
  await pass(5 * minuteMs)
  return { ...it, asked }
}

describe('a minute with one key', () => {
  test('has at most ten requests, however often windows are shown, hidden and reloaded', async () => {
    const it = await watching()
    Object.assign(it.asked, { ops: 0, chat: 0 })
    for (let second = 0; second < 60; second += 1) {
      it.app.windowShown(true)
      it.app.windowFollows()
      await it.app.commands.showing({ view: 'checks' })
      await pass(500)
      it.app.windowShown(false)
      await it.app.commands.showing({ view: null })
      await pass(500)
    }
    expect(it.asked.ops).toBeGreaterThan(2)
    expect(it.asked.ops).toBeLessThanOrEqual(10)
    expect(it.asked.chat).toBeLessThanOrEqual(10)
    await it.app.stop()
  })
})

describe('opening a board', () => {
  test('that was read ten seconds ago reads it at once, and a newer one when it is that old', async () => {
    const it = await watching()
    const { id } = it.app.state.accounts.find(({ kind }) => kind === 'monitoring')!
    await it.app.commands.refresh({ accountId: id })
    await pass(12_000)
    const before = it.asked.ops
    it.app.windowShown(true)
    await pass(100)
    expect(it.asked.ops).toBe(before + 1)
    it.app.windowShown(false)
    it.app.windowShown(true)
    await pass(9_000)
    expect(it.asked.ops).toBe(before + 1)
    await pass(2_000)
    expect(it.asked.ops).toBe(before + 2)
    await it.app.stop()
  })
})

describe('opening two boards that were just read', () => {
  test('leaves no read scheduled once nobody looks at them', async () => {
    const it = await watching()
    await it.app.commands.addAccount(it.world.newAccounts.web)
    await pass(minuteMs)
    await it.app.commands.refresh({ accountId: null })
    await pass(2_000)
    const before = it.asked.ops
    it.app.windowShown(true)
    await pass(1_000)
    it.app.windowShown(false)
    await pass(15_000)
    expect(it.asked.ops).toBe(before)
    await it.app.stop()
  })
})

describe('a window that was discarded', () => {
  test('comes back where it was', async () => {
    const it = await watching()
    await it.app.commands.showing({ view: null, place: { view: 'notices' } })
    it.app.windowFollows()
    expect(it.app.state.target.to).toEqual({ view: 'notices' })
    await it.app.stop()
  })

  test('comes back at the place that reopened it', async () => {
    const it = await watching()
    const times = () => it.app.state.target.times
    await it.app.commands.showing({ view: null, place: { view: 'notices' } })
    const before = times()
    it.app.open({ view: 'settings' })
    it.app.windowFollows()
    expect(it.app.state.target.to).toEqual({ view: 'settings' })
    expect(times()).toBeGreaterThan(before)
    await it.app.stop()
  })

  test('or crashed comes back at the checks, with a way to where it was', async () => {
    const it = await watching()
    const troubles = () => it.app.state.troubles.map(({ id, to }) => ({ id, to }))
    await it.app.commands.showing({ view: 'settings', place: { view: 'settings' } })
    it.app.windowCrashed()
    it.app.windowFollows()
    expect(it.app.state.target.to).toEqual({ view: 'checks' })
    expect(troubles()).toEqual([{ id: 'window', to: { view: 'settings' } }])
    // A second crash before it went anywhere keeps the same way back.
    it.app.windowCrashed()
    expect(troubles()).toEqual([{ id: 'window', to: { view: 'settings' } }])
    await it.app.commands.showing({ view: 'notices', place: { view: 'notices' } })
    it.app.windowCrashed()
    expect(troubles()).toEqual([{ id: 'window', to: { view: 'notices' } }])
    await it.app.stop()
  })

  test('had nothing typed in its page, as that reported when it was hidden', async () => {
    const it = await watching()
    await it.app.commands.showing({ view: null, holdsInput: true })
    expect(it.app.windowHoldsInput()).toBe(true)
    await it.app.commands.showing({ view: null, holdsInput: false })
    expect(it.app.windowHoldsInput()).toBe(false)
    await it.app.commands.showing({ view: null, holdsInput: true })
    // Whatever a page held, a new one holds nothing.
    it.app.windowFollows()
    expect(it.app.windowHoldsInput()).toBe(false)
    await it.app.stop()
  })
})

describe('a link opened before anything was read', () => {
  test('shows the window once, and once more to go to its place', async () => {
    const before = await watching()
    const stopped = before.app.stop()
    await pass(2_000)
    await stopped
    let isUp = false
    const it = await startApp({
      ...before,
      transport: async (request, signal) => {
        if (isUp) return before.world.transport(request, signal)
        throw new RequestFailed({ kind: 'network', reason: 'reset', host: '', reached: 'maybe' })
      },
    })
    const [checkId = ''] = [...before.app.state.boards.values()].flatMap(({ checks }) => [
      ...checks.keys(),
    ])
    it.app.openDeepLink(`belfry://check/${checkId}`)
    expect(it.desktop.windowOpen).toBe(true)
    // The user closes it.
    it.desktop.hideWindow()
    await pass(5_000)
    expect(it.desktop.windowOpen).toBe(false)
    isUp = true
    await pass(14_000)
    expect(it.desktop.windowOpen).toBe(true)
    expect(it.app.state.target.to).toMatchObject({ view: 'check', checkId })
    await it.app.stop()
  })
})
