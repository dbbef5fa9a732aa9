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

/** The app with a project and a realm, and what it asks of each. */
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

describe('a minute of one key', () => {
  test('has no more than ten requests, however often windows come, go and follow anew', async () => {
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

describe('a look at a board', () => {
  test('that was read ten seconds ago reads it at once, and a newer one when it is as old', async () => {
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

describe('a look at two boards that were just read', () => {
  test('plans nothing that is left when nobody looks any more', async () => {
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

describe('a window that was let go', () => {
  test('comes back where it was', async () => {
    const it = await watching()
    await it.app.commands.showing({ view: null, place: { view: 'notices' } })
    it.app.windowFollows()
    expect(it.app.state.target.to).toEqual({ view: 'notices' })
    await it.app.stop()
  })

  test('comes back where it was sent, if that is why it comes', async () => {
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

  test('or that crashed comes back at the checks, with a way to where it was', async () => {
    const it = await watching()
    const troubles = () => it.app.state.troubles.map(({ id, to }) => ({ id, to }))
    await it.app.commands.showing({ view: 'settings', place: { view: 'settings' } })
    it.app.windowCrashed()
    it.app.windowFollows()
    expect(it.app.state.target.to).toEqual({ view: 'checks' })
    expect(troubles()).toEqual([{ id: 'window', to: { view: 'settings' } }])
    // Again, before it went anywhere: the way back is still the same.
    it.app.windowCrashed()
    expect(troubles()).toEqual([{ id: 'window', to: { view: 'settings' } }])
    await it.app.commands.showing({ view: 'notices', place: { view: 'notices' } })
    it.app.windowCrashed()
    expect(troubles()).toEqual([{ id: 'window', to: { view: 'notices' } }])
    await it.app.stop()
  })

  test('is one whose page has nothing typed of its own, as it said when it was hidden', async () => {
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

describe('a link that comes before anything is read', () => {
  test('shows the window once, and then only to lead there', async () => {
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
    // Its user closes it.
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
