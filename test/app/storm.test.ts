import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('a server that reports a thousand outages at once', () => {
  test('causes one notification, and one more when most have recovered', async () => {
    const it = await startApp()
    const { controls } = it.world.ops
    controls.addChecks(1_000)
    const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.ops)
    await pass(3_000)
    const names = controls.names().filter((name) => controls.check(name).status === 'up')
    expect(names.length).toBeGreaterThan(990)
    const before = it.desktop.notices.length
    for (const name of names) controls.goDown(name)
    await pass(90_000)
    const board = it.app.state.boards.get(accountId)
    const down = [...(board?.checks.values() ?? [])].filter(({ status }) => status === 'down')
    expect(down.length).toBeGreaterThan(990)
    const told = it.desktop.notices.slice(before)
    expect(told).toMatchObject([{ sound: true }])
    expect(told[0]?.title).toMatch(/^[\d,]+ checks down in /)
    for (const name of names.slice(100)) controls.recover(name)
    await pass(300_000)
    const [recovered, ...more] = it.desktop.notices.slice(before + 1)
    expect(recovered?.title).toMatch(/^[\d,]+ checks up again in /)
    // The hundred, and the few that are down at first.
    expect(recovered?.body).toMatch(/ · 10\d still down$/)
    expect(more).toEqual([])
    await it.app.stop()
  })
})
